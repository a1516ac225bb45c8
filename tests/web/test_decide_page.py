"""The page of a decision: what a record says, how it would be at other weights, and who vouches for it."""

from __future__ import annotations

import json
import re
import shutil
from html import unescape
from pathlib import Path

import msgspec
import pytest

from assay.decisions.deciding import decide
from assay.decisions.measuring import measure
from assay.decisions.reading import read_profile
from assay.decisions.record import Choice, DecisionRecord, Signature
from assay.decisions.recording import read_record, write_record
from assay.errors import AssayError
from assay.store.folders import MANIFEST
from assay.tables.numbers import format_estimate
from assay.web import deciding
from assay.web.addresses import Filed
from assay.web.decision_grids import scatter, undrawn, unranked
from assay.web.page import View
from decision_records import RECORD, decided, signed_by, small_record
from trial_stores import HOSTILE
from web_helpers import draw, html, view_of

__all__ = ["decided"]  # a fixture


@pytest.fixture
def home(decided: Path, tmp_path: Path) -> Path:
    """A copy that a test may change."""
    shutil.copytree(decided, tmp_path / "home")
    return tmp_path / "home"


@pytest.fixture(scope="module")
def view(decided: Path) -> View:
    return view_of(decided, decided / "runs")


def record_slug(view: View) -> str:
    return view.catalog.records[0].slug


def ranking(page: str) -> list[tuple[str, str, str]]:
    """Candidate, worth with its interval, and share of being first, in the order of the page."""
    table = page.partition("data-ranking")[2].partition("</table>")[0]
    rows = re.findall(r"<tr data-candidate=.*?</tr>", table, re.DOTALL)
    plain = [[re.sub(r"<[^>]+>", "", cell) for cell in re.findall(r"<t[hd].*?</t[hd]>", row, re.DOTALL)] for row in rows]
    return [(cells[0], cells[1], cells[2]) for cells in plain]


def said(page: str) -> str:
    found = re.search(r"data-said><b>(.*?)</b>", page)
    assert found is not None
    return found[1]


def test_a_record_is_told_in_its_own_words_and_numbers(view: View) -> None:
    record = view.catalog.records[0].record
    page = html(view, "decide", record_slug(view))
    for word in record.decision.words:
        assert word in unescape(page)
    assert record.choice is not None
    for text in ("Ana Ruiz", "It is right more often.", "Dissent", "2999-01-01", "✓ met", "Rank acceptability", record.digest):
        assert text in page
    grid = next(grid for grid in draw(view, "decide", record_slug(view)).grids if grid.name == "candidates")
    for row, standing in zip(grid.records(), record.decision.standings, strict=True):
        assert standing.worth is not None
        assert (row["candidate"], row["worth"], row["worth low"]) == (
            standing.candidate,
            standing.worth.value,
            standing.worth.low,
        )


def test_the_ranking_begins_at_the_middle_of_the_weights_with_the_records_worths(view: View) -> None:
    decision = view.catalog.records[0].record.decision
    page = html(view, "decide", record_slug(view))
    assert re.findall(r'type="range".*?value="([^"]*)"', page) == ["75", "25"]
    assert [row[0] for row in ranking(page)] == [standing.candidate for standing in decision.standings]
    shown = [row[1].split(" ")[0] for row in ranking(page)]
    assert shown == [format_estimate(s.worth).split(" ")[0] for s in decision.standings if s.worth]


def test_other_weights_give_another_ranking(view: View) -> None:
    decision = view.catalog.records[0].record.decision
    for place in (0, 1):
        page = html(view, "decide", record_slug(view), w0=str(100 * (place == 0)), w1=str(100 * (place == 1)))
        own = {standing.candidate: standing.measurements[place].worth or 0.0 for standing in decision.standings}
        assert {row[0]: float(row[1].split(" ")[0]) for row in ranking(page)} == pytest.approx(own, abs=0.0051)
        worths = [own[row[0]] for row in ranking(page)]
        assert worths == sorted(worths, reverse=True)
        assert said(page).startswith(f"At these weights {ranking(page)[0][0]} is first, and worth most in ")
        assert (
            re.findall(r"<output[^>]*>(.*?)</output>", page)
            == [
                ["weight 100 → 100 % of all", "weight 0 → 0 % of all"],
                ["weight 0 → 0 % of all", "weight 100 → 100 % of all"],
            ][place]
        )
    nothing, middle = html(view, "decide", record_slug(view), w0="0", w1="0"), html(view, "decide", record_slug(view))
    assert ranking(nothing) == ranking(middle)


