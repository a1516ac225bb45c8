"""The process that `assay.patterns` asks: a line of JSON in, a line of JSON out, until its input ends. It imports no assay.

["a+", "caab"]             {"matched": ["aa"]}
["a+", "caab", "x", 0]     {"matched": "cxb"}
"""

from __future__ import annotations

import json
import re
import sys


def answer(question: list) -> dict:  # type: ignore[type-arg] # what JSON holds
    """What is found, or replaced where there is a replacement."""
    pattern, text, *replacement = question
    try:
        if replacement:
            return {"matched": re.sub(pattern, replacement[0], text, count=replacement[1])}
        return {"matched": re.findall(pattern, text)}
    except (re.error, IndexError, OverflowError, RecursionError, MemoryError) as error:
        return {"error": str(error)}


if __name__ == "__main__":
    for line in sys.stdin.buffer:
        sys.stdout.write(json.dumps(answer(json.loads(line))) + "\n")
        sys.stdout.flush()
