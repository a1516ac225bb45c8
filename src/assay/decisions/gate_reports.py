"""What a gate says, as people and machines read it: a table, Markdown, JUnit XML."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from assay.decisions.gating import Checked, Gate
from assay.decisions.pages import Bullets, Heading, Paragraph, Rows, markdown
from assay.decisions.reading_out import BOUND, beside_limit, with_unit
from assay.tables import NOT_MEASURED, Table
from assay.text import one_line

HEADER = ("constraint", "limit", "value", "bound", "at confidence", "verdict", "passed")
NOTE = BOUND
SHORT = 12
"""Characters of a digest that a line shows."""
HOLDS = "the profile holds"
"""The name of the test case, beside those of the constraints, that fails where a profile has expired."""


def verdict_in_words(gate: Gate) -> str:
    """The gate in a sentence."""
    count, failed = len(gate.constraints), len(gate.failed)
    of_all = f"of {count} {'constraint' if count == 1 else 'constraints'}"
    expired = f"the profile expired on {gate.expired}" if gate.expired else ""
    if not gate.passed:
        against = [expired] if expired and not gate.strictness.allow_expired else []
        against += [f"{failed} {of_all} not shown to be met"] if failed else []
        return f"{gate.candidate} does not pass: {'; '.join(against)}"
    left_open = sum(checked.verdict != "met" for checked in gate.constraints)
    allowed = [f"{left_open} undetermined, which was allowed"] if left_open else []
    allowed += [f"{expired}, which was allowed"] if expired else []
    return "; ".join([f"{gate.candidate} passes: {count - left_open} {of_all} shown to be met", *allowed])


def sentences(gate: Gate) -> Iterator[str]:
    """What there is to say of the profile, of runs, and of constraints that did not pass or have a reason to be told."""
    yield from gate.notes
    for checked in gate.constraints:
        if not checked.passed or checked.reason or checked.verdict != "met":
            yield in_words(checked)


def in_words(checked: Checked) -> str:
    """`fast enough: undetermined: 1.7 s, bound 2.2 s, at most 2 s at 95 % (about 40 more instances would settle it)`."""
    numbers = [_number(checked, checked.value)]
    numbers += [f"bound {_number(checked, checked.bound)}"] if checked.bound is not None else []
    behind = [checked.reason] if checked.reason else []
    if checked.more is not None and checked.verdict == "undetermined":
        behind.append(f"about {checked.more:,} more {'instance' if checked.more == 1 else 'instances'} would settle it")
    said = f"{', '.join(numbers)}; the limit is {checked.limit}, to be shown at {_percent(checked)}"
    measured = "" if checked.value is None else f": {said}"
    return f"{checked.constraint}: {checked.verdict}{measured}" + (f" ({'; '.join(behind)})" if behind else "")


def gate_table(gate: Gate) -> Table:
    """The constraints, a row each."""
    title = f"{gate.profile} · {gate.candidate}"
    return Table(title, list(HEADER), [_row(checked) for checked in gate.constraints], notes=[NOTE, *asked(gate)])


def asked(gate: Gate) -> list[str]:
    """What the constraints were checked on, a line for each scenario: `capitals: 60 items, data 3f0c9a1b2d4e`."""
    return [f"{one.scenario}: {one.items:,} items, data {one.data[:SHORT] or 'without a digest'}" for one in gate.asked]


def _row(checked: Checked) -> list[str]:
    numbers = [_number(checked, number) for number in (checked.value, checked.bound)]
    passed = "yes" if checked.passed else "no"
    return [checked.constraint, checked.limit, *numbers, _percent(checked), checked.verdict, passed]


def _number(checked: Checked, number: float | None) -> str:
    return NOT_MEASURED if number is None else with_unit(beside_limit(number, checked.threshold), checked.unit)


def _percent(checked: Checked) -> str:
    return f"{100 * checked.confidence:g} %"


def as_markdown(gate: Gate) -> str:
    """A summary for a CI system's page."""
    told = list(sentences(gate))
    return markdown(
        [
            Heading(f"{gate.profile}: {verdict_in_words(gate)}", 2),
            Rows([_row(checked) for checked in gate.constraints], HEADER),
            *([Bullets(told)] if told else []),
            Paragraph(NOTE),
            *map(Paragraph, asked(gate)),
        ]
    )


def as_junit(gate: Gate, at: datetime) -> bytes:
    """One test suite with a test case for each constraint, as JUnit's Ant task writes them.

    Where the profile has expired and that is not allowed, there is a failing one more.
    The schemas that are in use allow properties of a suite only, so those of a constraint have its name before them.

    Args:
        gate: what the gate said.
        at: when, in UTC.
    """
    from xml.etree import ElementTree as xml

    root = xml.Element("testsuites")
    cases: list[tuple[str, str, str]] = [
        (checked.constraint, "" if checked.passed else in_words(checked), checked.verdict) for checked in gate.constraints
    ]
    if gate.expired and not gate.strictness.allow_expired:
        cases.append((HOLDS, f"the profile expired on {gate.expired}", "expired"))
    failures = sum(bool(words) for _, words, _ in cases)
    counts = {"tests": str(len(cases)), "failures": str(failures), "errors": "0", "time": "0"}
    suite = xml.SubElement(root, "testsuite", {"name": _fit(gate.profile), "package": "assay.gate", "id": "0", **counts})
    suite.set("timestamp", at.strftime("%Y-%m-%dT%H:%M:%S"))
    suite.set("hostname", "localhost")
    properties = xml.SubElement(suite, "properties")
    for name, value in _properties(gate):
        xml.SubElement(properties, "property", {"name": _fit(name), "value": _fit(value)})
    for name, words, kind in cases:
        case = xml.SubElement(suite, "testcase", {"name": _fit(name), "classname": _fit(gate.candidate), "time": "0"})
        if words:
            xml.SubElement(case, "failure", {"message": _fit(words), "type": kind}).text = _fit(words)
    xml.SubElement(suite, "system-out").text = "\n".join(map(_fit, (verdict_in_words(gate), *gate.notes)))
    xml.SubElement(suite, "system-err")
    xml.indent(root)
    written: bytes = xml.tostring(root, encoding="utf-8", xml_declaration=True)
    return written + b"\n"


def _properties(gate: Gate) -> Iterator[tuple[str, str]]:
    yield "candidate", gate.candidate
    for one in gate.asked:
        yield f"{one.scenario}: items", str(one.items)
        yield f"{one.scenario}: data", one.data
    for checked in gate.constraints:
        numbers = {"value": checked.value, "bound": checked.bound}
        for name, number in numbers.items():
            yield f"{checked.constraint}: {name}", "" if number is None else repr(number)
        yield f"{checked.constraint}: limit", checked.limit
        yield f"{checked.constraint}: confidence", repr(checked.confidence)
        yield f"{checked.constraint}: verdict", checked.verdict
        yield f"{checked.constraint}: missing", str(checked.missing)


def _fit(text: str) -> str:
    """On one line, and without the characters that XML cannot hold: they become visible escapes."""
    return one_line(text)
