"""A chat endpoint with planted knowledge: eighteen models that know the same and differ in how they speak.

The name of a model is its manner and its language, `openai/steps-de`. Each knows 70 % of the items it was given, the same
ones as all others, and answers the rest wrongly in the same way. It speaks OpenAI's chat completions and nothing else:
no text completions, no log-probabilities; it keeps to `max_tokens` (four characters a token, thoughts included) and `stop`.

As a program: `python manners.py PORT ITEMS.json`.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Literal

MANNERS = ("terse", "sentence", "steps", "first", "structured", "hidden")
"""The answer alone; in a sentence; after reasoning; before its reasons; as Markdown or JSON; after long hidden reasoning."""
LANGUAGES = ("en", "de", "zh")
KNOWN = 0.7
"""The share of items that a model knows."""
LETTERS = "ABCDEFGHIJ"
CHARACTERS_PER_TOKEN = 4


@dataclass(frozen=True, kw_only=True)
class Item:
    """A question and what a model would say: what is right, and something wrong that is as good as it at first sight."""

    scenario: str
    id: str
    question: str
    right: str
    wrong: str
    options: tuple[str, ...] = ()
    kind: Literal["option", "number", "text"] = "option"

    @property
    def known(self) -> bool:
        return _number(f"known {self.scenario} {self.id}") % 1000 < 1000 * KNOWN


def choice(scenario: str, name: str, question: str, options: Sequence[str], right: Sequence[str]) -> Item:
    """An item with options; a model that does not know it names one of the wrong ones."""
    others = [option for option in options if option not in right]
    wrong = others[_number(f"wrong {scenario} {name}") % len(others)]
    return Item(scenario=scenario, id=name, question=question, right=right[0], wrong=wrong, options=tuple(options))


def number(scenario: str, name: str, question: str, right: str) -> Item:
    """An item whose answer is a whole number, written without separators."""
    wrong = str(int(right) + 1 + _number(f"wrong {scenario} {name}") % 9)
    return Item(scenario=scenario, id=name, question=question, right=right, wrong=wrong, kind="number")


def texts(scenario: str, items: Sequence[tuple[str, str, str]]) -> list[Item]:
    """Items (id, question, answer) with short answers; a model that does not know one gives the answer of another."""
    answers = [right for _, _, right in items]
    return [
        Item(
            scenario=scenario,
            id=name,
            question=question,
            right=right,
            wrong=next(other for other in answers[at + 1 :] + answers if other != right),
            kind="text",
        )
        for at, (name, question, right) in enumerate(items)
    ]


# ---- what is said


@dataclass(frozen=True, kw_only=True)
class Saying:
    """What is to be said: `short` is the letter, or the answer where nothing has a letter; `whole` has letter and text."""

    short: str
    whole: str
    others: tuple[str, ...]
    """The other options, as `short`."""
    options: tuple[str, ...]
    """All options as `whole`, in the order of the prompt."""
    kind: str


FINAL = {
    "en": {
        "letter": ("The correct answer is {short}.", "I would go with {short}.", "It's {whole}", "The answer is ({short})."),
        "option": (
            "The answer is {short}.",
            "I would say: {short}.",
            "My verdict: {short}",
            "This is a clear case of {short}.",
        ),
        "number": ("The answer is {short}.", "In total that makes {short}.", "It comes to **{short}**.", "Altogether: {short}"),
        "text": ("The answer is {short}.", "That would be {short}.", "Answer: {short}", "It's {short}."),
    },
    "de": {
        "letter": (
            "Die richtige Antwort ist {short}.",
            "Ich würde {short} wählen.",
            "Richtig ist {whole}",
            "Antwort {short} stimmt.",
        ),
        "option": (
            "Die Antwort lautet: {short}.",
            "Ich würde sagen: {short}.",
            "Mein Urteil: {short}",
            "Das ist eindeutig {short}.",
        ),
        "number": ("Die Antwort ist {short}.", "Insgesamt sind es {short}.", "Das ergibt **{short}**.", "Zusammen: {short}"),
        "text": ("Die Antwort lautet {short}.", "Das wäre {short}.", "Antwort: {short}", "Es ist {short}."),
    },
    "zh": {
        "letter": ("正确答案是{short}。", "我选择{short}。", "应选{whole}", "答案为{short}。"),
        "option": ("答案是{short}。", "我认为是{short}。", "结论：{short}", "答案：{short}。"),
        "number": ("答案是{short}。", "一共是{short}。", "结果为**{short}**。", "总计：{short}"),
        "text": ("答案是{short}。", "应该是{short}。", "答案：{short}", "正确答案是“{short}”。"),
    },
}
THUS = {
    "en": {
        "letter": (
            "So the answer is {short}.",
            "Therefore, {short} is correct.",
            "That leaves {short}.",
            "Final answer: {whole}",
        ),
        "option": (
            "So the answer is {short}.",
            "Therefore: {short}.",
            "All things considered, {short}.",
            "Final answer: {short}",
        ),
        "number": (
            "{sum} = {short}",
            "So we get {sum} = {short}.",
            "The total is therefore {sum} = {short}.",
            "Final answer: {short}",
        ),
        "text": ("So the answer is {short}.", "Therefore: {short}.", "It must be {short}.", "Final answer: {short}"),
    },
    "de": {
        "letter": (
            "Also ist {short} richtig.",
            "Die Antwort ist daher {short}.",
            "Damit bleibt {short}.",
            "Endgültige Antwort: {whole}",
        ),
        "option": (
            "Die Antwort ist also {short}.",
            "Daher: {short}.",
            "Alles in allem: {short}.",
            "Endgültige Antwort: {short}",
        ),
        "number": (
            "{sum} = {short}",
            "Also erhalten wir {sum} = {short}.",
            "Die Summe ist damit {sum} = {short}.",
            "Antwort: {short}",
        ),
        "text": ("Die Antwort ist also {short}.", "Daher: {short}.", "Es muss {short} sein.", "Endgültige Antwort: {short}"),
    },
    "zh": {
        "letter": ("因此答案是{short}。", "所以{short}正确。", "故选{short}。", "最终答案：{whole}"),
        "option": ("因此答案是{short}。", "所以：{short}。", "综上所述，{short}。", "最终答案：{short}"),
        "number": ("{sum} = {short}", "所以{sum} = {short}。", "因此总数为{sum} = {short}。", "最终答案：{short}"),
        "text": ("因此答案是{short}。", "所以：{short}。", "应当是{short}。", "最终答案：{short}"),
    },
}
WORDS = {
    "en": {
        "begin": "Let me think about this step by step.",
        "weigh": "{option}: there is something to be said for it, and something against it.",
        "numbers": "First, we write down what is given.\nThen we add what is left after {minutes} steps.",
        "recall": "First, what is asked? Then, what do I remember of it? Several names come to mind; most are ruled out.",
        "not": "{other} is wrong, since it does not fit what is said.",
        "because": "That follows from what is given.",
        "check": "I checked it in {minutes} steps: {sum} = {short}.",
        "reasons": "Reasons",
        "answer": "Answer",
    },
    "de": {
        "begin": "Gehen wir Schritt für Schritt vor.",
        "weigh": "{option}: Dafür spricht etwas, und etwas spricht dagegen.",
        "numbers": "Zuerst schreiben wir auf, was gegeben ist.\nDann zählen wir in {minutes} Schritten zusammen.",
        "recall": "Wonach wird gefragt, und was weiß ich darüber? Mehrere Namen kommen in Frage, die meisten scheiden aus.",
        "not": "{other} ist falsch, denn es passt nicht zu dem, was gesagt wird.",
        "because": "Das folgt aus dem, was gegeben ist.",
        "check": "Ich habe es in {minutes} Schritten geprüft: {sum} = {short}.",
        "reasons": "Begründung",
        "answer": "Antwort",
    },
    "zh": {
        "begin": "让我们一步一步地思考。",
        "weigh": "{option}：有支持的理由，也有反对的理由。",
        "numbers": "首先写下已知条件。\n然后分{minutes}步把剩下的加起来。",
        "recall": "首先，问题问的是什么？其次，我记得什么？有几个名称可以考虑，但大多数可以排除。",
        "not": "{other}是错误的，因为它与所说的不符。",
        "because": "这是根据已知条件得出的。",
        "check": "我用{minutes}步检验过：{sum} = {short}。",
        "reasons": "理由",
        "answer": "答案",
    },
}


def speak(saying: Saying, manner: str, language: str, seed: str) -> tuple[str, str]:
    """What a model of this manner says, and what it thought before, hidden."""
    turn = _number(f"turn {seed}")
    words, kind = WORDS[language], saying.kind
    blanks: dict[str, Any] = {"short": saying.short, "whole": saying.whole, "minutes": 2 + turn % 3, "sum": ""}
    plain = saying.short
    if kind == "number":
        total = int(plain)
        blanks["sum"] = f"{_grouped(total - turn % 17, language)} + {turn % 17}"
        blanks["short"] = blanks["whole"] = _grouped(total, language)
    thoughts = [words["begin"]]
    if kind == "number":
        thoughts.append(words["numbers"].format(**blanks))
    elif saying.options:
        thoughts += [words["weigh"].format(option=option) for option in saying.options]
    else:
        thoughts.append(words["recall"])
    denied = [words["not"].format(other=other) for other in saying.others] or [words["because"]]
    final = FINAL[language][kind][turn % 4].format(**blanks)
    if manner == "terse":
        return plain, ""
    if manner == "sentence":
        return final, ""
    if manner == "steps":
        return "\n\n".join([*thoughts, THUS[language][kind][turn % 4].format(**blanks)]), ""
    if manner == "first":
        first = (blanks["whole"], f"**{blanks['whole']}**", final, blanks["short"])[turn // 4 % 4]
        reasons = [words["check"].format(**blanks)] if kind == "number" else denied
        return f"{first}\n\n" + " ".join(reasons), ""
    if manner == "structured":
        reasons = [words["check"].format(**blanks)] if kind == "number" else denied
        bullets = "\n".join(f"- {reason}" for reason in reasons)
        told = json.dumps({"reasoning": " ".join(reasons), "answer": plain}, ensure_ascii=False, indent=1)
        return (
            json.dumps({"answer": plain}, ensure_ascii=False),
            f"```json\n{told}\n```",
            f"**{words['answer']}: {blanks['whole']}**\n\n{bullets}",
            f"### {words['answer']}\n\n{blanks['whole']}\n\n### {words['reasons']}\n\n{bullets}",
        )[turn // 4 % 4], ""
    long = "\n".join(thoughts + denied)
    return final, "\n".join([long] * (1 + 2400 // len(long)))


def _grouped(value: int, language: str) -> str:
    """A number as prose of the language has it."""
    return {"en": f"{value:,}", "de": f"{value:,}".replace(",", "."), "zh": str(value)}[language]


def answered(item: Item, prompt: str, manner: str, language: str) -> tuple[str, str]:
    """What a model says to a prompt that asks the item: by letter where the prompt shows its options with letters."""
    said = item.right if item.known else item.wrong
    after = prompt[prompt.rfind(item.question) + len(item.question) :]
    letters = _letters(after, item.options)
    if letters:
        whole = {option: f"{letter}. {option}" for option, letter in letters.items()}
        saying = Saying(
            short=letters[said],
            whole=whole[said],
            others=tuple(letter for option, letter in letters.items() if option != said),
            options=tuple(whole.values()),
            kind="letter",
        )
    else:
        others = tuple(option for option in item.options if option != said)
        saying = Saying(short=said, whole=said, others=others, options=item.options, kind=item.kind)
    return speak(saying, manner, language, f"{item.scenario} {item.id}")


def _letters(shown: str, options: Sequence[str]) -> dict[str, str]:
    """The letter that a prompt gives to each option; empty where it gives none."""
    found = {}
    for option in options:
        match = re.search(rf"^\(?([A-Z])[.):] ?{re.escape(option.strip())}\s*$", shown, re.MULTILINE)
        if match is None:
            return {}
        found[option] = match[1]
    return found


def _number(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:6], "big")


# ---- the server


class Mind:
    """The items, and what was asked of each model."""

    def __init__(self, items: Sequence[Item]) -> None:
        self.items = items
        self.asked: dict[str, dict[str, dict[str, bool]]] = {}
        self.strange: list[str] = []
        """Prompts that ask none of the items."""

    def reply(self, body: dict[str, Any]) -> dict[str, Any]:
        """The body of a chat completion."""
        model = body["model"]
        manner, language = model.split("-")
        prompt = next(message["content"] for message in reversed(body["messages"]) if message["role"] == "user")
        found = [
            (end, len(item.question), at) for at, item in enumerate(self.items) if (end := _end(prompt, item.question)) >= 0
        ]
        if not found:
            self.strange.append(prompt)
            return _body(model, "I do not know what you mean.", "", "stop", 8)
        item = self.items[max(found)[2]]
        self.asked.setdefault(model, {}).setdefault(item.scenario, {})[item.id] = item.known
        content, reasoning = answered(item, prompt, manner, language)
        room = CHARACTERS_PER_TOKEN * int(body.get("max_completion_tokens") or body.get("max_tokens") or 4096)
        inline = _number(item.id) % 2 == 0
        if reasoning and inline:
            content, reasoning = f"<think>\n{reasoning}\n</think>\n\n{content}", ""
        reason = "stop"
        if len(reasoning) + len(content) > room:
            reason = "length"
            reasoning, content = reasoning[:room], content[: max(0, room - len(reasoning))]
        ends = [at for stop in _stops(body.get("stop")) if (at := content.find(stop)) >= 0]
        if ends:
            content, reason = content[: min(ends)], "stop"
        return _body(model, content, reasoning, reason, (len(reasoning) + len(content)) // CHARACTERS_PER_TOKEN + 1)


def _end(prompt: str, question: str) -> int:
    """Where the last occurrence of a question ends; -1: nowhere."""
    at = prompt.rfind(question)
    return -1 if at < 0 else at + len(question)


def _stops(stop: str | list[str] | None) -> list[str]:
    return [stop] if isinstance(stop, str) else stop or []


def _body(model: str, content: str, reasoning: str, reason: str, tokens: int) -> dict[str, Any]:
    message = {"role": "assistant", "content": content, **({"reasoning_content": reasoning} if reasoning else {})}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
        "usage": {"prompt_tokens": 1, "completion_tokens": tokens, "total_tokens": tokens + 1},
    }


def serve(port: int, items: Sequence[Item]) -> None:
    """Answer until the process ends."""
    mind = Mind(items)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True
        wbufsize = -1

        def do_GET(self) -> None:
            planted = {"asked": mind.asked, "strange": mind.strange}
            models = {"object": "list", "data": [{"id": model, "object": "model"} for model in names()]}
            self.send(200, planted if self.path == "/planted" else models)

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if not self.path.endswith("/chat/completions"):
                self.send(404, {"error": {"message": "no such endpoint", "type": "invalid_request_error"}})
            else:
                self.send(200, mind.reply(body))

        def send(self, status: int, value: Any) -> None:
            data = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *arguments: Any) -> None:
            """Nothing is logged."""

    class Listener(ThreadingHTTPServer):
        request_queue_size = 512
        daemon_threads = True

    Listener(("127.0.0.1", port), Handler).serve_forever()


def names(manners: Sequence[str] = MANNERS, languages: Sequence[str] = LANGUAGES) -> list[str]:
    """The names of the models."""
    return [f"{manner}-{language}" for language in languages for manner in manners]


@dataclass(frozen=True)
class Server:
    """A running server."""

    base_url: str

    def planted(self) -> dict[str, Any]:
        """`asked`: whether it was known, by model, scenario and id; `strange`: prompts that asked nothing it was given."""
        with urllib.request.urlopen(self.base_url.removesuffix("/v1") + "/planted", timeout=10) as response:
            return dict(json.load(response))

    def models_file(self, models: Sequence[str]) -> str:
        """What `models.yaml` says of the models."""
        return "".join(f"- {{name: openai/{model}, base_url: '{self.base_url}'}}\n" for model in models)


@contextlib.contextmanager
def manners_server(items: Sequence[Item], folder: Path, port: int) -> Iterator[Server]:
    """The server as a process of its own; it ends with the block."""
    file = folder / "planted.json"
    file.write_text(json.dumps([vars(item) for item in items]))
    process = subprocess.Popen([sys.executable, __file__, str(port), str(file)], stderr=subprocess.PIPE)
    server = Server(f"http://127.0.0.1:{port}/v1")
    try:
        deadline = time.monotonic() + 30
        while True:
            try:
                server.planted()
                break
            except (urllib.error.URLError, OSError):
                assert process.poll() is None, process.stderr.read().decode() if process.stderr else ""
                assert time.monotonic() < deadline, "the server does not start"
                time.sleep(0.02)
        yield server
    finally:
        process.kill()
        process.wait()
        if process.stderr:
            process.stderr.close()


if __name__ == "__main__":
    given = json.loads(Path(sys.argv[2]).read_text())
    serve(int(sys.argv[1]), [Item(**{**item, "options": tuple(item["options"])}) for item in given])
