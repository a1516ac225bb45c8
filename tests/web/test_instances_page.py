"""Lists of trials and single trials as pages."""

from __future__ import annotations

import html as entities
import math
import re
from pathlib import Path

import pytest

from assay.errors import AssayError
from assay.prompting import Generation
from assay.prompting.multiple_choice import MultipleChoiceSeparateOriginal
from assay.records import Completion, Failure, Instance, Judging, Message, Reference, Response, Token
from assay.web.addresses import Address, Filed, Links
from assay.web.page import View
from assay.web.pages import kind_of
from assay.web.pages.instances import excerpt
from scored_runs import Said, scored_run
from trial_stores import HOSTILE, hostile, one_trial, two_candidates
from web_helpers import draw, html, view_of


@pytest.fixture(scope="module")
def view(tmp_path_factory: pytest.TempPathFactory) -> View:
    suite = tmp_path_factory.mktemp("runs") / "suite"
    two_candidates(suite)
    return view_of(suite)


def slug(view: View, label: str = "alpha") -> str:
    return next(entry.slug for entry in view.catalog.entries if entry.label == label)


def text_of(page: str) -> str:
    """What a reader sees of a page."""
    return " ".join(entities.unescape(re.sub(r"<[^>]*>", " ", page)).split())


def test_the_list_leads_to_each_trial_and_keeps_the_filter(view: View) -> None:
    page = draw(view, "instances", slug(view), right="no", copies="typos")
    rows = page.grids[0].rows
    assert rows[0][0].to == Address(
        "instance", slug(view), (("id", "item0000"), ("perturbation", "typos"), ("right", "no"), ("copies", "typos"))
    )
    assert "18 trials; shown are 1 to 18." in page.body
    shown = html(view, "instances", slug(view), right="no", copies="typos")
    assert re.search(r'<option value="typos" selected>', shown)


def test_the_list_goes_on_by_links_that_the_keyboard_knows(view: View) -> None:
    first = html(view, "instances", slug(view))
    assert f'rel="next" href="/instances/{slug(view)}?from=25"' in first
    assert 'rel="prev"' not in first
    second = html(view, "instances", slug(view), **{"from": "25"})
    assert f'rel="prev" href="/instances/{slug(view)}?from=0"' in second
    assert "90 trials; shown are 26 to 50." in second


def test_pages_and_trials_say_which_they_are_of_how_many(view: View) -> None:
    assert "page 1 of 4" in text_of(html(view, "instances", slug(view)))
    assert "page 2 of 4" in text_of(html(view, "instances", slug(view), **{"from": "25"}))
    assert "page" not in text_of(draw(view, "instances", slug(view), right="no", copies="typos").body)
    assert "Previous trial 2 of 18 Next trial" in text_of(
        html(view, "instance", slug(view), id="item0002", perturbation="typos", right="no", copies="typos")
    )


def test_failed_and_wrong_trials_come_first_where_that_is_wanted_on_every_page(view: View) -> None:
    seen: list[tuple[object, object]] = []
    start = "0"
    for _ in range(4):
        page = draw(view, "instances", slug(view), order="failed", **{"from": start} if start != "0" else {})
        seen += [(record["outcome"], record["exact_match"]) for record in page.grids[0].records()]
        found = re.search(r'rel="next" href="[^"]*from=(\d+)"', page.body)
        start = found[1] if found else ""
    assert len(seen) == 90
    places = [0 if outcome == "failed" else 1 if value == 0 else 2 for outcome, value in seen]
    assert places == sorted(places)
    assert set(places) == {0, 1, 2}
    last = draw(view, "instances", slug(view), order="failed", text="question", where="input")
    assert last.grids[0].records()[0]["outcome"] == "failed"


