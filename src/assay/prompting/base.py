"""What a prompting is: how an instance becomes requests, and how the responses become an answer.

`render` and `read` live side by side in one class for each method, so metrics never know how a question was asked and a
wrong reading is put right in one place. The fields are HELM's adapter settings under HELM's names, where HELM has them.
The prompt is

    global_prefix + instance_prefix.join([instructions, *examples, question]) + global_suffix

with empty parts left out, and an example is `input_prefix + input + input_suffix + output_prefix + output + output_suffix`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Literal

import msgspec

from assay.errors import AssayError, Impossible
from assay.prompting.fewshot import Examples
from assay.prompting.target import Target, cut_middle, substitute
from assay.records import Answer, Instance, Message, Record, Request, Response, Text


class Rendered(Record):
    """The requests of one trial, and what became of the few-shot examples and the input on the way."""

    requests: tuple[Request, ...]
    shots: tuple[str, ...] = ()
    truncated: bool = False


ChatSetting = Literal["auto", "preferred", "always", "never"]


class Prompting(Record, tag_field="method", tag="abstract", forbid_unknown_fields=True):
    """Settings common to all methods, and the two directions each method implements."""

    shots: int = 5
    """Few-shot examples, at most."""
    instructions: str = ""
    """Stands before the examples; ends in a newline where an empty line should follow."""
    global_prefix: str = ""
    global_suffix: str = ""
    instance_prefix: str = "\n"
    input_prefix: str = "Input: "
    input_suffix: str = "\n"
    output_prefix: str = "Output: "
    output_suffix: str = "\n"
    form: str = ""
    """One line that says what form the answer is to have: below the question, in place of the output prefix. `{options}` in
    it stands for the item's options. Chat models are asked with one (see `assay.prompting.chat_form`)."""
    substitutions: tuple[tuple[str, str], ...] = ()
    """Regular expressions and replacements applied to the finished prompt."""
    multi_label: bool = False
    """An example shows all correct references, joined by commas, instead of the first."""
    sample_train: bool = True
    """Draw the examples at random; otherwise take consecutive slices of the train split."""
    chat: ChatSetting = "auto"
    """Ask as a user message: `auto` only where the model takes nothing else, `preferred` wherever it takes messages."""
    system: str = ""
    """System message; where the model takes only text it stands above the prompt, an empty line between."""
    max_tokens: int = 100
    room_to_think: bool = False
    """A model that thinks before it answers gets tokens for that besides `max_tokens`."""
    temperature: float = 0.0
    top_p: float = 1.0
    stop: tuple[str, ...] = ()
    completions: int = 1
    """How many completions to sample for each request."""

    scores: ClassVar[bool] = False
    """The method needs log-probabilities of given texts."""
    chooses: ClassVar[bool] = False
    """The method needs instances with options, of which some are wrong."""

    @property
    def method(self) -> str:
        """The name of the method, as in run entries."""
        return str(self.__struct_config__.tag)

    @abstractmethod
    def render(self, instance: Instance, examples: Examples, target: Target) -> Rendered:
        """The requests that ask this instance of this model."""

    @abstractmethod
    def read(self, instance: Instance, responses: Sequence[Response]) -> Answer:
        """The answer that the responses give, in the order of the requests; failed responses are among them."""

    # The steps from blocks to a prompt, shared by all methods that show examples.

    def gold(self, instance: Instance) -> str:
        """The output an example shows."""
        gold = instance.gold
        if not gold:
            return "n/a"
        return ", ".join(gold) if self.multi_label else gold[0]

    def question(self, instance: Instance) -> str:
        """Everything of a block that stands before the output prefix."""
        return self.input_prefix + as_text(instance.input) + self.input_suffix

    def asking_block(self, question: str, instance: Instance, aside: str = "") -> str:
        """The block that asks: a question, then the form of its answer where one is asked for, else the output prefix.

        Args:
            question: what `question` gave.
            instance: the instance that is asked.
            aside: stands between the question and the output prefix, or below the form.
        """
        if not self.form or ("{options}" in self.form and not lists_options(instance)):
            return question + aside + self.output_prefix.rstrip()
        options = sorted(reference.text for reference in instance.references)  # their own order may give the answer away
        separator = "; " if any("," in option for option in options) else ", "
        line = self.form.replace("{options}", separator.join(options))
        return f"{question.rstrip()}\n\n{line}\n{aside}".rstrip()

    def example(self, instance: Instance) -> str:
        """A few-shot block, with its output."""
        return self.question(instance) + self.output_prefix + self.gold(instance) + self.output_suffix

    def example_blocks(self, examples: Examples) -> list[tuple[str, str]]:
        """(id, block) of each few-shot example."""
        return [(instance.id, self.example(instance)) for instance in examples.shown]

    def assemble(self, examples: Sequence[str], block: str) -> str:
        """The finished prompt of some example blocks and the block that asks."""
        parts = [part for part in (self.instructions, *examples) if part] + [block]
        return substitute(self.global_prefix + self.instance_prefix.join(parts) + self.global_suffix, self.substitutions)

    def fit(
        self, instance: Instance, examples: Examples, target: Target, longest: str = ""
    ) -> tuple[list[str], Instance, Rendered]:
        """Make room: the blocks that stay, the instance (its input cut where nothing else helps), the record of both.

        Examples are dropped whole from the end; question and instructions stay; the middle of the input is cut only when
        it does not fit alone.

        Args:
            instance: the instance to ask.
            examples: the draw's examples.
            target: the model.
            longest: the longest text that will stand after the question, besides the completion.
        """
        blocks = self.example_blocks(examples)
        fixed = (self.global_prefix, self.instructions, self.global_suffix, self.system)

        def asked(candidate: Instance) -> str:
            block = self.question(candidate)
            return self.asking_block(block, candidate, longest) if self.form else block + self.output_prefix + longest

        reserve = target.room(self.max_tokens, self.room_to_think)
        kept, room = target.examples_that_fit(fixed, [block for _, block in blocks], asked(instance), reserve)
        rendered = Rendered(requests=(), shots=tuple(name for name, _ in blocks[:kept]))
        if kept == 0 and target.count(asked(instance)) + 1 > room:
            instance = self._cut(instance, lambda candidate: target.count(asked(candidate)) + 1 <= room)
            rendered = msgspec.structs.replace(rendered, truncated=True)
        return [block for _, block in blocks[:kept]], instance, rendered

    def _cut(self, instance: Instance, fits: Any) -> Instance:
        text = as_text(instance.input)

        def shortened(kept: str) -> Instance:
            return msgspec.structs.replace(instance, input=kept)

        cut = shortened(cut_middle(text, lambda kept: bool(fits(shortened(kept)))))
        if not fits(cut):
            raise AssayError(
                f"instance {instance.id}: instructions and options alone exceed the model's window",
                "use a model with a larger context window or shorten the instructions",
            )
        return cut

    def asks_messages(self, target: Target) -> bool:
        """Whether the question goes out as a user message."""
        if self.chat == "always" and not target.takes_messages:
            raise Impossible("chat is 'always' but the model takes no messages", "set chat: auto")
        if self.chat == "never" and not target.takes_text:
            raise Impossible("chat is 'never' but the model takes only messages", "set chat: auto")
        return self.chat == "always" or (self.chat == "preferred" and target.takes_messages) or not target.takes_text

    def as_prompt(self, text: str, target: Target) -> Text:
        """A finished prompt as what the model takes: a user message after the system's, or plain text below the system's."""
        if not self.asks_messages(target):
            return f"{self.system}\n\n{text}" if self.system else text
        system = (Message(role="system", content=self.system),) if self.system else ()
        return (*system, Message(role="user", content=text))

    def request(self, prompt: Text, target: Target, **more: Any) -> Request:
        """A generating request with the decoding of this prompting."""
        alternatives = min(more.pop("top_logprobs", 1), target.top_logprobs)
        return Request(
            prompt=prompt,
            max_tokens=target.room(self.max_tokens, self.room_to_think),
            temperature=self.temperature,
            top_p=self.top_p,
            stop=self.stop,
            completions=self.completions,
            top_logprobs=alternatives,
            **more,
        )


def lists_options(instance: Instance) -> bool:
    """Whether an instance is a question with options: some reference is wrong."""
    return any(not reference.correct for reference in instance.references)


def as_text(text: Text) -> str:
    """An input as plain text; a conversation as its turns, each after its role."""
    if isinstance(text, str):
        return text
    if len(text) == 1:
        return text[0].content
    return "\n".join(f"{message.role}: {message.content}" for message in text)
