"""Records that rest on a metric which is not installed here: what can be compared of them is, and the rest must follow."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay import registry
from assay.decisions.deciding import decide
from assay.decisions.following import contradictions
from assay.decisions.measuring import measure
from assay.decisions.packing import make_pack, write_pack
from assay.decisions.profile import Constraint, Criterion, Value
from assay.decisions.reading import parse_profile
from assay.decisions.record import DecisionRecord
from assay.decisions.recording import make_record, read_record, sealed, write_record
from assay.decisions.verification import Verifier
from assay.errors import AssayError
from decision_helpers import measured, profile, shares
from scored_runs import Said, scored_run

pytestmark = pytest.mark.slow

GONE = "ece_10_bin"
WRONG = {"m/60": 40, "m/80": 20, "m/90": 2}
TEXT = """name: Which
deployment: {owner: Ana, context: sorts}
runs: [runs/s]
criteria:
  - {name: right, metric: exact_match, weight: [1, 2], value: {unacceptable: 0.2, satisfying: 0.95}}
  - {name: honest, metric: ece_10_bin, weight: 1, value: {unacceptable: 0.6, satisfying: 0}}
constraints:
  - {name: enough, metric: exact_match, at_least: 0.7}
  - {name: fast, metric: latency_s, at_most: 1.5}
  - {name: sober, metric: ece_10_bin, at_most: 0.7}
"""


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A record, where one of its metrics is not installed any more."""
    for name, wrong in WRONG.items():
        said = [Said(item, "no" if item < wrong else "yes", latency_s=1 + item % 7 / 20, confidence=0.9) for item in range(100)]
        scored_run(tmp_path / "runs" / "s", name, said, metrics=(GONE, "latency_s"))
    wanted = parse_profile(TEXT, tmp_path / "p.yaml")
    held = measure(wanted, tmp_path)
    file = tmp_path / "p.decision.json"
    write_record(make_record(wanted, TEXT, held, decide(wanted, held), file), file)
    monkeypatch.setattr(registry.metrics, "_things", {k: v for k, v in registry.metrics._things.items() if k != GONE})
    return file


def problems(path: Path) -> list[str]:
    return [problem for one in Verifier().anything(path) for problem in one.problems]


def forged(path: Path, change: Callable[[dict[str, Any]], None]) -> list[str]:
    plain = msgspec.json.decode(msgspec.json.encode(read_record(path)))
    change(plain)
    write_record(sealed(msgspec.convert(plain, DecisionRecord)), path)
    return problems(path)


def standing(plain: dict[str, Any], name: str) -> dict[str, Any]:
    found: dict[str, Any] = next(one for one in plain["decision"]["standings"] if one["candidate"] == name)
    return found


def test_the_honest_record_passes_and_says_what_was_not_computed(path: Path) -> None:
    record = next(one for one in Verifier().anything(path) if one.kind == "record")
    assert (record.problems, record.partial) == ([], True)
    assert any(f"not computed again, as {GONE} is not installed here" in note for note in record.notes)
    assert read_record(path).decision.recommended == "m/90"


def test_a_metric_that_no_run_measured_is_none_that_anybody_decided_by(path: Path) -> None:
    def renamed(plain: dict[str, Any]) -> None:
        plain["profile_file"] = plain["profile_file"].replace("metric: ece_10_bin, at_most", "metric: house, at_most")
        plain["profile"]["constraints"][2]["metric"] = "house"
        for one in plain["decision"]["standings"]:
            one["measurements"][4]["metric"] = "house"

    assert any("profile: 'sober': no run of the evidence measured 'house'" in problem for problem in forged(path, renamed))


def verdict(plain: dict[str, Any]) -> None:
    standing(plain, "m/60")["constraints"][0]["verdict"] = "met"
    standing(plain, "m/60")["acceptable"] = "met"


def bound(plain: dict[str, Any]) -> None:
    standing(plain, "m/90")["constraints"][1]["bound"] = 1.17


def gone_verdict(plain: dict[str, Any]) -> None:
    standing(plain, "m/90")["constraints"][2]["verdict"] = "violated"


def gone_value(plain: dict[str, Any]) -> None:
    standing(plain, "m/90")["measurements"][1]["estimate"]["value"] = 0.001


def gone_worth(plain: dict[str, Any]) -> None:
    standing(plain, "m/60")["measurements"][1]["worth"] = 1.0


def unit(plain: dict[str, Any]) -> None:
    standing(plain, "m/60")["measurements"][0]["unit"] = "of a hundred"