def test_an_answer_that_others_tied_with_says_so(tmp_path: Path) -> None:
    references = (Reference(text="Paris", correct=True), Reference(text="Rome"), Reference(text="Oslo"))
    responses = tuple(
        Response(completions=(Completion(text=text, tokens=(Token(text=text, logprob=logprob),), finish_reason="scored"),))
        for text, logprob in ((" Paris", -1.0), (" Rome", -1.0), (" Oslo", -2.0))
    )
    asked = Instance(id="a", input="Capital of France?", references=references)
    names = (" Paris", " Rome", " Oslo")
    method = MultipleChoiceSeparateOriginal(shots=0)
    view = one(tmp_path, asked, ("Capital of France?",) * 3, responses, method, continuations=names)
    assert "one of 2 tied answers: expected score" in shown_of(view)


def test_the_list_can_be_downloaded_as_numbers(view: View) -> None:
    record = draw(view, "instances", slug(view)).grids[0].records()[0]
    assert record["item"] == "item0000"
    assert (record["exact_match"], record["outcome"], record["read as"], record["right answer"]) == (
        0.0,
        "answered",
        "no",
        "yes",
    )


def test_another_candidates_score_stands_beside_where_they_are_held_against_each_other(view: View) -> None:
    page = draw(view, "instances", slug(view), differs="better", **{"with": slug(view, "beta")})
    record = page.grids[0].records()[0]
    assert (record["exact_match"], record["exact_match of beta"]) == (1.0, 0.0)


def test_what_is_searched_for_is_in_sight(view: View, tmp_path: Path) -> None:
    assert excerpt("x" * 500 + " needle " + "y" * 500, "NEEDLE", 60) == "…" + "x" * 19 + " needle " + "y" * 33 + "…"
    assert excerpt("short", "needle") == "short"
    run = scored_run(tmp_path / "suite", "alpha", [Said(0, "x" * 500 + " needle")])
    page = draw(view_of(run), "instances", view_of(run).catalog.entries[0].slug, text="needle")
    assert "needle" in page.grids[0].rows[0][4].text or "needle" in page.grids[0].rows[0][3].text


def test_a_trial_has_its_neighbours_of_the_filter_and_its_copies(view: View) -> None:
    shown = html(view, "instance", slug(view), id="item0002", perturbation="typos", right="no")
    assert f'rel="prev" href="/instance/{slug(view)}?id=item0000&amp;perturbation=typos&amp;right=no"' in shown
    assert f'rel="next" href="/instance/{slug(view)}?id=item0004&amp;perturbation=typos&amp;right=no"' in shown
    assert f'href="/instance/{slug(view)}?id=item0002&amp;right=no">original</a>' in shown
    assert '<b aria-current="true">typos</b>' in shown
    assert "wrong by exact_match" in shown
    assert f'href="/instances/{slug(view)}?right=no">Trials found</a>' in shown


def test_a_failed_trial_says_why_once_and_has_no_verdict(view: View) -> None:
    shown = text_of(html(view, "instance", slug(view), id="item0007"))
    assert "failed The request failed: server: 500" in shown
    assert shown.count("server: 500") == 1
    assert "by exact_match" not in shown


def test_of_a_failed_trial_nothing_came_back_and_that_is_said(view: View) -> None:
    shown = html(view, "instance", slug(view), id="item0007")
    assert "Nothing: the request failed" in shown.partition("What came back</h2>")[2].partition("<h2")[0]


def test_only_who_holds_the_item_can_be_put_beside(tmp_path: Path) -> None:
    scored_run(tmp_path / "s", "alpha", [Said(item, "yes") for item in range(4)])
    for number in range(7):
        scored_run(tmp_path / "s", f"other{number}", [Said(item, "yes") for item in range(4)])
    scored_run(tmp_path / "s", "short", [Said(0, "yes")])
    view = view_of(tmp_path)
    shown = html(view, "instance", slug(view), id="item0003")
    assert re.findall(r"Put beside: (\w+)", shown) == [f"other{number}" for number in range(7)]
    assert "Put beside: short" in html(view, "instance", slug(view), id="item0000")
    at_once, _, folded = shown.partition("Others to put beside")
    assert (at_once.count("Put beside: "), folded.count("Put beside: ")) == (4, 3)


