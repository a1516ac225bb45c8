"""What a gate says, as people and machines read it: a table, Markdown, JUnit XML."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from assay.decisions.gating import Checked, Gate
from assay.decisions.pages import Bullets, Heading, Paragraph, Rows, markdown
from assay.decisions.reading_out import with_unit
from assay.tables import NOT_MEASURED, Table
from assay.text import one_line

HEADER = ("constraint", "limit", "value", "bound", "at confidence", "verdict", "passed")
NOTE = "Bound: the one-sided bound, at that confidence, on the side that would break the limit."


def verdict_in_words(gate: Gate) -> str:
    """The gate in a sentence."""
    count, failed = len(gate.constraints), len(gate.failed)
    of_all = f"of {count} {'constraint' if count == 1 else 'constraints'}"
    if failed:
        return f"{gate.candidate} does not pass: {failed} {of_all} not shown to be met"
    left_open = sum(checked.verdict != "met" for checked in gate.constraints)
    allowed = f", {left_open} undetermined, which was allowed" if left_open else ""
    return f"{gate.candidate} passes: {count - left_open} {of_all} shown to be met{allowed}"


def sentences(gate: Gate) -> Iterator[str]:
    """What there is to say of single constraints: whatever did not pass, and whatever stands behind a verdict."""
    for checked in gate.constraints:
        if not checked.passed or checked.reason or checked.verdict != "met":
            yield in_words(checked)


def in_words(checked: Checked) -> str:
    """`fast enough: undetermined: 1.7 s, bound 2.2 s, at most 2 s at 95 % (about 40 more instances would settle it)`."""
    numbers = [_number(checked.value, checked.unit)]
    numbers += [f"bound {_number(checked.bound, checked.unit)}"] if checked.bound is not None else []
    behind = [checked.reason] if checked.reason else []
    if checked.more is not None and checked.verdict == "undetermined":
        behind.append(f"about {checked.more:,} more {'instance' if checked.more == 1 else 'instances'} would settle it")
    said = f"{', '.join(numbers)}; the limit is {checked.limit}, to be shown at {_percent(checked)}"
    measured = "" if checked.verdict == "not measured" else f": {said}"
    return f"{checked.constraint}: {checked.verdict}{measured}" + (f" ({'; '.join(behind)})" if behind else "")


def gate_table(gate: Gate) -> Table:
    """The constraints, a row each."""
    title = f"{gate.profile} · {gate.candidate}"
    return Table(title, list(HEADER), [_row(checked) for checked in gate.constraints], notes=[NOTE])


def _row(checked: Checked) -> list[str]:
    numbers = [_number(number, checked.unit) for number in (checked.value, checked.bound)]
    passed = "yes" if checked.passed else "no"
    return [checked.constraint, checked.limit, *numbers, _percent(checked), checked.verdict, passed]


def _number(number: float | None, unit: str) -> str:
    return NOT_MEASURED if number is None else with_unit(f"{number:.3g}", unit)


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
        ]
    )


def as_junit(gate: Gate, at: datetime) -> bytes:
    """One test suite with a test case for each constraint, as JUnit's Ant task writes them.

    The schemas that are in use allow properties of a suite only, so those of a constraint have its name before them.

    Args:
        gate: what the gate said.
        at: when, in UTC.
    """
    from xml.etree import ElementTree as xml

    root = xml.Element("testsuites")
    counts = {"tests": str(len(gate.constraints)), "failures": str(len(gate.failed)), "errors": "0", "time": "0"}
    suite = xml.SubElement(root, "testsuite", {"name": _fit(gate.profile), "package": "assay.gate", "id": "0", **counts})
    suite.set("timestamp", at.strftime("%Y-%m-%dT%H:%M:%S"))
    suite.set("hostname", "localhost")
    properties = xml.SubElement(suite, "properties")
    for name, value in _properties(gate):
        xml.SubElement(properties, "property", {"name": _fit(name), "value": _fit(value)})
    for checked in gate.constraints:
        case = xml.SubElement(
            suite, "testcase", {"name": _fit(checked.constraint), "classname": _fit(gate.candidate), "time": "0"}
        )
        if not checked.passed:
            words = _fit(in_words(checked))
            xml.SubElement(case, "failure", {"message": words, "type": checked.verdict}).text = words
    xml.SubElement(suite, "system-out").text = _fit(verdict_in_words(gate))
    xml.SubElement(suite, "system-err")
    xml.indent(root)
    written: bytes = xml.tostring(root, encoding="utf-8", xml_declaration=True)
    return written + b"\n"


def _properties(gate: Gate) -> Iterator[tuple[str, str]]:
    yield "candidate", gate.candidate
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
