"""A decision as tables, which stand below its words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.comparison.results import Difference
from assay.decisions.contract_notes import differences_in
from assay.decisions.pages import Bullets, Heading, markdown
from assay.decisions.reading_out import BOUND, held_in_words, percent
from assay.decisions.results import Decision, Held, Standing
from assay.tables import NOT_MEASURED, Table, format_estimate

ACCEPTABLE = {"met": "yes", "violated": "no", "undetermined": "not known"}
HOW_TO_READ = (
    "[…]: 95 % interval. Worth: weighted, from 0 (unacceptable) to 1 (fully satisfying), at the middle of the allowed weights.",
    "First: share of draws, over allowed weights and noise, in which it is worth most. Front: nobody is better in everything.",
    "Regret: the most worth that is lost against whoever is best, at any allowed weights.",
)


def decision_tables(found: Decision) -> list[Table]:
    """The tables of a decision, in reading order."""
    tables = [_candidates(found), *_constraints(found.standings), *_weights(found), *_tradeoffs(found)]
    differing, notes = differences_in(found.notes, [standing.candidate for standing in found.standings])
    tables[-1].notes.extend(notes)
    return [*tables, *_differing(differing, found.standings)]


def differing_rows(differing: Sequence[Difference], candidates: Sequence[str]) -> list[list[str]]:
    """A row for each key that candidates were asked otherwise in: scenario, key, and each candidate's value."""
    return [[each.scenario, each.key, *(each.values.get(name, "…") for name in candidates)] for each in differing]


def _differing(differing: Sequence[Difference], standings: Sequence[Standing]) -> Iterator[Table]:
    candidates = [standing.candidate for standing in standings]
    if differing:
        header = ["scenario", "key", *candidates]
        note = "What separates the candidates may be the way of asking."
        yield Table("Not asked alike", header, differing_rows(differing, candidates), keys=len(header), notes=[note])


def as_markdown(title: str, found: Decision) -> str:
    """Words and tables in Markdown; no text of others in it can become markup."""
    words = markdown([Heading(title, 1), Bullets(found.words)])
    return "\n".join([words, *(table.markdown() for table in decision_tables(found))])


def _candidates(found: Decision) -> Table:
    measures = found.standings[0].measurements if found.standings else ()
    named = [f"{measure.measure}, {measure.unit}" if measure.unit else measure.measure for measure in measures]
    rows = [[standing.candidate, ACCEPTABLE[standing.acceptable], *_standing(standing)] for standing in found.standings]
    header = ["candidate", "acceptable", "worth", "first", "front", "regret", *named]
    return Table("Candidates", header, rows, notes=list(HOW_TO_READ))


def _standing(standing: Standing) -> list[str]:
    front, fared = standing.dominance, standing.acceptability
    return [
        format_estimate(standing.worth) if standing.worth else NOT_MEASURED,
        percent(fared.ranks[0]) if fared else NOT_MEASURED,
        _front(front.on_front, front.non_dominated) if front else NOT_MEASURED,
        f"{fared.regret:.2f}" if fared else NOT_MEASURED,
        *(format_estimate(held.estimate) if held.estimate else NOT_MEASURED for held in standing.measurements),
    ]


def _front(there: bool, share: float) -> str:
    return f"{'yes' if there else 'no'} ({percent(share)})"


def _constraints(standings: Sequence[Standing]) -> Iterator[Table]:
    rows = [[standing.candidate, *_held(held)] for standing in standings for held in standing.constraints]
    if rows:
        header = ["candidate", "constraint", "limit", "value", "bound", "at confidence", "verdict", "more cases needed"]
        note = f"{BOUND} More cases: if the value stays what it is."
        yield Table("Constraints", header, rows, keys=2, notes=[note])


def _held(held: Held) -> list[str]:
    value, bound = (text or NOT_MEASURED for text in held_in_words(held))
    more = "" if held.more is None else f"about {held.more:,}"
    return [held.constraint, held.limit, value, bound, f"{100 * held.confidence:g} %", held.verdict, more]


def _weights(found: Decision) -> Iterator[Table]:
    flips = {flip.criterion: flip for flip in found.flips}
    rows = []
    for criterion, share in found.weights.items():
        flip = flips.get(criterion)
        moved = [NOT_MEASURED] * 4
        if flip is not None:
            moved = [f"{flip.low:.3f}", f"{flip.high:.3f}", flip.below or "nobody", flip.above or "nobody"]
        rows.append([criterion, f"{share:.3f}", *moved])
    if not rows:
        return
    title = f"Weights, and between which {found.recommended} stays first" if flips else "Weights"
    notes = []
    if flips:
        notes.append("One share moves, the others keep their proportions; by the measured values.")
        least = "No weights make another candidate first."
        if found.distance is not None:
            least = f"The smallest change that makes another candidate first moves {found.distance:.3f} of all weight."
        notes.append(least)
    yield Table(title, ["criterion", "share", "from", "to", "first below", "first above"], rows, notes=notes)


def _tradeoffs(found: Decision) -> Iterator[Table]:
    if len(found.tradeoffs) < 2:
        return
    rows = [
        [held.against, "; ".join(held.gains) or "nothing", "; ".join(held.gives_up) or "nothing", percent(held.preferred)]
        for held in found.tradeoffs
    ]
    header = [f"{found.recommended} against", "gains", "gives up", "preferred"]
    note = f"Preferred: the share of draws in which {found.recommended} is worth more."
    yield Table("What is gained and given up", header, rows, keys=3, notes=[note])
