"""From the completions of one request to an answer: each is read the same way, then one of them becomes the prediction."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Hashable, Sequence
from typing import Literal

import msgspec

from assay.prompting import dates, extractors, numbers
from assay.prompting.confidence import ConfidenceSetting, agreement, plurality, split_statement
from assay.prompting.options import GIVEN, STATED, named_options, read_option
from assay.prompting.reading import outcome_of
from assay.prompting.reasoning import spoken
from assay.prompting.refusals import is_refusal, refusal_of
from assay.records import Answer, Completion, Outcome, Reading, Record, Reference

AnswerSetting = Literal["auto", "option", "text", "first_line", "number", "letter", "final", "boxed", "yes_no", "date", "short"]
CLOSED = frozenset({"first_line", "final", "boxed", "yes_no"})
"""Settings whose answer must be one of the options, where the instance lists some."""
VERDICTS = ("Yes", "No")
LEAST = -1e9
"""Log-probability below which nothing is told apart: a hundred thousand impossible tokens."""
_ESCAPED = re.compile(r"(?:\\u[0-9a-fA-F]{4}){1,1000}")
LONG = 200
"""Characters from which on a completion that was cut at the token limit is taken to have been cut before its answer."""


class Sample(Record):
    """One completion, read."""

    outcome: Outcome
    prediction: str
    """What it answers; all it says where no answer could be read."""
    reading: Reading
    choice: int | None = None
    key: Hashable | None = None
    """Equal for samples that answer the same; `None` where no answer could be read."""
    stated: float | None = None
    """The confidence it states, 0 to 1."""
    partly_refused: bool = False
    text: str = ""
    """All it says, where `prediction` is an option read out of free text."""

    @property
    def answered(self) -> str:
        """The answer, empty where none could be read."""
        return self.prediction if self.key is not None else ""


def read_choice(completion: Completion, references: Sequence[Reference], stated: bool = False, lettered: bool = True) -> Sample:
    """A completion that chooses one of the options: by letter or text, or by text alone where they had no letters.

    Where several options are right, a text without letters may name several of them: it is an answer then, and chooses none.
    """
    part = spoken(completion.text)
    text, confidence = split_statement(part.text) if stated else (part.text, None)
    options = [reference.text for reference in references]
    cut = completion.finish_reason == "length" and len(text.strip()) > LONG
    chosen = read_option(text, options, lettered=lettered, least=GIVEN if cut else STATED)
    refused = chosen.value is None and is_refusal(text)
    if chosen.value is None and not cut and not refused:
        chosen = read_option(text, options, lettered=lettered)
    several = chosen.value is None and not lettered and sum(reference.correct for reference in references) > 1
    outcome: Outcome
    if completion.finish_reason == "content_filter":
        outcome = "refused"
    elif chosen.value is not None:
        outcome = "answered"
    elif refused:
        outcome = "refused"
    elif not text.strip():
        outcome = "truncated" if part.unfinished or completion.finish_reason == "length" else "empty"
    else:
        unended = completion.finish_reason == "length" and (len(text) > 40 or not lettered)
        outcome = "truncated" if part.unfinished or unended else "unparsed"
    if several and outcome == "unparsed" and named_options(text, options):
        whole = _shifted(extractors.whole_text(text).reading, part.start)
        said, key = text.strip(), _same_text(text)
        return Sample(outcome="answered", prediction=said, reading=whole, key=key, stated=confidence, text=said)
    return Sample(
        outcome=outcome,
        prediction=options[chosen.value] if chosen.value is not None else text.strip(),
        reading=_shifted(chosen.reading, part.start),
        choice=chosen.value,
        key=chosen.value,
        stated=confidence,
        text="" if lettered else text.strip(),
        partly_refused=not lettered and outcome == "answered" and refusal_of(text) == "partial",
    )


def read_free(completion: Completion, references: Sequence[Reference], how: AnswerSetting, stated: bool = False) -> Sample:
    """A completion that answers in free text, of which `how` says what counts.

    Characters that JSON writes as `\\u20ac` are read as they are; what was found stands then somewhere in the whole text.
    """
    if _ESCAPED.search(completion.text) and how != "text":
        plain = _ESCAPED.sub(lambda match: str(json.loads(f'"{match[0]}"')), completion.text)
        plain = plain.encode("utf-8", "ignore").decode()  # half a character has no text
        sample = read_free(msgspec.structs.replace(completion, text=plain), references, how, stated)
        return msgspec.structs.replace(sample, reading=_anywhere(sample.reading, completion.text))
    if how == "auto":
        how = "option" if any(not reference.correct for reference in references) else "text"
    if how in ("letter", "option"):
        return read_choice(completion, references, stated, lettered=how == "letter")
    part = spoken(completion.text)
    text, confidence = split_statement(part.text) if stated else (part.text, None)
    formats = ([reference.text for reference in references if reference.correct],) if how in ("number", "date") else ()
    read = EXTRACTORS[how](text, *formats)
    outcome: Outcome = "truncated" if part.unfinished else outcome_of(completion, text.strip())
    if read.value is None and outcome == "answered":
        outcome = "unparsed"
    elif read.value is not None and how != "text" and outcome == "refused" and completion.finish_reason != "content_filter":
        outcome = "answered" if _announced(how, text) else "refused"
    reading = _shifted(read.reading, part.start)
    choice = _option_of(read.value or "", references)
    if choice is None and how in CLOSED and outcome == "answered" and any(not reference.correct for reference in references):
        choice = read_option(read.value or "", [reference.text for reference in references], lettered=False).value
        outcome = "unparsed" if choice is None else outcome
    return Sample(
        outcome=outcome,
        prediction=read.value if read.value is not None else text.strip(),
        reading=reading,
        choice=choice,
        key=_same_text(read.value or ""),
        stated=confidence,
        partly_refused=outcome == "answered" and refusal_of(text) == "partial",
    )


def _anywhere(reading: Reading, text: str) -> Reading:
    """How something was read, with all of a text for its place."""
    return reading if reading.start is None else msgspec.structs.replace(reading, start=0, end=len(text))


def _number(text: str, references: Sequence[str] = ()) -> extractors.Found[str]:
    read = numbers.number(text, references)
    return extractors.Found(numbers.plain_number(read.value) if read.value is not None else None, read.reading)


def _short(text: str) -> extractors.Found[str]:
    announced = extractors.final_answer(text)
    return announced if announced.value else extractors.whole_text(text)


def _yes_no(text: str) -> extractors.Found[str]:
    read = read_option(text, VERDICTS, lettered=False)
    reading = msgspec.structs.replace(read.reading, extractor="yes_no", version=3)
    return extractors.Found(None if read.value is None else VERDICTS[read.value], reading)


EXTRACTORS: dict[str, Callable[..., extractors.Found[str]]] = {
    "text": extractors.whole_text,
    "first_line": extractors.first_line,
    "final": extractors.final_answer,
    "boxed": extractors.boxed,
    "number": _number,
    "date": dates.date,
    "yes_no": _yes_no,
    "short": _short,
}
"""What of a completion's text can be the answer, by the name of the setting. Numbers and dates may take references, too."""


