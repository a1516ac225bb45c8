"""stub"""
from __future__ import annotations
def date_spans(text: str) -> list[tuple[int, int]]:
    return []