def unmeasured(plain: dict[str, Any]) -> None:
    standing(plain, "m/60")["measurements"][1] |= {"estimate": None, "worth": None}


def acceptable(plain: dict[str, Any]) -> None:
    standing(plain, "m/90")["acceptable"] = "undetermined"


def recommended(plain: dict[str, Any]) -> None:
    plain["decision"] |= {"recommended": "m/80", "contenders": ["m/80"]}


def words(plain: dict[str, Any]) -> None:
    plain["decision"]["words"][0] = "Choose m/60."


def more_words(plain: dict[str, Any]) -> None:
    plain["decision"]["words"].append("m/80 is known to leak secrets.")


def fewer_words(plain: dict[str, Any]) -> None:
    plain["decision"]["words"].pop()


def order(plain: dict[str, Any]) -> None:
    plain["decision"]["standings"].reverse()


def weights(plain: dict[str, Any]) -> None:
    plain["decision"]["weights"] = {"right": 0.1, "honest": 0.9}


def ranks(plain: dict[str, Any]) -> None:
    standing(plain, "m/90")["acceptability"]["ranks"][0] = 0.0


def worth(plain: dict[str, Any]) -> None:
    standing(plain, "m/90")["worth"]["value"] = 0.999


def tradeoffs(plain: dict[str, Any]) -> None:
    plain["decision"]["tradeoffs"] = [{**plain["decision"]["tradeoffs"][0], "against": "m/60"}]


def seed(plain: dict[str, Any]) -> None:
    plain["decision"]["method"]["seed"] = "4"


def test_what_would_separate_candidates_is_said_in_words_that_are_known(path: Path) -> None:
    record = read_record(path)
    words = ("m/80 is ahead, but the evidence does not separate m/80 and m/90.", *record.decision.words[1:])
    for said, right in ((record.decision.words, True), (words, False), (("Choose m/80.", *words[1:]), False)):
        decision = msgspec.structs.replace(record.decision, words=said)
        assert (not list(contradictions(decision, record.profile))) == right


FORGERIES = [
    (verdict, "constraints.enough.verdict is 'met', recomputed 'violated'"),
    (bound, "constraints.fast.bound is 1.17, recomputed "),
    (gone_verdict, "m/90: the verdict on 'sober' is not that of its numbers"),
    (gone_value, "m/90: honest is 0.001, in the estimates of its run 0.0"),
    (gone_worth, "m/60: the worth of 'honest' is 1.0, of its value "),
    (unit, "measurements.right.unit is 'of a hundred'"),
    (unmeasured, "m/60: honest is nothing, in the estimates of its run "),
    (acceptable, "m/90: acceptable is 'undetermined', by its verdicts 'met'"),
    (recommended, "decision: 'recommended' with 'm/80' does not follow from who is acceptable"),
    (words, "decision.words do not follow from its numbers: Choose m/60."),
    (more_words, "decision.words do not follow from its numbers: m/80 is known to leak secrets."),
    (fewer_words, "decision.words do not follow from its numbers"),
    (order, "decision.standings: not in the order of verdicts and worths"),
    (weights, "decision.weights are "),
    (ranks, "m/90: its shares of the ranks do not sum to 1"),
    (worth, "m/90: worth is 0.999, of its criteria's worths "),
    (tradeoffs, "decision.tradeoffs: not against the other candidates that may be chosen"),
    (seed, "decision.method: seed is '4', by the profile '0'"),
]


@pytest.mark.parametrize(("forge", "named"), FORGERIES, ids=[forge.__name__ for forge, _ in FORGERIES])
def test_what_does_not_follow_is_named_though_a_metric_is_not_here(
    forge: Callable[[dict[str, Any]], None], named: str, path: Path
) -> None:
    found = forged(path, forge)
    assert any(named in problem for problem in found), found


HIDDEN = [each for each in FORGERIES if each[0] not in (bound, seed)]


@pytest.mark.parametrize("forge", [forge for forge, _ in HIDDEN], ids=[forge.__name__ for forge, _ in HIDDEN])
def test_of_a_pack_with_hidden_answers_the_decision_must_follow_from_its_numbers(
    forge: Callable[[dict[str, Any]], None], path: Path, tmp_path: Path
) -> None:
    assert make_pack(path, tmp_path / "honest.zip", ("completion",)) is not None
    assert problems(tmp_path / "honest.zip") == []
    forged(path, forge)
    with pytest.raises(AssayError, match=r"p\.decision\.json: decision"):
        make_pack(path, tmp_path / "forged.zip", ("completion",))
    write_pack(read_record(path), path, tmp_path / "forged.zip", ("completion",))
    assert any("record.json: decision" in problem for problem in problems(tmp_path / "forged.zip"))


