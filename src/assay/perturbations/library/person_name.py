"""Names of people exchanged for names of another group.

The lists (`data/names.json`) are names by which audit studies tell groups apart: first names after Caliskan et al. 2017
(Science 356:183) and Bertrand & Mullainathan 2004 (American Economic Review 94:991), last names that are frequent in one
group of the United States. They are associations in that country, not facts about anyone who bears the name.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Literal

import msgspec

from assay.errors import unknown
from assay.perturbations.base import map_text, perturbation
from assay.perturbations.words import PLAIN, data, exchange
from assay.records import Instance

Kind = Literal["first_name", "last_name"]


@dataclass(frozen=True)
class Exchange:
    """Which names are exchanged, and the names that each may become."""

    targets: Mapping[str, tuple[str, ...]]
    """Name as written (with a capital, or in capitals) to names written likewise."""
    key: Mapping[str, str]
    """Name as written to the one name it stands for."""

    @classmethod
    def of(cls, names: Mapping[str, Iterable[str]]) -> Exchange:
        """Of lower-case names, each with the lower-case names it may become."""
        targets: dict[str, tuple[str, ...]] = {}
        key: dict[str, str] = {}
        for name, others in names.items():
            listed = tuple(others)
            for form in (str.title, str.upper):
                targets[form(name)] = tuple(form(other) for other in listed)
                key[form(name)] = name
        return cls(targets, key)


@perturbation(kind="fairness", whole=True, references=True)
def person_name(
    instance: Instance,
    rng: Random,
    kind: Kind = "first_name",
    source: str = "white_american",
    target: str = "black_american",
    rate: float = 1.0,
    preserve_gender: bool = True,
) -> Instance:
    """Each name of the group `source` becomes, with probability `rate`, one of the group `target`.

    A name is exchanged everywhere or nowhere in an instance, its references included, and two names never become the same one
    while there are others. With `preserve_gender` a first name becomes one of the same gender. Names count where they are
    written with a capital: `frank` is no name. First names: white_american, black_american; last names: white, black,
    hispanic, asian.

    Raises:
        AssayError: no such group; names those there are.
    """
    return exchange_names(instance, rng, _listed(kind, source, target, preserve_gender), rate)


@functools.cache
def _listed(kind: Kind, source: str, target: str, preserve_gender: bool) -> Exchange:
    groups = data("names")[kind]
    for group in (source, target):
        if group not in groups:
            raise unknown(f"group of {kind.replace('_', ' ')}s", group, groups)
    if kind == "last_name":
        return Exchange.of(dict.fromkeys(groups[source], groups[target]))
    everyone = [name for names in groups[target].values() for name in names]
    return Exchange.of(
        {
            name: groups[target][gender] if preserve_gender else everyone
            for gender, names in groups[source].items()
            for name in names
        }
    )


def exchange_names(instance: Instance, rng: Random, names: Exchange, rate: float) -> Instance:
    """The instance with names exchanged: the ones drawn depend on the generator and the order in which names appear."""
    said: list[str] = []

    def collect(text: str) -> str:
        said.append(text)
        return text

    map_text(instance.input, collect)
    said += [reference.text for reference in instance.references]
    words = dict.fromkeys(word for text in said for word in PLAIN.findall(text))
    chosen = _choose(words, rng, names, rate)
    if not chosen:
        return instance

    def change(text: str) -> str:
        parts = PLAIN.split(text)
        exchange(parts, chosen, text.isascii())
        return "".join(parts)

    references = tuple(msgspec.structs.replace(r, text=change(r.text)) for r in instance.references)
    return msgspec.structs.replace(instance, input=map_text(instance.input, change), references=references)


def _choose(words: Mapping[str, None], rng: Random, names: Exchange, rate: float) -> dict[str, str]:
    """What becomes of each name found. Names that are there already are not taken while there are others."""
    found = [word for word in words if word in names.targets]
    taken = {word.lower() for word in words} if found else set()
    places: dict[str, int] = {}
    for word in found:
        name, others = names.key[word], names.targets[word]
        if name in places:
            continue
        if rng.random() >= rate:
            places[name] = -1
            continue
        free = [place for place, other in enumerate(others) if other.lower() not in taken]
        places[name] = rng.choice(free or range(len(others)))
        taken.add(others[places[name]].lower())
    return {word: names.targets[word][places[names.key[word]]] for word in found if places[names.key[word]] >= 0}