def _announced(how: str, text: str) -> bool:
    return how in ("final", "boxed") or bool(extractors.announcements(text))


def _option_of(prediction: str, references: Sequence[Reference]) -> int | None:
    """The option the text is, where the instance has options (some of them wrong)."""
    if all(reference.correct for reference in references):
        return None
    plain = prediction.lower().rstrip(".")
    matches = [index for index, reference in enumerate(references) if reference.text.lower() == plain]
    return matches[0] if len(matches) == 1 else None


def _same_text(text: str) -> str | None:
    return " ".join(text.lower().split()).strip(" .!?\"'*_`") or None


def _shifted(reading: Reading, by: int) -> Reading:
    if not by or reading.start is None or reading.end is None:
        return reading
    return msgspec.structs.replace(reading, start=reading.start + by, end=reading.end + by)


def answer_of(samples: Sequence[Sample], references: tuple[Reference, ...], setting: ConfidenceSetting) -> Answer:
    """The answer that the samples give, without a confidence from log-probabilities.

    The first sample is the prediction; where the setting is `agreement` it is the answer that most samples give
    (self-consistency), and that sample stands first among the answer's completions.
    """
    front = plurality([sample.key for sample in samples]) if setting == "agreement" else 0
    ordered = [samples[front], *samples[:front], *samples[front + 1 :]]
    first = ordered[0]
    reading = first.reading if front == 0 else msgspec.structs.replace(first.reading, start=None, end=None)
    answer = Answer(
        outcome=first.outcome,
        prediction=first.prediction,
        completions=tuple(sample.answered for sample in ordered),
        references=references,
        choice=first.choice,
        reading=reading,
        partly_refused=first.partly_refused,
        text=first.text,
    )
    if setting == "stated" and first.stated is not None and first.key is not None:
        return msgspec.structs.replace(answer, confidence=first.stated, confidence_source="stated")
    if setting == "agreement" and (share := agreement([sample.key for sample in ordered])) is not None:
        return msgspec.structs.replace(answer, confidence=share, confidence_source="agreement")
    return answer


def sequence_probability(completion: Completion) -> float | None:
    """The probability of the whole completion, `None` where the model gave no log-probabilities."""
    logprob = completion.logprob
    return None if logprob is None else math.exp(finite(logprob))


def verdict_probability(completion: Completion, reading: Reading) -> float | None:
    """The probability of the tokens in which an answer was read, `None` where there are none or they spell another text."""
    start, end, tokens = reading.start, reading.end, completion.tokens
    if start is None or end is None or not "".join(token.text for token in tokens).startswith(completion.text):
        return None
    place, total = 0, 0.0
    for token in tokens:
        before, place = place, place + len(token.text)
        if before < end and place > start:
            if token.logprob is None:
                return None
            total += finite(token.logprob)
    return math.exp(total)


def finite(logprob: float | None) -> float:
    """A log-probability to compute with: at most 0, and never without bound; 0 where there is none."""
    return 0.0 if logprob is None or math.isnan(logprob) else min(max(logprob, LEAST), 0.0)
