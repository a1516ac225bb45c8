"""Reading numbers out of running text."""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation

_number = re.compile(
    r"""(?P<sign>(?<![\w.,)\]])[-−+])?           # a sign, unless it stands between two things as a dash or minus
        (?:[$€£¥₹]\s?)?                          # a currency between sign and digits
        (?P<digits>
            (?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)     # 1,234,567 or 1234567
            (?:\.\d+)?                           # decimals; a full stop after the number is not one
          | (?<![\d.])\.\d+                      # .5
        )
        (?P<exponent>[eE][-+]?\d{1,6}(?!\w))?
    """,
    re.VERBOSE,
)


def last_number(text: str) -> Decimal | None:
    """The last number in the text, or `None` where it holds none.

    Thousands separators (commas), a leading sign or currency, decimals and exponents are read; units, percent signs and a
    full stop behind the number are not part of it. "5 10" holds two numbers, and so does "1,2".
    """
    last = None
    for last in _number.finditer(text):  # noqa: B007 - only the last one counts
        pass
    if last is None:
        return None
    written = last["digits"].replace(",", "") + (last["exponent"] or "")
    try:
        value = Decimal(written)
    except InvalidOperation:
        return None
    return -value if last["sign"] in ("-", "−") else value
