"""Notes of what candidates were asked otherwise: what is written is read back."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from assay.comparison.results import Difference
from assay.decisions.contract_notes import SHOWN, differences_in, in_short, note_of

TEXT = st.text('ab:;( )…"', min_size=1, max_size=8)


def test_what_is_written_is_read_back_and_other_notes_stay() -> None:
    values = {"openai/a": '"x; y"', "b: c": "not set", "d": '["\\n"]'}
    held = Difference(scenario="a differ in b", key="prompting.stop", values=values)
    other = "openai/a dropped out after 8 of 20 instances: it breaks cheap."
    assert differences_in([other, note_of(held)], list(values)) == ([held], [other])


def test_of_many_candidates_the_first_are_read_back() -> None:
    values = {f"m{number}": str(number) for number in range(SHOWN + 2)}
    held = Difference(scenario="s", key="seed", values=values)
    ((read,), others) = differences_in([note_of(held)], list(values))
    assert (list(read.values), others) == (list(values)[:SHOWN], [])


@given(st.dictionaries(TEXT, TEXT, min_size=2, max_size=6), TEXT)
def test_no_note_is_lost_or_changed_whatever_names_and_values_hold(values: dict[str, str], scenario: str) -> None:
    held = Difference(scenario=scenario, key="prompting.stop", values=values)
    note = note_of(held)
    found, others = differences_in([note], list(values))
    assert others == [note] or all(f"{name}: {value}" in note for read in found for name, value in read.values.items())
    assert len(found) + len(others) == 1


def test_of_many_keys_only_the_names_are_told() -> None:
    notes = [note_of(Difference(scenario="s", key=f"k{number}", values={"a": "1", "b": "2"})) for number in range(5)]
    assert in_short(notes, ["a", "b"], 3) == ["s: k0, k1, k2, k3, k4"]
    assert in_short(notes[:3], ["a", "b"], 3) == notes[:3]