def test_filters_are_named_each_with_a_way_to_take_it_away(view: View) -> None:
    shown = html(view, "instances", slug(view), outcome="failed", right="yes", text="capital", low="0", metric="latency_s")
    assert "No trial of this run is all of this; take a filter away." in shown
    chips = shown.partition('aria-label="Filters"')[2].partition("</ul>")[0]
    assert text_of(chips.partition(">")[2]) == ("“capital” anywhere ✕ failed ✕ right ✕ latency_s from 0 ✕ Without any filter")
    leads = [entities.unescape(lead) for lead in re.findall(r'href="([^"]*)" aria-label="without', chips)]
    assert leads[1] == f"/instances/{slug(view)}?right=yes&text=capital&low=0&metric=latency_s"
    assert leads[3] == f"/instances/{slug(view)}?outcome=failed&right=yes&text=capital"
    assert 'aria-label="Filters"' not in html(view, "instances", slug(view))


def test_other_candidates_stand_beside_an_answer(view: View) -> None:
    page = draw(view, "instance", slug(view), id="item0003", **{"with": slug(view, "beta")})
    others = next(grid for grid in page.grids if grid.name == "others").records()
    assert others == [{"candidate": "beta", "exact_match": 1.0, "outcome": "answered", "read as": "yes"}]
    assert "Take away beta" in page.body
    alone = draw(view, "instance", slug(view), id="item0003")
    assert "Put beside: beta" in alone.body
    assert "this trial</span>" not in alone.body
    assert alone.body.count('<div class="text') == page.body.count('<div class="text') - 4  # of each what it wrote, and read as


def test_a_trial_that_the_run_does_not_have_is_refused(view: View) -> None:
    with pytest.raises(AssayError, match="no such trial of item 'item0099'"):
        draw(view, "instance", slug(view), id="item0099")
    with pytest.raises(AssayError, match="no trial is named"):
        draw(view, "instance", slug(view))


def one(tmp_path: Path, *args: object, **more: object) -> View:
    return view_of(one_trial(tmp_path / "suite", *args, **more))  # type: ignore[arg-type] # those of one_trial


def shown_of(view: View, **query: str) -> str:
    entry = view.catalog.entries[0]
    return html(view, "instance", entry.slug, id="a", **query)


YES = (Reference(text="42", correct=True),)


def test_the_matched_span_examples_and_reasoning_are_told_apart(tmp_path: Path) -> None:
    prompt = "Solve.\n\nInput: 1+1\nOutput: 2\n\nInput: 40+2\nOutput:"
    answer = Response(completions=(Completion(text="<think>forty and two</think>The answer is 42.", reasoning="Let me see."),))
    prompting = Generation(instructions="Solve.\n", answer="number")
    view = one(tmp_path, Instance(id="a", input="40+2", references=YES), (prompt,), (answer,), prompting, shots=("example",))
    shown = shown_of(view)
    assert "The answer is <mark>42</mark>." in shown
    assert re.search(r"<details><summary>1 example\b.*?Input: 1\+1\nOutput: 2\n\n</div>", shown, re.DOTALL)
    assert re.search(r"<details><summary>Reasoning.*?Let me see\.", shown, re.DOTALL)
    assert re.search(r"<details><summary>Reasoning.*?&lt;think&gt;forty and two&lt;/think&gt;</div>", shown, re.DOTALL)
    assert "Input: 40+2\nOutput:</div>" in shown


def test_tokens_are_shaded_by_their_probability(tmp_path: Path) -> None:
    tokens = (Token(text="4", logprob=math.log(0.55), top={"5": math.log(0.2)}), Token(text="2", logprob=math.log(0.99)))
    answer = Response(completions=(Completion(text="42", tokens=tokens),))
    view = one(tmp_path, Instance(id="a", input="?", references=YES), ("?",), (answer,))
    shown = shown_of(view)
    assert '<span class="shade-5" title="probability 0.55 (ln -0.598); instead: &#34;5&#34; 0.2">4</span>' in shown
    assert '<span class="shade-9"' in shown
    page = draw(view, "instance", view.catalog.entries[0].slug, id="a")
    assert [row["token"] for grid in page.grids if grid.name.startswith("tokens-") for row in grid.records()] == ["4", "2"]