def test_where_somebody_chose_the_choice_comes_first_and_then_what_the_numbers_say(view: View) -> None:
    page = html(view, "decide", record_slug(view))
    first = unescape(page).index(view.catalog.records[0].record.decision.words[0])
    assert page.index(">Chosen: ") < page.index(">What the numbers say</h2>") < first
    assert "What the numbers say" not in html(view, "decide", view.catalog.profiles[0].slug)


def test_a_candidate_that_cannot_be_ranked_is_named_with_what_to_measure(view: View) -> None:
    decision = view.catalog.records[0].record.decision
    assert unranked(decision) == []
    criterion = next(iter(decision.weights))
    last = decision.standings[-1]
    measured = tuple(
        msgspec.structs.replace(held, estimate=None) if held.measure == criterion else held for held in last.measurements
    )
    lacking = msgspec.structs.replace(
        last, acceptable="undetermined", measurements=measured, worth=None, dominance=None, acceptability=None
    )
    found = msgspec.structs.replace(decision, standings=(*decision.standings[:-1], lacking))
    assert unranked(found) == [(last.candidate, [criterion])]
    other = next(held.measure for held in last.measurements if held.measure != criterion)
    assert undrawn(found, criterion, other) == [last.candidate]
    assert scatter(found, criterion, other) is None, "one candidate alone is left"
    out = msgspec.structs.replace(lacking, acceptable="violated")
    assert unranked(msgspec.structs.replace(decision, standings=(*decision.standings[:-1], out))) == []


def test_weights_that_are_none_are_refused(view: View) -> None:
    for value in ("abc", "101", "-1", "nan"):
        with pytest.raises(AssayError, match="w0="):
            draw(view, "decide", record_slug(view), w0=value)
    with pytest.raises(AssayError, match="unknown x"):
        draw(view, "decide", record_slug(view), x="beauty")


def test_the_data_for_the_script_are_those_that_the_server_ranks_by(view: View) -> None:
    page = html(view, "decide", record_slug(view))
    block = re.search(r'<script type="application/json">(.*?)</script>', page)
    assert block is not None
    data = json.loads(block[1])
    assert data["centre"] == [0.75, 0.25]
    decision = view.catalog.records[0].record.decision
    assert data["worths"] == [
        pytest.approx([measurement.worth for measurement in standing.measurements[:2]], abs=1e-5)
        for standing in decision.standings
    ]
    assert len(data["replicates"]) == 400 * 2 * 2


def test_runs_that_are_gone_or_changed_leave_the_records_values(home: Path) -> None:
    view = view_of(home / RECORD)
    page = html(view, "decide", view.catalog.records[0].slug)
    assert "2 of the 2 runs that this was decided on lie in folders that are not shown here" in page
    assert "2\nruns as decided on, not shown here" in page
    assert "is first." in said(page)
    manifest = next(home.glob(f"runs/*/*/{MANIFEST}"))
    manifest.write_bytes(manifest.read_bytes() + b" ")
    page = html(view_of(home, home / "runs"), "decide", view.catalog.records[0].slug)
    assert "1 of the 2 runs that this was decided on were changed since" in page
    assert "1\nrun changed" in page
    shutil.rmtree(home / "runs")
    page = html(view_of(home / RECORD), "decide", view.catalog.records[0].slug)
    assert "2 of the 2 runs that this was decided on cannot be found" in page
    assert "2\nruns gone" in page


def test_a_profile_is_decided_on_the_runs_as_they_are(view: View, decided: Path) -> None:
    profile = read_profile(decided / "profile.yaml")
    now = decide(profile, measure(profile, decided))
    page = html(view, "decide", view.catalog.profiles[0].slug)
    assert now.words[0] in page
    assert "decided now, on the runs as they are; not recorded" in page
    assert "Sign-offs" not in page
    assert ranking(page) == ranking(html(view, "decide", record_slug(view)))


