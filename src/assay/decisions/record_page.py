"""A decision record as a page: everything in it, for people who do not read JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from assay.decisions.contract_notes import differences_in
from assay.decisions.keys import fingerprint_of
from assay.decisions.pages import Block, Bullets, Code, Heading, Paragraph, Quote, Rows
from assay.decisions.reading_out import held_in_words, percent
from assay.decisions.record import Choice, DecisionRecord
from assay.decisions.results import Decision, Held, Measurement, Standing
from assay.decisions.shortfalls import shortfalls
from assay.decisions.shown import differing_rows
from assay.records import Estimate
from assay.tables.numbers import NOT_MEASURED, format_estimate

VERDICTS = {
    "recommended": "one candidate is recommended",
    "not separated": "the evidence does not separate the best candidates",
    "none acceptable": "no candidate is acceptable",
    "undetermined": "no candidate is known to keep every constraint",
}


def record_page(record: DecisionRecord) -> list[Block]:
    """The record as blocks, in the order in which one asks: what, why, how sure, on which evidence, who answers for it."""
    decision = record.decision
    return [
        Heading(f"Decision: {record.name}", 1),
        Rows(list(_summary(record))),
        Heading("In words"),
        Bullets(decision.words) if decision.words else Paragraph("Nothing was said."),
        *_choice(record),
        Heading("Measurements"),
        Paragraph(f"Each number with its 95 % interval; {NOT_MEASURED}: not measured. Worth runs from 0 to 1."),
        Rows(list(_measurements(decision.standings)), MEASUREMENTS),
        *_constraints(decision.standings),
        Heading("How the candidates stand"),
        Rows([_standing(standing) for standing in decision.standings], STANDINGS),
        *_dominance(decision.standings),
        *_weights(decision, [criterion.name for criterion in record.profile.criteria]),
        *_tradeoffs(decision),
        Heading("Method"),
        Rows(sorted(decision.method.items())) if decision.method else Paragraph("None was named."),
        *_notes(decision),
        Heading("Evidence"),
        Paragraph("The SHA-256 of a run's manifest.json, which holds those of all its files."),
        Rows([(e.candidate, e.scenario, e.folder, e.run, e.manifest) for e in record.evidence], EVIDENCE),
        Heading("Computed with"),
        Rows(sorted(record.environment.items())) if record.environment else Paragraph("Not recorded."),
        Heading("The profile as it was written"),
        Code(record.profile_file),
        *_signatures(record),
    ]


MEASUREMENTS = ("candidate", "measure", "metric", "value", "unit", "better", "answers", "clusters", "worth")
STANDINGS = (
    "candidate", "acceptable", "worth", "on the front", "non-dominated", "share of each rank", "confidence", "regret",
    "expected regret", "cost of an answer",
)  # fmt: skip
EVIDENCE = ("candidate", "scenario", "folder", "run", "manifest")


def _summary(record: DecisionRecord) -> Iterator[tuple[str, str]]:
    deployment, decision = record.profile.deployment, record.decision
    yield "Status", VERDICTS[decision.status]
    yield "Recommended", decision.recommended or "none"
    if len(decision.contenders) > 1:
        yield "Not separated", ", ".join(decision.contenders)
    yield "Chosen", _chosen(record.choice)
    for line in _shortfalls(record):
        yield "The chosen one", line
    yield "Owner", deployment.owner
    yield "Context", deployment.context
    yield "Affected", ", ".join(deployment.affected) or "nobody was named"
    yield "Made", record.created or "not said"
    yield "To be reviewed by", record.review or "not said"
    yield "Holds until", record.expires or "not said"
    yield "Digest", record.digest


def _chosen(choice: Choice | None) -> str:
    if choice is None:
        return "not yet"
    return f"{choice.chosen or 'no candidate'}, by {choice.by}"


def _shortfalls(record: DecisionRecord) -> list[str]:
    return shortfalls(record.decision, record.choice.chosen) if record.choice else []


def _choice(record: DecisionRecord) -> list[Block]:
    if record.choice is None:
        return []
    blocks: list[Block] = [Heading("What was chosen, and why"), Paragraph(_chosen(record.choice))]
    if lines := _shortfalls(record):
        blocks.append(Bullets(lines))
    blocks += _reasons(record.choice)
    if record.earlier:
        blocks += [
            Heading("Choices that were replaced", 3),
            Paragraph("The first one first; the numbers may have been others."),
        ]
    for earlier in record.earlier:
        blocks += [Paragraph(_chosen(earlier)), *_reasons(earlier)]
    return blocks


def _reasons(choice: Choice) -> list[Block]:
    blocks: list[Block] = [Quote(choice.rationale)]
    return blocks + [Paragraph("Dissent:"), Quote(choice.dissent)] if choice.dissent else blocks


def _measurements(standings: Sequence[Standing]) -> Iterator[tuple[str, ...]]:
    for standing in standings:
        for measured in standing.measurements:
            yield (standing.candidate, *_measurement(measured))


def _measurement(measured: Measurement) -> tuple[str, ...]:
    estimate = measured.estimate
    counts = (str(estimate.n), str(estimate.clusters)) if estimate else (NOT_MEASURED, NOT_MEASURED)
    named = (measured.measure, measured.metric, _estimate(estimate), measured.unit, measured.better)
    return (*named, *counts, _number(measured.worth))


def _constraints(standings: Sequence[Standing]) -> list[Block]:
    rows = [(standing.candidate, *_held(held)) for standing in standings for held in standing.constraints]
    if not rows:
        return [Heading("Constraints"), Paragraph("The profile has none.")]
    header = ("candidate", "constraint", "limit", "how sure it must be", "value", "bound", "verdict", "more instances needed")
    return [Heading("Constraints"), Rows(rows, header)]


def _held(held: Held) -> tuple[str, ...]:
    more = "" if held.more is None else f"about {held.more}"
    numbers = (text or NOT_MEASURED for text in held_in_words(held))
    return (held.constraint, held.limit, f"{held.confidence:g}", *numbers, held.verdict, more)


def _standing(standing: Standing) -> tuple[str, ...]:
    front, accepted = standing.dominance, standing.acceptability
    place = ("yes" if front.on_front else "no", percent(front.non_dominated)) if front else (NOT_MEASURED, NOT_MEASURED)
    fared = (
        (
            ", ".join(map(percent, accepted.ranks)),
            NOT_MEASURED if accepted.confidence is None else percent(accepted.confidence),
            _number(accepted.regret),
            _number(accepted.expected_regret),
            _estimate(accepted.cost),
        )
        if accepted
        else (NOT_MEASURED,) * 5
    )
    verdict = {"met": "yes", "violated": "no", "undetermined": "not known"}[standing.acceptable]
    return (standing.candidate, verdict, _estimate(standing.worth), *place, *fared)


def _dominance(standings: Sequence[Standing]) -> list[Block]:
    rows = [
        (standing.candidate, other, percent(share))
        for standing in standings
        if standing.dominance
        for other, share in standing.dominance.dominates.items()
    ]
    return [Rows(rows, ("candidate", "dominates", "share of resamples"))] if rows else []


def _in_order(weights: Mapping[str, float], criteria: Sequence[str]) -> list[tuple[str, float]]:
    """Criteria with their weights as the profile names them, however a file sorts its keys."""
    order = (*criteria, *weights)
    return sorted(weights.items(), key=lambda held: order.index(held[0]))


def _weights(decision: Decision, criteria: Sequence[str]) -> list[Block]:
    if not decision.weights:
        return []
    central = [
        (standing.candidate, name, f"{share:.2f}")
        for standing in decision.standings
        if standing.acceptability and standing.acceptability.central_weights
        for name, share in _in_order(standing.acceptability.central_weights, criteria)
    ]
    flips = [
        (
            flip.criterion,
            f"{flip.share:.3f}",
            f"{flip.low:.3f}",
            f"{flip.high:.3f}",
            flip.below or "nobody",
            flip.above or "nobody",
        )
        for flip in decision.flips
    ]
    header = ("criterion", "share now", "stays first from", "to", "first below that", "first above that")
    distance = "No weights make another candidate first."
    if decision.distance is not None:
        distance = (
            f"The smallest change of weights that makes another candidate first moves {decision.distance:.3f} of all weight."
        )
    blocks: list[Block] = [
        Heading("Weights"),
        Rows([(name, f"{share:.3f}") for name, share in _in_order(decision.weights, criteria)], ("criterion", "share")),
    ]
    if flips:
        blocks += [
            Paragraph("How far each share may move before the choice changes:"),
            Rows(flips, header),
            Paragraph(distance),
        ]
    if central:
        blocks += [
            Paragraph("The weights that favour each candidate:"),
            Rows(central, ("candidate", "criterion", "mean share")),
        ]
    return blocks


def _tradeoffs(decision: Decision) -> list[Block]:
    blocks: list[Block] = [Heading("Gained and given up")] if decision.tradeoffs else []
    for tradeoff in decision.tradeoffs:
        blocks.append(Heading(f"{decision.recommended} against {tradeoff.against}", 3))
        said = [f"gains: {text}" for text in tradeoff.gains]
        said += [f"gives up: {text}" for text in tradeoff.gives_up]
        said += [f"the same: {text}" for text in tradeoff.same]
        said.append(f"worth more in {percent(tradeoff.preferred)} of draws over weights and noise")
        blocks.append(Bullets([*said, *([tradeoff.would_change] if tradeoff.would_change else [])]))
    return blocks


def _notes(decision: Decision) -> list[Block]:
    candidates = [standing.candidate for standing in decision.standings]
    differing, notes = differences_in(decision.notes, candidates)
    blocks: list[Block] = [Heading("To know"), Bullets(notes)] if notes else []
    if differing:
        told = "What separates the candidates may be the way of asking."
        rows = differing_rows(differing, candidates)
        blocks += [Heading("Not asked alike"), Paragraph(told), Rows(rows, ("scenario", "key", *candidates))]
    return blocks


def _signatures(record: DecisionRecord) -> list[Block]:
    if not record.signatures:
        return [Heading("Signatures"), Paragraph("Nobody has signed this record.")]
    rows = [(one.name, one.role, one.at, one.statement, fingerprint_of(one.public_key)) for one in record.signatures]
    return [
        Heading("Signatures"),
        Rows(rows, ("name", "role", "at", "statement", "key")),
        Paragraph("This page shows signatures and does not check them: assay verify does."),
    ]


def _estimate(estimate: Estimate | None) -> str:
    return format_estimate(estimate) if estimate else NOT_MEASURED


def _number(number: float | None) -> str:
    return NOT_MEASURED if number is None else f"{number:.3g}"