def test_scored_options_stand_in_one_table_and_the_chosen_one_is_marked(tmp_path: Path) -> None:
    references = (Reference(text="Paris", correct=True), Reference(text="Rome"))
    responses = tuple(
        Response(completions=(Completion(text=text, tokens=(Token(text=text, logprob=logprob),), finish_reason="scored"),))
        for text, logprob in ((" Paris", -0.4), (" Rome", -3.0))
    )
    asked = Instance(id="a", input="Capital of France?", references=references)
    view = one(
        tmp_path,
        asked,
        ("Capital of France?",) * 2,
        responses,
        MultipleChoiceSeparateOriginal(shots=0),
        continuations=(" Paris", " Rome"),
    )
    shown = shown_of(view)
    assert shown.count(">Capital of France?</div>") == 1  # the prompt of both holds it
    assert re.search(r"Paris</span></span></span></th>\n<td class=\"number\">-0\.400</td><td>chosen</td>", shown)
    assert re.search(r"Rome</span></span></span></th>\n<td class=\"number\">-3\.000</td><td></td>", shown)
    options = next(
        g for g in draw(view, "instance", view.catalog.entries[0].slug, id="a").grids if g.name == "options"
    ).records()
    assert [(row["text"], row["is"], row["chosen"]) for row in options] == [("Paris", "right", "chosen"), ("Rome", "wrong", "")]


def test_many_requests_are_shown_some_at_a_time(tmp_path: Path) -> None:
    prompts = tuple(f"prompt number {number}." for number in range(25))
    responses = tuple(Response(completions=(Completion(text=f"said {number}."),)) for number in range(25))
    view = one(tmp_path, Instance(id="a", input="?", references=YES), prompts, responses)
    first = shown_of(view)
    assert "prompt number 9." in first
    assert "prompt number 10." not in first
    assert "request=10" in first
    last = shown_of(view, request="20")
    assert "Requests 21 to 25 of 25" in last
    assert "said 24." in last


def test_roles_of_a_conversation_and_a_judges_reply_are_shown(tmp_path: Path) -> None:
    asked = (Message(role="system", content="Be kind."), Message(role="user", content="Hello?"))
    judging = Judging(judge="the/judge", prompt="Mark it.", response=Response(completions=(Completion(text="Answer: 4"),)))
    answer = Response(completions=(Completion(text="Hi"),), failure=None)
    view = one(tmp_path, Instance(id="a", input=asked, references=YES), (asked,), (answer,), judging=judging)
    seen = text_of(shown_of(view))
    assert "system Be kind. user Hello?" in seen
    assert (
        "What the judge said judge the/judge mark 0.75 (0 to 1) Answer: 4 What the judge was shown 8 characters Mark it."
        in seen
    )


def test_a_failed_judge_is_told(tmp_path: Path) -> None:
    judging = Judging(judge="j", prompt="Mark it.", response=Response(failure=Failure(kind="timeout", message="too late")))
    answer = Response(completions=(Completion(text="Hi"),))
    view = one(tmp_path, Instance(id="a", input="?", references=YES), ("?",), (answer,), judging=judging)
    assert "timeout: too late" in text_of(shown_of(view))


def test_what_a_copy_changed_is_marked(tmp_path: Path) -> None:
    run = scored_run(tmp_path / "suite", "alpha", [Said(0, "yes"), Said(0, "yes", perturbation="typos")])
    view = view_of(run)
    shown = html(view, "instance", view.catalog.entries[0].slug, id="item0000", perturbation="typos")
    assert "What the copy changed" in shown
    assert '<div class="text" tabindex="0" role="group" aria-label="The changes">Question 0?</div>' in shown


def test_a_long_completion_is_read_on_from_part_to_part(tmp_path: Path) -> None:
    text = "".join(f"word{number} " for number in range(5000))
    answer = Response(completions=(Completion(text=text),))
    view = one(tmp_path, Instance(id="a", input="?", references=YES), ("?",), (answer,))
    shown = shown_of(view)
    assert "word4999" not in shown.split("What came back</h2>")[1]
    assert "part=completion-0-0&amp;start=12000" in shown
    assert "word4999" in shown_of(view, part="completion-0-0", start="36000")


