"""The JUnit file of a gate keeps to the schema that its readers go by (JUnit's Ant task, Jenkins), whatever things are called.

The rules are those of the XML Schema of Ant's report and of the XML 1.0 recommendation (section 2.2), written out.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from xml.etree import ElementTree as xml

from hypothesis import given, settings
from hypothesis import strategies as st

from assay.decisions.gate_reports import as_junit
from assay.decisions.gating import Basis, Checked, Gate, Strictness

AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
SUITE = {"name", "package", "id", "tests", "failures", "errors", "time", "timestamp", "hostname"}
"""What the schema wants of a suite; `skipped` may be there too."""
HOSTILE = [
    "a<b>&\"'",
    "]]>",
    "\x00\x08\x1b[31m",
    "\ud800",
    "\ufffe\uffff",
    "\x85\u2028\u202e\u200b",
    "&#0;",
    "<!--",
    "é😀",
    "a\nb\tc\r",
]
texts = (st.text(st.characters(exclude_categories=())) | st.sampled_from(HOSTILE)).filter(str.strip)
numbers = st.none() | st.floats()
constraints = st.builds(
    Checked, constraint=texts, metric=st.just("exact_match"), unit=texts, limit=texts, threshold=st.floats(-1e9, 1e9),
    confidence=st.floats(0.5, 0.999), value=numbers, bound=numbers, passed=st.booleans(), missing=st.integers(0, 10**6),
    verdict=st.sampled_from(["met", "violated", "undetermined"]), more=st.none() | st.integers(1, 10**9), reason=texts,
)  # fmt: skip
asked = st.builds(Basis, scenario=texts, items=st.integers(0, 10**9), data=st.just("") | texts)
gates = st.builds(
    Gate, profile=texts, candidate=texts, passed=st.booleans(), constraints=st.lists(constraints, max_size=4).map(tuple),
    strictness=st.builds(Strictness, allow_expired=st.booleans()), runs=st.just(()),
    asked=st.lists(asked, max_size=2).map(tuple), expired=st.sampled_from(["", "2025-12-31"]),
    notes=st.lists(texts, max_size=2).map(tuple),
)  # fmt: skip


@settings(deadline=None, max_examples=150)
@given(gates)
def test_the_file_keeps_to_the_rules_of_its_schema(gate: Gate) -> None:
    written = as_junit(gate, AT)
    text = written.decode("utf-8")
    assert not ILLEGAL.search(text)
    root = xml.fromstring(written)
    assert (root.tag, root.attrib, [child.tag for child in root]) == ("testsuites", {}, ["testsuite"])
    (suite,) = root
    cases, tags = suite.findall("testcase"), [part.tag for part in suite]
    assert tags == ["properties", *["testcase"] * len(cases), "system-out", "system-err"]
    check_suite(suite)
    check_totals(suite, cases)
    for case in cases:
        check_case(case)
    for part in suite[0]:
        assert (part.tag, set(part.attrib), len(part)) == ("property", {"name", "value"}, 0)
        assert part.get("name")
    expired = bool(gate.expired) and not gate.strictness.allow_expired
    assert len(cases) == len(gate.constraints) + expired
    failed = [one.passed for one in gate.constraints].count(False) + expired
    assert [len(case) for case in cases].count(1) == failed


def check_suite(suite: xml.Element) -> None:
    assert SUITE <= set(suite.attrib) <= SUITE | {"skipped"}
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", suite.attrib["timestamp"])
    assert all(suite.attrib[name] for name in ("name", "package", "hostname"))
    assert suite.attrib["id"].isdigit()


def check_totals(suite: xml.Element, cases: list[xml.Element]) -> None:
    """Counts and time of a suite are those of its cases."""
    kinds = {"failures": "failure", "errors": "error", "skipped": "skipped"}
    for name, tag in kinds.items():
        assert int(suite.get(name, "0")) == len(suite.findall(f"testcase/{tag}"))
    assert int(suite.attrib["tests"]) == len(cases)
    assert float(suite.attrib["time"]) == sum(float(case.attrib["time"]) for case in cases)


def check_case(case: xml.Element) -> None:
    assert set(case.attrib) == {"name", "classname", "time"}
    assert case.get("name")
    assert case.get("classname")
    assert len(case) <= 1
    for outcome in case:
        assert (outcome.tag, set(outcome.attrib), len(outcome)) == ("failure", {"message", "type"}, 0)
        assert outcome.get("type")
        assert outcome.text == outcome.get("message")
        assert outcome.text
