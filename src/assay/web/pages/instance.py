"""One trial: what was asked, what came back, how it was read and scored, and how it stands beside its copies and others."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from assay.errors import AssayError
from assay.prompting.base import as_text
from assay.stored_text import stored_text
from assay.tables.numbers import NOT_MEASURED, format_amount
from assay.text import one_line
from assay.web.addresses import Address
from assay.web.catalog import Catalog
from assay.web.entries import Entry
from assay.web.grids import Cell, Column, Grid
from assay.web.measures import explained, meaning
from assay.web.page import Kind, Page, View
from assay.web.rendering import render
from assay.web.trials.beside import beside, offered, others_grid
from assay.web.trials.filters import filter_of
from assay.web.trials.index import Index, index_of, marked, scores_of
from assay.web.trials.links import carried, in_report, list_address, row_named, trial_address
from assay.web.trials.outputs import AT_ONCE, Shower, asked, prompting_of
from assay.web.trials.passages import Piece
from assay.web.trials.tokens import token_grid
from assay.web.trials.transcripts import Told, neighbours, rows_in_full, standing, told
from assay.web.trials.word_diff import word_diff

LONGEST_ERROR = 1000
"""Characters of what went wrong."""


@dataclass(frozen=True)
class Place:
    """A trial among others: their pages, where there are such."""

    previous: Address | None
    next: Address | None
    standing: tuple[int, int] | None
    """Which one it is, from 1, of how many."""
    copies: tuple[tuple[str, Address, bool], ...]
    """The original and its copies: name, page, whether it is this one."""


def draw(view: View, address: Address) -> Page:
    """The page of the trial that an address names."""
    entry = view.catalog.entry(address.of)
    index = index_of(entry)
    row = row_named(entry, index, address)
    trial = told(entry, row)
    show = Shower(address, view.links.live)
    requests = len(trial.trial.requests)
    first = min(int(address.number("request", 0, 0, 1e9)), max(0, requests - 1)) if view.links.live else 0
    shown = tuple(asked(trial, prompting_of(entry.spec), first, show))
    scores = score_grid(index, row)
    options = option_grid(trial)
    others = others_grid(view.catalog, entry, index.key(row))
    tokens = _token_grids(shown) if view.links.live else {}
    body = render(
        "instance.html",
        view,
        address,
        entry=entry,
        trial=trial,
        place=_place(view, entry, index, row, address),
        back=list_address(entry, carried(address)),
        facts_of=facts_of(entry, index, row, trial),
        verdict=verdict(entry, row),
        question=None if _asked_within(trial, first) else show("input", as_text(trial.trial.instance.input)),
        error=one_line(trial.row["error"] or "", LONGEST_ERROR),
        tied=tied(trial),
        changed=changed(entry, index, row, trial),
        prediction=show("prediction", trial.row["prediction"] or ""),
        requests=shown,
        shots=[one_line(name, 80) for name in trial.trial.shots],
        count=requests,
        first=first,
        at_once=AT_ONCE,
        judge=_judge(trial, show),
        scores=scores,
        options=options,
        others=others,
        offered=offered(view.catalog, entry, index.key(row), address) if view.links.live else (),
        beside=beside(view, entry, index.key(row), address),
        tokens=tokens,
    )
    grids = (scores, *(grid for grid in (options, others) if grid is not None), *tokens.values())
    name = trial.trial.instance.id
    return Page(f"{one_line(name, 80)}: {one_line(entry.title, 60)} · {one_line(entry.label, 60)}", body, grids)


def _asked_within(trial: Told, first: int) -> bool:
    """Whether the first prompt that is shown holds the item's text, which then need not be shown apart."""
    requests = trial.trial.requests
    asked = as_text(trial.trial.instance.input)
    return bool(requests) and first == 0 and bool(asked) and asked in as_text(requests[0].prompt)


def tied(trial: Told) -> str:
    """That several options had the best score, and what the trial's scores then are; empty where one was chosen."""
    chances: Sequence[float | None] = trial.row["choice_probabilities"] or ()
    there = [chance for chance in chances if chance is not None]
    best = there.count(max(there, default=0.0))
    return f"one of {best} tied answers: expected score" if best > 1 else ""


def _place(view: View, entry: Entry, index: Index, row: int, address: Address) -> Place:
    query = carried(address)
    if view.links.live:
        chosen = filter_of(view.catalog, entry, address)
        before, after = neighbours(entry, chosen, row)
        place = standing(entry, chosen, row)
    else:
        rows = in_report(view.catalog, entry)
        at = rows.index(row) if row in rows else 0
        before, after = (rows[at - 1] if at else None), (rows[at + 1] if at + 1 < len(rows) else None)
        place = (at + 1, len(rows))
    ends = [None if other is None else trial_address(entry, index.key(other), query) for other in (before, after)]
    copies = [(index.key(other), other) for other in index.rows_of(index.key(row))]
    named = tuple((key.perturbation or "original", trial_address(entry, key, query), other == row) for key, other in copies)
    return Place(ends[0], ends[1], place, named if len(named) > 1 else ())


def verdict(entry: Entry, row: int) -> str:
    """`right` or `wrong` by the main metric; empty where it says neither."""
    found = marked(entry)
    if found is None or math.isnan(found.right[row]):
        return ""
    return "right" if found.right[row] else "wrong"


