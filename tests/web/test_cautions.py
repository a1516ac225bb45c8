"""What nobody should miss of a decision: days that have passed, what the choice is not shown to keep, who disagrees and why."""

from __future__ import annotations

import re
from datetime import date
from html import unescape
from pathlib import Path

import msgspec
import pytest

from assay.decisions import validity
from assay.decisions.record import Choice, DecisionRecord
from assay.decisions.recording import read_record, sealed, write_record
from assay.decisions.results import Held
from assay.web import cautions
from assay.web.addresses import Filed
from assay.web.page import View
from decision_records import RECORD, decided, small_record
from trial_stores import HOSTILE
from web_helpers import draw, html, view_of

__all__ = ["decided"]  # a fixture

BROKEN = Held(
    constraint="right enough",
    limit="at least 0.9",
    threshold=0.9,
    value=0.058,
    bound=0.2,
    confidence=0.95,
    verdict="violated",
    more=None,
)
UNKNOWN = Held(
    constraint="cheap", limit="at most 1", threshold=1.0, value=0.8, bound=1.4, confidence=0.9, verdict="undetermined", more=200
)


def changed(decided: Path, place: Path, **changes: object) -> View:
    """The record of a decision, with other content, sealed anew."""
    record = msgspec.structs.replace(read_record(decided / RECORD), **changes)
    write_record(sealed(record), place / RECORD)
    return view_of(place / RECORD, decided / "runs")


def with_constraints(record: DecisionRecord, candidate: str, *held: Held) -> DecisionRecord:
    standings = tuple(
        msgspec.structs.replace(one, constraints=held) if one.candidate == candidate else one
        for one in record.decision.standings
    )
    return msgspec.structs.replace(record, decision=msgspec.structs.replace(record.decision, standings=standings))


def page_of(view: View) -> str:
    return unescape(html(view, "decide", view.catalog.records[0].slug))


def test_a_decision_that_expired_says_so_at_once_and_everywhere(decided: Path, tmp_path: Path) -> None:
    view = changed(decided, tmp_path, review="2020-01-01", expires="2020-06-01")
    text = page_of(view)
    assert "This decision expired on 2020-06-01: it does not hold any more." in text
    assert text.index("This decision expired") < text.index('class="words')
    assert "✗ out of date" in text
    assert "it does not hold any more" in html(view, "decide"), "in the list too"
    [row] = next(grid for grid in draw(view, "evidence").grids if grid.name == "records").records()
    assert "out of date" in str(row["to know"])
    assert "does not hold any more" in draw(View(view.catalog, Filed({})), "decide", view.catalog.records[0].slug).body


def test_a_decision_that_was_to_be_looked_at_again_says_so(decided: Path, tmp_path: Path) -> None:
    assert "This decision was to be looked at again by 2020-01-01." in page_of(changed(decided, tmp_path, review="2020-01-01"))


