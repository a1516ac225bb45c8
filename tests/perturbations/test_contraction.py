from __future__ import annotations

import pytest
from changed import changed
from hypothesis import given
from hypothesis import strategies as st

from assay.perturbations.library.contraction import pairs


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("do not", "don't"),
        ("Do not go.", "Don't go."),
        ("DO NOT", "DON'T"),
        ("I am late and it is cold", "I'm late and it's cold"),
        ("I do not know what it is.", "I do not know what it is.".replace("do not", "don't")),
        ("Here I am, and here we are", "Here I am, and here we are"),
        ("I have to go but I have gone and he has seen it", "I have to go but I've gone and he's seen it"),
        ("It is not", "It's not"),
        ("you cannot, you can not, CANNOT", "you can't, you can't, CAN'T"),
        ("do  not, do\nnot, do-not, undo not", "do  not, do\nnot, do-not, undo not"),
        ("do not\u0301", "do not\u0301"),
        ("they will see that they would", "they'll see that they would"),
    ],
)
def test_long_forms_become_short_where_people_say_them_short(text: str, expected: str) -> None:
    assert changed("contraction", text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("don't", "do not"),
        ("Don’t go, I’m ill", "Do not go, I am ill"),
        ("DON'T", "DO NOT"),
        ("can't and won't and shan't", "cannot and will not and shall not"),
        ("He'd been ill, he'd better go, he'd go", "He had been ill, he had better go, he would go"),
        ("It's been cold and it's cold", "It has been cold and it is cold"),
        ("Why don't you go?", "Why do you not go?"),
        ("Can't you see? It's late, isn't it?", "Can you not see? It is late, is it not?"),
        ("That isn't it.", "That is not it."),
        ("Emily's book, the dogs' bones, rock'n'roll", "Emily's book, the dogs' bones, rock'n'roll"),
        ("Let's go", "Let us go"),
        ("don't\u0301", "don't\u0301"),
    ],
)
def test_short_forms_become_long_as_grammar_has_it(text: str, expected: str) -> None:
    assert changed("expansion", text) == expected


@pytest.mark.parametrize("long", sorted(pairs()))
def test_every_pair_is_contracted_and_every_short_form_expanded(long: str) -> None:
    short = pairs()[long]
    participle = " seen" if long.split()[1] in ("have", "has", "had") else " late"
    assert changed("contraction", f"so {long}{participle}") == f"so {short}{participle}"
    expanded = changed("expansion", f"{short} late")
    assert expanded == "cannot late" if short == "can't" else expanded.removesuffix(" late") in pairs()


@given(st.text(alphabet="I itsdonaev'’.\n"))
def test_neither_leaves_anything_to_do_again(text: str) -> None:
    once = changed("expansion", text)
    assert changed("expansion", once) == once