def facts_of(entry: Entry, index: Index, row: int, trial: Told) -> list[tuple[str, str]]:
    """What is to be said of a trial in a word or two, as (name, text)."""
    stored, instance, key = trial.row, trial.trial.instance, index.key(row)
    sure = "" if stored["confidence"] is None else f"{stored['confidence']:.3g} ({stored['confidence_source']})"
    tokens = [stored["prompt_tokens"], stored["completion_tokens"]]
    counted = "" if None in tokens else f"{tokens[0]:,} read, {tokens[1]:,} written ({stored['usage_source']})"
    seconds = "" if stored["latency_s"] is None else f"{stored['latency_s']:.3g} s"
    waited = [response.first_token_s for response in trial.responses if response.first_token_s is not None]
    attempts = sum(response.attempts for response in trial.responses)
    versions = dict.fromkeys(response.model_version for response in trial.responses if response.model_version)
    return [
        ("item", one_line(key.instance_id, 200)),
        ("copy", key.perturbation or "original"),
        *((name, str(getattr(key, name))) for name in ("draw", "format", "repeat") if getattr(key, name)),
        ("split", key.split if len(entry.splits) > 1 else ""),
        ("right answer", one_line(" | ".join(instance.gold), 300)),
        ("confidence", sure),
        ("took", seconds + (f", first token after {min(waited):.3g} s" if waited and seconds else "")),
        ("tokens", counted),
        ("cost", "" if stored["cost"] is None else format_amount(stored["cost"])),
        ("examples shown", str(len(trial.trial.shots) or "")),
        ("input", "cut to fit the model's window" if trial.trial.truncated else ""),
        ("subgroups", one_line(", ".join(f"{axis}={value}" for axis, value in instance.subgroups.items()), 300)),
        ("document", one_line(instance.group or "", 200)),
        ("attempts", str(attempts) if attempts > len(trial.responses) else ""),
        ("model said it is", one_line(", ".join(versions), 200)),
    ]


def score_grid(index: Index, row: int) -> Grid:
    """Every metric's value of a trial that has one."""
    columns = (Column("metric", number=False), Column("value"), Column("family", number=False))
    rows, without = [], 0
    for name, value in scores_of(index, row).items():
        if value is None:
            without += 1
            continue
        found = meaning(name)
        rows.append((Cell(name, to=explained(name), note=found.note), Cell(value, f"{value:.4g}"), Cell(found.family)))
    notes = (f"{without} further metrics do not apply to this answer.",) if without else ()
    return Grid("scores", "Scores of this trial", columns, tuple(rows), notes)


def option_grid(trial: Told) -> Grid | None:
    """The references of a trial, with what the model made of each; `None` where there is nothing to choose from."""
    references = trial.trial.instance.references
    if len(references) < 2:
        return None
    chances: Sequence[float | None] = trial.row["choice_probabilities"] or ()
    chosen = trial.row["choice"]
    columns = [
        Column("option", number=False),
        Column("text", number=False),
        Column("is", number=False),
        Column("chosen", number=False),
    ]
    columns += [Column("probability")] if chances else []
    columns += [Column("role", number=False)] if any(reference.role for reference in references) else []
    rows = []
    for place, reference in enumerate(references[:200]):
        cells = [Cell(place + 1), Cell(reference.text[:2000], one_line(reference.text, 600))]
        cells += [Cell("right" if reference.correct else "wrong"), Cell("chosen" if place == chosen else "")]
        if chances:
            chance = chances[place] if place < len(chances) else None
            cells.append(Cell(chance, NOT_MEASURED if chance is None else f"{chance:.3g}"))
        cells += [Cell(reference.role)] if len(columns) > len(cells) else []
        rows.append(tuple(cells))
    notes = (f"{len(references) - 200:,} further options are not shown.",) if len(references) > 200 else ()
    return Grid("options", "Options and references", tuple(columns), tuple(rows), notes)


def changed(entry: Entry, index: Index, row: int, trial: Told) -> tuple[Piece, ...] | None:
    """What a copy changed of its original's input, word by word; `None` for an original and for texts too long to compare."""
    key = index.key(row)
    if key.perturbation is None:
        return None
    rows = [other for other in index.rows_of(key) if index.key(other).perturbation is None]
    if not rows:
        return None
    before = as_text(stored_text(rows_in_full(entry, rows[:1], ("input",))[0]["input"]))
    return word_diff(before, as_text(trial.trial.instance.input))


def _judge(trial: Told, show: Shower) -> Mapping[str, Any] | None:
    """Whom the answer was put to, in which words, and what came back."""
    judging = trial.judging
    if judging is None:
        return None
    prompt, response = judging.prompt, judging.response
    said = prompt if isinstance(prompt, str) else "\n".join(f"[{message.role}]\n{message.content}" for message in prompt)
    mark = trial.row["judged"]
    return {
        "name": judging.judge,
        "prompt": show("judge-prompt", said),
        "replies": [show(f"judge-{place}", completion.text) for place, completion in enumerate(response.completions[:AT_ONCE])],
        "failure": "" if response.failure is None else f"{response.failure.kind}: {response.failure.message}",
        "mark": "none that could be read" if mark is None else f"{mark:.3g} (0 to 1)",
    }


def _token_grids(shown: Iterable[Any]) -> dict[str, Grid]:
    """The tables of tokens, by the name of the text that they are of."""
    found = {}
    for request in shown:
        for output in request.outputs:
            if output.raw_tokens and not output.brief:
                name = f"tokens-{output.text.name}"
                caption = f"Tokens of request {output.request + 1}, {output.title.lower()}"
                found[output.text.name] = token_grid(name, caption, output.raw_tokens)
    return found


def every(catalog: Catalog) -> Iterable[Address]:
    """Some trials of each run: failed and wrong ones first, then right ones."""
    for entry in catalog.entries:
        with suppress(AssayError):  # what cannot be read is told by the pages of the run
            index = index_of(entry)
            for row in in_report(catalog, entry):
                yield trial_address(entry, index.key(row))


KIND = Kind("instance", "", "One trial: what exactly was asked and answered, and how it was read.", draw, every)