def test_a_decision_holds_on_its_last_day_and_not_on_the_next(
    decided: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    view = changed(decided, tmp_path, review="", expires="2031-05-05")
    for day, past in ((date(2031, 5, 5), False), (date(2031, 5, 6), True)):
        monkeypatch.setattr(cautions, "today", lambda day=day: day)
        assert ("does not hold any more" in page_of(view)) is past
    assert validity.today() >= date(2024, 1, 1)


def test_a_last_day_that_is_none_is_told_and_breaks_nothing(tmp_path: Path) -> None:
    write_record(small_record(expires="<b>soon</b>"), tmp_path / RECORD)
    text = html(view_of(tmp_path), "decide", view_of(tmp_path).catalog.records[0].slug)
    assert "names a last day that is none: &lt;b&gt;soon&lt;/b&gt;" in text


def test_a_profile_that_expired_says_so(decided: Path, tmp_path: Path) -> None:
    held = (decided / "profile.yaml").read_text().replace("2999-01-01", "2020-01-01").replace("2999-06-01", "2020-06-01")
    (tmp_path / "old.yaml").write_text(held.replace("runs/default", str(decided / "runs" / "default")))
    view = view_of(tmp_path / "old.yaml", decided / "runs")
    assert "This profile expired on 2020-06-01" in html(view, "decide", view.catalog.profiles[0].slug)
    assert "✗ out of date" in html(view, "decide")


def test_what_the_chosen_candidate_breaks_and_may_break_stands_beside_its_name(decided: Path, tmp_path: Path) -> None:
    record = with_constraints(read_record(decided / RECORD), "baseline/majority", BROKEN, UNKNOWN)
    text = page_of(changed(decided, tmp_path, decision=record.decision))
    card = text.partition("<h2")[2].partition("</section>")[0]
    assert "Chosen: baseline/majority" in text
    assert "baseline/majority is not shown to keep every constraint:" in card
    assert "✗ breaks: right enough 0.058 (at least 0.9)" in card
    assert "? not known to keep: cheap 0.8 (at most 1; it may be 1.4, at 90 % confidence)" in card
    assert "✗ the choice breaks 1 constraint<" in text
    assert "? the choice is not known to keep 1 constraint<" in text


def test_a_choice_that_keeps_everything_has_no_cautions(decided: Path) -> None:
    view = view_of(decided, decided / "runs")
    text = page_of(view)
    assert "is not shown to keep" not in text
    assert "bad-news" not in text
    assert cautions.of_record(view.catalog.records[0].record).badges == ()


@pytest.mark.parametrize(
    ("chosen", "said"),
    [
        ("", "No candidate was chosen, though baseline/majority is recommended."),
        ("baseline/uniform", "baseline/uniform was chosen, though baseline/majority is recommended."),
        ("somebody", "somebody is none of the candidates that were compared."),
    ],
)
def test_a_choice_against_the_recommendation_is_told(decided: Path, tmp_path: Path, chosen: str, said: str) -> None:
    record = read_record(decided / RECORD)
    decision = msgspec.structs.replace(record.decision, recommended="baseline/majority", contenders=("baseline/majority",))
    choice = Choice(chosen=chosen, by="Ben", rationale="Because.")
    view = changed(decided, tmp_path, decision=decision, choice=choice)
    assert said in page_of(view)
    assert "chosen against the recommendation" in html(view, "decide")


def test_who_chose_why_and_who_disagrees_are_told_also_of_earlier_choices(decided: Path, tmp_path: Path) -> None:
    choice = Choice(chosen="baseline/majority", by="Ana Ruiz", rationale="It is\nright more often.", dissent="Ben: too slow.")
    earlier = Choice(chosen="", by="Cleo", rationale="We waited.", dissent="Dan: why?")
    text = page_of(changed(decided, tmp_path, choice=choice, earlier=(earlier,)))
    for said in ("by Ana Ruiz", "It is\nright more often.", "Ben: too slow.", "by Cleo", "We waited.", "Dan: why?"):
        assert said in text
    assert "with dissent" in html(view_of(tmp_path / RECORD), "decide")
    bare = changed(decided, tmp_path, choice=Choice(chosen="baseline/majority", by="Ana Ruiz", rationale=""), earlier=())
    assert "who gave no reason" in page_of(bare)
    assert "Nobody has chosen yet." in page_of(changed(decided, tmp_path, choice=None))


def test_hostile_reasons_names_and_limits_are_shown_as_text(decided: Path, tmp_path: Path) -> None:
    for kind, text in ((kind, text[:100_000]) for kind, text in HOSTILE.items()):
        if kind in ("surrogate-free", "formula"):
            continue
        held = msgspec.structs.replace(BROKEN, constraint=text, limit=text)
        record = with_constraints(read_record(decided / RECORD), "baseline/majority", held)
        choice = Choice(chosen="baseline/majority", by=text, rationale=text, dissent=text)
        view = changed(
            decided, tmp_path, decision=record.decision, choice=choice, earlier=(choice,), name=text, review="", expires=text
        )
        assert not view.catalog.problems
        for page in (html(view, "decide", view.catalog.records[0].slug), html(view, "decide"), html(view, "evidence")):
            shown = re.sub(r'<script type="application/json">.*?</script>', "", page, flags=re.DOTALL)
            assert not set(shown) & set("\x00\x07\x1b\u202e\u2066\u2069")
            if kind in ("html", "script"):
                assert text not in page
            assert "62615333" not in page, "7919 * 7907 was not computed"
            assert len(page) < 3_000_000, "a long line is cut"