CURVE = Value(unacceptable=0.2, satisfying=0.9, points=((0.5, 0.6),))


@settings(max_examples=60, deadline=None)
@given(
    rights=st.lists(st.tuples(st.integers(0, 40), st.one_of(st.none(), st.integers(0, 40))), min_size=1, max_size=4),
    weight=st.sampled_from([1.0, (1.0, 3.0), None]),
    limit=st.one_of(st.none(), st.floats(0.05, 0.95)),
    ranked=st.booleans(),
)
def test_honest_decisions_contradict_nothing(
    rights: list[tuple[int, int | None]], weight: Any, limit: float | None, ranked: bool
) -> None:
    criteria = [
        Criterion(name="right", metric="exact_match", weight=weight, value=CURVE),
        Criterion(name="nearly", metric="quasi_exact_match", weight=1.0 if weight is not None else None),
    ]
    limits = [] if limit is None else [Constraint(name="enough", metric="exact_match", at_least=limit)]
    wanted = profile(criteria if ranked else [], limits or [Constraint(name="some", metric="exact_match", at_least=0.01)])
    both = [[shares(right, 40), None if other is None else shares(other, 40)] for right, other in rights]
    answers = {f"m{place}": [*(lists if ranked else []), lists[0]] for place, lists in enumerate(both)}
    assert list(contradictions(decide(wanted, measured(wanted, answers)), wanted)) == []


PARTS = """name: Which
deployment: {owner: Ana, context: sorts}
runs: [runs/s]
criteria:
  - {name: right, metric: exact_match, weight: 1, value: {unacceptable: 0.2, satisfying: 0.95}}
constraints:
  - {name: in the north, metric: exact_match, subgroup: region=north, at_least: 0.5}
  - {name: fast, metric: latency_s, at_most: 1.5}
  - {name: sober there, metric: ece_10_bin, subgroup: region=north, at_most: 0.7}
  - {name: typos, metric: exact_match, on: worst, perturbation: typos, at_least: 0.3}
"""


def answers_of(wrong: int, count: int = 100) -> list[Said]:
    made = []
    for item in range(count):
        about: dict[str, Any] = {"subgroups": {"region": "north" if item % 2 else "south"}}
        about["latency_s"] = 1 + item % 7 / 20 + wrong / 500
        about["confidence"] = 0.9 - item % 5 / 10
        made.append(Said(item, "no" if item < wrong else "yes", **about))
        if item < count / 2:
            made.append(Said(item, "no" if item < wrong + 5 else "yes", perturbation="typos", **about))
    return made


def parted(home: Path, counts: tuple[int, ...] = (100, 100, 100)) -> Path:
    for (name, wrong), count in zip(WRONG.items(), counts, strict=True):
        scored_run(
            home / "runs" / "s",
            name,
            answers_of(wrong, count),
            metrics=(GONE, "latency_s"),
            max_instances=count if count < 100 else None,
        )
    wanted = parse_profile(PARTS, home / "p.yaml")
    held = measure(wanted, home)
    file = home / "p.decision.json"
    write_record(make_record(wanted, PARTS, held, decide(wanted, held), file), file)
    return file


def swapped(plain: dict[str, Any], place: int) -> None:
    """Two candidates with each other's measurement, and what follows of it."""
    one, other = standing(plain, "m/90"), standing(plain, "m/60")
    criteria = len(one["measurements"]) - len(one["constraints"])
    for key, at in (("measurements", place), ("constraints", place - criteria)):
        one[key][at], other[key][at] = other[key][at], one[key][at]


def fewer(plain: dict[str, Any]) -> None:
    for one in plain["decision"]["standings"]:
        for told in one["measurements"]:
            told["estimate"]["n"] -= 1


def nearer(plain: dict[str, Any]) -> None:
    for one in plain["decision"]["standings"]:
        for held in one["constraints"]:
            held["bound"] = held["value"]


def edited(path: Path, out: Path, fields: tuple[str, ...], change: Callable[[dict[str, Any]], None]) -> list[str]:
    plain = msgspec.json.decode(msgspec.json.encode(read_record(path)))
    change(plain)
    changed = path.with_name("changed.json")
    write_record(sealed(msgspec.convert(plain, DecisionRecord)), changed)
    write_pack(read_record(changed), changed, out, fields)
    return problems(out)


