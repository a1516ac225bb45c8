"""What a prompting must know of the model it asks, and how a prompt is made to fit that model's window."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from assay.errors import AssayError
from assay.patterns import replaced
from assay.records import Message, Text

BYTES_PER_TOKEN = 3
"""Used where a window is known but no tokenizer is: a careful guess for European languages, which have 3.5 to 5."""

CUT_MARK = " […] "


@dataclass
class Target:
    """The model as a prompting sees it. Token counts of recurring blocks are remembered, so each is counted once."""

    window: int | None = None
    """Tokens that prompt and completion may have together; `None` where unknown or unlimited."""
    tokens: Callable[[Text], int | None] = lambda text: None
    takes_text: bool = True
    takes_messages: bool = False
    scores: bool = False
    top_logprobs: int = 0
    thinking: int = 0
    """Tokens that it may think before it answers, besides those of its answer."""
    _counts: dict[str, int] = field(default_factory=dict)
    _template: int | None = None

    def count(self, text: str, *, remember: bool = False) -> int:
        """Tokens in a piece of prompt: exact where the model has a tokenizer here, else estimated from its bytes."""
        if text in self._counts:
            return self._counts[text]
        exact = self._exact(text)
        number = exact if exact is not None else -(-len(text.encode("utf-8", "replace")) // BYTES_PER_TOKEN)
        if remember:
            self._counts[text] = number
        return number

    def room(self, max_tokens: int, thinking: bool) -> int:
        """Tokens that a completion may have whose answer may have `max_tokens`; half of a window that these would fill."""
        wanted = max_tokens + (self.thinking if thinking else 0)
        return wanted if self.window is None or wanted < self.window else self.window // 2

    def _exact(self, text: Text) -> int | None:
        """What the model counts; its counter may be anybody's code."""
        try:
            counted: object = self.tokens(text)
        except AssayError:
            raise
        except Exception as error:
            raise AssayError(
                f"the model cannot count tokens: {type(error).__name__}: {error}", "repair its provider"
            ) from error
        if counted is not None and (not isinstance(counted, int) or counted < 0):
            raise AssayError(f"the model counted {counted!r} tokens", "count_tokens of its provider must give a number or None")
        return counted

    def template(self) -> int:
        """Tokens that the chat template puts around a user message."""
        if self._template is None:
            self._template = self._exact((Message(role="user", content=""),)) or 8
        return self._template

    def examples_that_fit(self, fixed: Sequence[str], examples: Sequence[str], question: str, reserve: int) -> tuple[int, int]:
        """How many whole examples fit, from the first on, and how many tokens the question may have.

        Every block is counted once, so this is linear in the prompt. Joining two blocks can change the count by at most
        one token in the tokenizers in use, and one is set aside for each join.

        Args:
            fixed: instructions and other parts that always stay.
            examples: the rendered examples, in order; they are dropped whole, from the end.
            question: the rendered question.
            reserve: tokens kept free for the completion.

        Returns:
            (examples kept, tokens left for the question once no example is dropped in vain); without a window, all of them
            and a budget that is never exceeded.
        """
        if self.window is None:
            return len(examples), 1 << 62
        room = self.window - reserve - sum(self.count(part, remember=True) + 1 for part in fixed if part)
        room -= self.template() if self.takes_messages else 0
        need = self.count(question) + 1
        kept = 0
        for example in examples:
            need += self.count(example, remember=True) + 1
            if need > room:
                break
            kept += 1
        return kept, room


def cut_middle(text: str, fits: Callable[[str], bool]) -> str:
    """The longest start and end of a text that fit together, joined by a mark: the last resort for an overlong input.

    The kept share is found by bisection over characters, so the text is measured at most `log2(len(text))` times, on
    ever smaller pieces.
    """
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if fits(_ends(text, middle)):
            low = middle
        else:
            high = middle - 1
    return _ends(text, low)


def _ends(text: str, kept: int) -> str:
    head = (kept + 1) // 2
    return text[:head] + CUT_MARK + text[len(text) - (kept - head) :]


def substitute(text: str, substitutions: Sequence[tuple[str, str]]) -> str:
    """Apply regular expressions with their replacements, in order.

    Raises:
        AssayError: one takes too long.
    """
    for pattern, replacement in substitutions:
        text = replaced(pattern, replacement, text)
    return text
