"""Reading numbers out of what a model wrote."""

from __future__ import annotations

import re
from fractions import Fraction

from assay.prompting.extractors import MOST_READ, Found, announcements, found, nothing

_NUMBER = re.compile(
    r"""(?P<sign>(?<![\w.,)\]}])[-−–+])?(?:[$€£¥₹]\s?|\\\$\s?)?(?P<minus>(?<=[$€£¥₹])[-−])?
        (?: \\[dt]?frac\s?\{\s?(?P<top>[-−]?\d{1,15})\s?\}\s?\{\s?(?P<bottom>\d{1,15})\s?\}
          | (?:(?P<whole>\d{1,9})\s)?(?P<over>\d{1,15})\s?[/⁄]\s?(?P<under>\d{1,15})(?![\d/]|\.\d)
          | (?P<digits>(?<![\d.])(?:\d{1,3}(?:(?:,|\{,\}|\\,|['’\u00a0\u202f\u2009])\d{3})+(?!\d)
                |\d{1,3}(?:[ ]\d{3}){2,}(?!\d)|\d+)(?:\.\d+)?|(?<![\d.])\.\d+)
            (?:[eE](?P<exponent>[-+−]?\d{1,3})(?!\w)
              |\s?(?:×|x|·|\*|\\times|\\cdot)\s?10\s?(?:\^|\*\*)\s?\{?\s?(?P<power>[-+−]?\d{1,3})\s?\}?)?
        )""",
    re.VERBOSE,
)
_SENTENCE = re.compile(r"[.!?;](?=\s|\Z)|\n")


def number(text: str) -> Found[Fraction]:
    """The last number announced as the answer, else the last one in the text.

    Read are signs, currencies, thousands separators (commas, thin or plain spaces, apostrophes), decimals, fractions (`3/4`,
    `2 1/2`, `\\frac{3}{4}`), exponents (`1.5e3`, `3 \\times 10^{5}`). Units and percent signs are no part of the number: "45 %"
    is 45. Of an announced calculation ("the answer is 3 + 5 = 8") the number behind the last equals sign counts.
    """
    for place in reversed(announcements(text)[-MOST_READ:]):
        stop = _SENTENCE.search(text, place.start, place.end)
        end = stop.start() if stop else place.end
        equals = text.rfind("=", place.start, end)
        for start in dict.fromkeys((equals + 1 if equals >= 0 else place.start, place.start)):
            match = _NUMBER.search(text, start, end)
            if match and (value := _value(match)) is not None:
                return found("number", value, match.start(), match.end())
    for match in reversed(list(_NUMBER.finditer(text))):
        if (value := _value(match)) is not None:
            return found("number", value, match.start(), match.end())
    return nothing("number")


def _value(match: re.Match[str]) -> Fraction | None:
    negative = (match["sign"] or "+").strip() != "+" or bool(match["minus"])
    if match["digits"]:
        digits = re.sub(r"[^\d.]", "", match["digits"])
        if len(digits) > 400:
            return None
        exponent = int((match["exponent"] or match["power"] or "0").replace("−", "-"))
        value = Fraction(digits) * Fraction(10) ** exponent
    else:
        top, bottom = match["top"] or match["over"], match["bottom"] or match["under"]
        if int(bottom) == 0:
            return None
        value = Fraction(int(match["whole"] or 0)) + Fraction(int(top.replace("−", "-")), int(bottom))
    return -value if negative else value


def plain_number(value: Fraction) -> str:
    """A number as references write it: `1234`, `-0.5`; as a fraction `1/3` where its decimals never end."""
    if value.denominator == 1:
        return str(value.numerator)
    rest, places = value.denominator, 0
    for prime in (2, 5):
        power = 0
        while rest % prime == 0:
            rest //= prime
            power += 1
        places = max(places, power)
    if rest != 1 or places > 50:
        return f"{value.numerator}/{value.denominator}"
    scaled = f"{abs(value.numerator) * 10**places // value.denominator:0{places + 1}d}"
    return ("-" if value < 0 else "") + scaled[:-places] + "." + scaled[-places:]