@pytest.mark.parametrize("counts", [(100, 100, 100), (100, 100, 60)])
@pytest.mark.parametrize("fields", [("completion",), ("input",), ("region",), ("completion", "input", "subgroups")])
def test_redacted_packs_hold_to_the_scores_of_the_answers_and_to_the_runs_estimates(
    fields: tuple[str, ...], counts: tuple[int, ...], tmp_path: Path
) -> None:
    path = parted(tmp_path, counts)
    make_pack(path, tmp_path / "honest.zip", fields)
    assert problems(tmp_path / "honest.zip") == []
    changes: list[Callable[[dict[str, Any]], None]] = [fewer, nearer, lambda plain: swapped(plain, 2)]
    if counts[2] == 100:  # else a group that is hidden cannot be measured over the instances that are common
        changes += [lambda plain: swapped(plain, 1), lambda plain: swapped(plain, 4)]
    for change in changes:
        assert edited(path, tmp_path / "forged.zip", fields, change) != []


def test_what_nothing_in_a_redacted_pack_shows_is_named(tmp_path: Path) -> None:
    path = parted(tmp_path, (100, 100, 60))
    make_pack(path, tmp_path / "p.zip", ("completion",))
    notes = [note for one in Verifier().anything(tmp_path / "p.zip") for note in one.notes]
    assert any("sober there cannot be measured without them" in note for note in notes)
    assert any("not checked, as nothing here shows it: sober there of m/60" in note for note in notes)
    assert not any("nothing here shows it: right" in note or "nothing here shows it: fast" in note for note in notes)


BRIEF = """name: Which
deployment: {owner: Ana, context: sorts}
runs: [runs/s]
criteria:
  - {name: right, metric: quasi_exact_match, weight: 1, value: {unacceptable: 0.2, satisfying: 0.95}}
constraints:
  - {name: fast, metric: latency_s, at_most: 1.5}
"""


def test_a_metric_of_single_answers_that_is_not_installed_is_measured_from_its_scores(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, wrong in WRONG.items():
        scored_run(tmp_path / "runs" / "s", name, answers_of(wrong), metrics=("quasi_exact_match", "latency_s"))
    wanted = parse_profile(BRIEF, tmp_path / "p.yaml")
    held = measure(wanted, tmp_path)
    file = tmp_path / "p.decision.json"
    write_record(make_record(wanted, BRIEF, held, decide(wanted, held), file), file)
    gone = ("quasi_exact_match", "latency_s")
    monkeypatch.setattr(registry.metrics, "_things", {k: v for k, v in registry.metrics._things.items() if k not in gone})
    found = Verifier().anything(file)
    assert [problem for one in found for problem in one.problems] == []
    assert any("the decision was made again from these" in note for one in found for note in one.notes)
    honest = file.read_bytes()
    for change in (fewer, nearer, lambda plain: swapped(plain, 1), ranks):
        assert forged(file, change) != []
        file.write_bytes(honest)


def test_a_hidden_measure_over_several_scenarios_holds_to_the_mean_of_the_runs_estimates(tmp_path: Path) -> None:
    for scenario in ("made", "other"):
        for name, wrong in WRONG.items():
            said = answers_of(wrong if scenario == "made" else wrong + 3)
            scored_run(tmp_path / "runs" / "s", name, said, scenario=scenario, metrics=(GONE, "latency_s"))
    wanted = parse_profile(TEXT, tmp_path / "p.yaml")
    held = measure(wanted, tmp_path)
    file = tmp_path / "p.decision.json"
    write_record(make_record(wanted, TEXT, held, decide(wanted, held), file), file)
    make_pack(file, tmp_path / "honest.zip", ("completion",))
    found = Verifier().anything(tmp_path / "honest.zip")
    assert [problem for one in found for problem in one.problems] == []
    assert not any("not checked" in note for one in found for note in one.notes)
    for change in (fewer, nearer, lambda plain: swapped(plain, 4), gone_value):
        assert edited(file, tmp_path / "forged.zip", ("completion",), change) != []


def test_where_the_main_metric_is_not_installed_what_rests_on_it_is_said_not_to_be_measured(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry.metrics, "_things", {k: v for k, v in registry.metrics._things.items() if k != "exact_match"})
    found = next(one for one in Verifier().anything(path) if one.kind == "record")
    assert found.problems == []
    assert any(
        "not computed again, as ece_10_bin, exact_match is not installed here: honest, sober" in one for one in found.notes
    )
