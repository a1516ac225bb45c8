"""What a reader of the file would stumble over in its texts, noted row by row: the texts themselves are not kept."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from assay.checking.findings import Finding
from assay.scenarios.own.doubts import header_doubt, is_placeholder, no_header

_HIDDEN = re.compile(r"[\u00a0\u00ad\u200b-\u200f\u2028\u2029\u202a-\u202e\u2060\ufeff\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_MOJIBAKE = re.compile(r"\ufffd|[ÃÂ][\u0080-\u00bf]|â€[\u0080-\u2122™œž“”]?|Ã[\u0192ƒ‚„…†‡ˆ‰Š‹Œ‘’“”•–—˜™š›œžŸ]")
_TOLD: Mapping[str, tuple[str, str]] = {
    "whitespace": ("white space at an end", "remove it: some models answer otherwise"),
    "hidden": ("a character that nobody sees", "remove it or write a plain space"),
    "mojibake": ("characters that were decoded wrongly", "export the file again as UTF-8"),
    "placeholder": ("a word that stands for nothing", "fill the cell in or leave it empty"),
}
"""What each check says, and the hint."""
_TESTS: Mapping[str, Callable[[str], bool]] = {
    "whitespace": lambda text: text != text.strip() and bool(text.strip()),
    "hidden": lambda text: not (text.isascii() and text.isprintable()) and _HIDDEN.search(text) is not None,
    "mojibake": lambda text: not text.isascii() and _MOJIBAKE.search(text) is not None,
    "placeholder": is_placeholder,
}


@dataclass
class Texts:
    """The columns of each file, and the rows in which something is strange."""

    columns: dict[str, dict[str, bool]] = field(default_factory=dict)
    """Of each file its columns with texts, and whether a column's own name stands in it."""
    strange: defaultdict[tuple[str, str, str], list[int]] = field(default_factory=lambda: defaultdict(list))
    """Rows by check, column and file."""

    def add(self, file: str, row: int, texts: Mapping[str, object]) -> None:
        """Look at the cells of a row that can be asked; those that hold no text are passed over."""
        known = self.columns.setdefault(file, {})
        for column, text in texts.items():
            if not isinstance(text, str):
                continue
            if not known.get(column):
                known[column] = text == column
            for check, test in _TESTS.items():
                if test(text):
                    self.strange[check, column, file].append(row)

    def findings(self) -> Iterator[Finding]:
        """White space, hidden and broken characters, words for nothing: one for each column; and tables without a header."""
        for check, (message, hint) in _TOLD.items():
            for column in dict.fromkeys(column for columns in self.columns.values() for column in columns):
                for file in self.columns:
                    if rows := self.strange.get((check, column, file)):
                        yield Finding(
                            severity="warning",
                            check=check,
                            message=message,
                            hint=hint,
                            file=file,
                            rows=tuple(rows),
                            column=column,
                        )
        for file, columns in self.columns.items():
            if not file.lower().removesuffix(".gz").endswith((".csv", ".tsv")):
                continue
            if name := no_header({column: [column] if repeated else [] for column, repeated in columns.items()}):
                hint = "if so, write a line with the names of the columns above it"
                yield Finding(severity="warning", check="header", message=header_doubt(name), hint=hint, file=file)
