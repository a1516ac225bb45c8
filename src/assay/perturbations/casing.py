"""Keeping the case of a word that is exchanged for another."""

from __future__ import annotations


def like(model: str, word: str) -> str:
    """The word in the case of the model: all capitals, a capital at the start, or as it is.

    A single capital letter counts as a capital at the start.
    """
    if model.isupper() and len(model) > 1:
        return word.upper()
    if model[:1].isupper():
        return word[:1].upper() + word[1:]
    return word