def test_where_measuring_takes_long_a_page_asks_first(view: View, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deciding, "AT_ONCE", 1)
    slug = view.catalog.profiles[0].slug
    page = html(view, "decide", slug)
    assert "24 trials have to be measured" in page
    assert "?measure=yes" in page
    assert ranking(html(view, "decide", slug, measure="yes"))
    page = html(view, "decide", record_slug(view))
    assert "Sign-offs" in page, "what the record says needs no measuring"
    assert "data-weighing" not in page
    assert ranking(html(view, "decide", record_slug(view), measure="yes"))


def test_a_profile_whose_runs_are_not_shown_here_says_so(home: Path, tmp_path: Path) -> None:
    view = view_of(home / "profile.yaml")
    assert "no run of runs/default is among those shown here" in html(view, "decide", view.catalog.profiles[0].slug)
    named = home / "none.yaml"
    named.write_text((home / "profile.yaml").read_text().replace("runs: [runs/default]\n", ""))
    view = view_of(named)
    assert "the profile names no runs" in html(view, "decide", view.catalog.profiles[0].slug)
    assert str(tmp_path) not in html(view, "decide", view.catalog.profiles[0].slug)


def test_signatures_are_checked(home: Path) -> None:
    signed_by(home / RECORD, "Ana", "Ben")
    view = view_of(home / RECORD)
    page = html(view, "decide", record_slug(view))
    assert page.count("✓ the signature holds") == 2
    record = read_record(home / RECORD)
    forged = tuple(msgspec.structs.replace(one, name=one.name.replace("Ben", "Eve")) for one in record.signatures)
    write_record(msgspec.structs.replace(record, signatures=forged), home / RECORD)
    page = html(view_of(home / RECORD), "decide", record_slug(view))
    assert page.count("✓ the signature holds") == 1
    assert page.count("✗ the signature does not hold") == 1


def test_a_record_that_was_changed_says_so_without_telling_where_it_lies(home: Path) -> None:
    text = (home / RECORD).read_text()
    (home / RECORD).write_text(text.replace("It is right more often.", "It is cheaper."))
    view = view_of(home / RECORD)
    page = html(view, "decide", record_slug(view))
    assert "changed since it was written" in page
    assert f"{RECORD}: changed (its digest does not fit its content)" in page
    assert str(home) not in page
    assert "changed since it was written" in html(view, "decide")


def test_the_list_leads_to_records_and_profiles(view: View, tmp_path: Path) -> None:
    page = html(view, "decide")
    assert f'href="/decide/{record_slug(view)}"' in page
    assert f'href="/decide/{view.catalog.profiles[0].slug}"' in page
    assert "baseline/majority, by Ana Ruiz" in page
    assert "Neither a profile nor a decision record" in html(view_of(tmp_path), "decide")
    with pytest.raises(AssayError, match="unknown decision record"):
        draw(view, "decide", "nothing")


def test_a_report_without_a_server_keeps_sliders_for_the_script_and_nothing_else(view: View) -> None:
    body = draw(View(view.catalog, Filed({})), "decide", record_slug(view)).body
    assert "<form" not in body
    assert "data-scripted hidden" in body
    assert body.count('type="range"') == 2
    assert "<a " not in body


@pytest.mark.parametrize("kind", ["html", "script", "attribute", "template", "bidi", "ansi", "null"])
def test_hostile_texts_of_a_record_are_shown_and_do_nothing(tmp_path: Path, kind: str) -> None:
    text = HOSTILE[kind]
    signature = Signature(name=text, role=text, at=text, public_key=text, signature=text, statement=text)
    record: DecisionRecord = small_record(
        name=text, choice=Choice(chosen=text, by=text, rationale=text, dissent=text), signatures=(signature,)
    )
    decision = msgspec.structs.replace(record.decision, words=(text,), notes=(text,), method={text: text})
    write_record(msgspec.structs.replace(record, decision=decision, signatures=()), tmp_path / "r.decision.json")
    plain = json.loads((tmp_path / "r.decision.json").read_text())
    (tmp_path / "r.decision.json").write_text(json.dumps({**plain, "signatures": [msgspec.to_builtins(signature)]}))
    view = view_of(tmp_path)
    for page in (html(view, "decide"), html(view, "decide", record_slug(view))):
        assert text not in page or kind == "template"
        assert not set(page) & set("\x1b\x07\x00\u202e\u2066\u2069")
        assert "62615333" not in page, "7919 * 7907 was not computed"


