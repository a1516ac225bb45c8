"""What can be seen of an input without understanding it: features that cut a scenario into parts where a model may fail."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

_digit = re.compile(r"\d")
_negation = re.compile(r"\b(?:not|no|never|none|nothing|nobody|neither|nor|cannot|without|except)\b|n['’]t\b", re.IGNORECASE)

FEATURES: Mapping[str, Callable[[str], bool]] = {
    "with a number": lambda text: _digit.search(text) is not None,
    "with a negation": lambda text: _negation.search(text) is not None,
    "with a question mark": lambda text: "?" in text,
    "beyond ASCII": lambda text: not text.isascii(),
    "all lower case": lambda text: text == text.lower() and text != text.upper(),
    "several lines": lambda text: "\n" in text.strip(),
}
"""Name of a feature, and whether a text has it. English for negations; the others for any language."""


def features_of(texts: Sequence[str]) -> dict[str, list[bool]]:
    """Which texts have which feature, lengths included: a quarter is the longest, and a quarter the shortest.

    Args:
        texts: the inputs of a scenario's instances.

    Returns:
        Name of the feature to one truth value a text; only features that some texts have and some have not.
    """
    found = {name: [has(text) for text in texts] for name, has in FEATURES.items()}
    lengths = sorted(len(text) for text in texts)
    if lengths:
        short, long = lengths[(len(lengths) - 1) // 4], lengths[-1 - (len(lengths) - 1) // 4]
        found[f"at most {short} characters"] = [len(text) <= short for text in texts]
        found[f"at least {long} characters"] = [len(text) >= long for text in texts]
    return {name: has for name, has in found.items() if any(has) and not all(has)}