# Hostile texts: shown, escaped, visible and bounded, in every place where a text of others can stand.


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_text_is_harmless_everywhere(tmp_path: Path, kind: str) -> None:
    view = view_of(hostile(tmp_path / "suite", HOSTILE[kind]))
    entry = view.catalog.entries[0]
    address = next(iter(kind_of("instance").every(view.catalog)))
    pages = {
        "instances": html(view, "instances", entry.slug),  # which looks for scripts, handlers, unclosed and forbidden elements
        "instance": html(view, "instance", entry.slug, **dict(address.query)),
        "run": html(view, "run", entry.slug),
    }
    for name, page in pages.items():
        assert len(page) < 400_000, name
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufdd0]", page), name
        assert "alert(1)>" not in page, name
        assert str(7919 * 7907) not in page, name


def test_what_cannot_be_seen_is_told_from_the_rest(tmp_path: Path) -> None:
    view = view_of(hostile(tmp_path / "suite", HOSTILE["bidi"]))
    address = next(iter(kind_of("instance").every(view.catalog)))
    shown = html(view, "instance", address.of, **dict(address.query))
    assert 'safe <span class="control">\\u{202e}</span>gnp.exe' in shown


def test_a_line_of_ten_million_characters_can_be_read_to_its_end(tmp_path: Path) -> None:
    view = view_of(hostile(tmp_path / "suite", HOSTILE["line"]))
    address = next(iter(kind_of("instance").every(view.catalog)))
    end = html(view, "instance", address.of, **dict(address.query), part="completion-0-0", start="9999990")
    assert "Characters 9,999,991 to 10,000,000 of 10,000,000." in end
    assert f">{'x' * 10}</div>" in end


# Static reports.


def static(view: View) -> tuple[View, list[Address]]:
    every = [address for name in ("run", "instances", "instance") for address in kind_of(name).every(view.catalog)]
    links: Links = Filed({address: f"{address.page}/{place}.html" for place, address in enumerate(every)}, "instance/x.html")
    return View(view.catalog, links), every


def test_a_report_has_no_forms_and_its_links_lead_to_pages_that_are_there(view: View) -> None:
    fixed, every = static(view)
    there = {f"../{address.page}/{place}.html" for place, address in enumerate(every)}
    for address in every:
        body = str(kind_of(address.page).draw(fixed, address).body)
        assert "<form" not in body
        assert 'href=""' not in body
        assert set(re.findall(r'href="([^"#]+)"', body)) <= there


def test_a_report_says_how_many_trials_it_holds_and_leads_through_them(view: View) -> None:
    fixed, every = static(view)
    listed = next(address for address in every if address.page == "instances" and address.of == slug(view))
    body = str(kind_of("instances").draw(fixed, listed).body)
    assert "40 of 90 trials" in text_of(body)
    trials = [address for address in every if address.page == "instance" and address.of == slug(view)]
    assert len(trials) == 40
    middle = str(kind_of("instance").draw(fixed, trials[20]).body)
    for rel, other in (("prev", trials[19]), ("next", trials[21])):
        assert f'rel="{rel}" href="{fixed.links.href(other)}"' in middle


def test_who_differs_is_asked_of_the_first_other_run_where_none_is_named(view: View) -> None:
    page = draw(view, "instances", slug(view), differs="any")
    record = page.grids[0].records()[0]
    assert record == draw(view, "instances", slug(view), differs="any", **{"with": slug(view, "beta")}).grids[0].records()[0]
    assert f'<option value="{slug(view, "beta")}" selected>' in page.body


def test_who_differs_has_no_answer_where_nobody_else_was_asked(tmp_path: Path) -> None:
    scored_run(tmp_path / "s", "alone", [Said(0, "yes")])
    view = view_of(tmp_path)
    with pytest.raises(AssayError, match="no other run of this scenario can differ"):
        draw(view, "instances", view.catalog.entries[0].slug, differs="any")