def test_a_record_that_contradicts_itself_is_shown_as_far_as_it_goes(home: Path) -> None:
    record = read_record(home / RECORD)
    first, second = record.decision.standings
    short = msgspec.structs.replace(second, measurements=second.measurements[1:])
    wild = msgspec.structs.replace(first.measurements[0], worth=1e308)
    high = msgspec.structs.replace(first, measurements=(wild, *first.measurements[1:]))
    for standings, weights in (
        ((first, short), record.decision.weights),
        ((high, second), record.decision.weights),
        ((first, second), {"right answers": 7.0, "honest confidence": -1e300}),
    ):
        decision = msgspec.structs.replace(record.decision, standings=standings, weights=weights)
        write_record(msgspec.structs.replace(record, decision=decision), home / RECORD)
        page = html(view_of(home / RECORD), "decide", view_of(home / RECORD).catalog.records[0].slug)
        assert "data-weighing" not in page
        assert "Sign-offs" in page


def test_hostile_names_of_criteria_stay_out_of_the_data_for_the_script(home: Path) -> None:
    text = HOSTILE["script"]
    file = home / "profile.yaml"
    file.write_text(file.read_text().replace("name: right answers", f"name: {json.dumps(text)}"))
    view = view_of(file, home / "runs")
    page = html(view, "decide", view.catalog.profiles[0].slug)
    assert text not in page
    block = re.search(r'<script type="application/json">(.*?)</script>', page)
    assert block is not None
    assert set(json.loads(block[1])) == {"centre", "worths", "replicates"}


def test_a_copy_of_the_very_runs_is_as_good_as_the_runs(home: Path, tmp_path: Path) -> None:
    shutil.copytree(home / "runs", tmp_path / "elsewhere")
    view = view_of(home / RECORD, tmp_path / "elsewhere")
    page = html(view, "decide", record_slug(view))
    assert "2\nruns as decided on<" in page
    assert "first here" in page
    assert "is not known at other weights" not in page
    records = next(grid for grid in draw(view, "evidence").grids if grid.name == "records").records()
    assert records[0]["evidence"] == "✓ runs: 2 as decided on"


def test_gains_are_a_table_of_criteria_with_what_is_shown(view: View) -> None:
    decision = view.catalog.records[0].record.decision
    grid = next(grid for grid in draw(view, "decide", record_slug(view)).grids if grid.name == "tradeoff-1")
    own, other = decision.standings
    assert [row["criterion"] for row in grid.records()] == ["right answers", "honest confidence"], "as the profile has them"
    weights = next(grid for grid in draw(view, "decide", record_slug(view)).grids if grid.name == "weights")
    assert [row["criterion"] for row in weights.records()] == ["right answers", "honest confidence"]
    for place, row in enumerate(grid.records()):
        one, two = own.measurements[place].estimate, other.measurements[place].estimate
        assert one is not None
        assert two is not None
        assert row["difference"] == pytest.approx(one.value - two.value)
    [tradeoff] = decision.tradeoffs
    for text in tradeoff.gains:
        cell = next(row[4] for row in grid.rows if text.startswith(f"{row[0].value} "))
        assert cell.value == "gains"
        assert cell.text.removeprefix("gains: ") in text


def test_worth_is_shown_once_with_the_interval_of_the_record(view: View) -> None:
    decision = view.catalog.records[0].record.decision
    page = html(view, "decide", record_slug(view))
    assert [row[1] for row in ranking(page)] == [format_estimate(s.worth) for s in decision.standings if s.worth]
    assert page.count(">worth<") == 1
    assert 'action="/decide/' + record_slug(view) + "#decide-" + record_slug(view) + '-weights"' in page


def test_the_list_tells_records_from_profiles_of_the_same_name(view: View, decided: Path, tmp_path: Path) -> None:
    page = html(view, "decide")
    slug = view.catalog.profiles[0].slug
    assert page.count(f'href="/decide/{slug}"') == 2, "its own heading, and the record's link to it"
    assert page.count(f'href="/decide/{record_slug(view)}"') == 2
    assert f"{decided.name}/{RECORD}" in page
    assert str(decided.parent) not in page
    text = (decided / "profile.yaml").read_text().replace("owner: Ana Ruiz", 'owner: "(to be filled in)"')
    (tmp_path / "new.yaml").write_text(text)
    drafted = html(view_of(tmp_path / "new.yaml"), "decide")
    assert "(to be filled in)" not in drafted
    assert "<dt>Owner</dt><dd>–</dd>" in drafted
