"""Short answers in free words: what says the right thing, and what only mentions it."""

from __future__ import annotations

import time

import pytest

from assay.metrics.library.short_answers import answer_match
from assay.records import Answer, Reference

SAID = [
    *[('{"answer": "Paris", "reason": "as the passage says"}', "Paris"), ("I'd say Paris, since they won.", "Paris")],
    *[("Paris\n\nDas folgt aus dem, was gegeben ist.", "Paris"), ("应当是1984。", "1984"), ("It's O.", "O")],
    ("### 答案\n\n1984\n\n### 理由\n\n- 这是根据已知条件得出的。", "1984"),
    *[("Paris", "Paris"), ("It is Paris.", "Paris"), ("The capital of France is Paris.", "Paris")],
    *[("**Paris**, because London is in England", "Paris"), ("Answer: Paris", "Paris")],
    *[("It's not London but Paris", "Paris"), ("No, it is Paris.", "Paris")],
    *[("I'm not sure, but I think Paris", "Paris"), ("東京です。", "東京"), ("答案是北京。", "北京")],
    *[("Great question! The capital of France is Paris. Let me know if you need more.", "Paris")],
    *[("Is it London? No. It is Paris.", "Paris"), ("Paris, France", "Paris"), ("Well, of course, Paris", "Paris")],
    *[("the Beatles", "The Beatles"), ("It was the Beatles", "Beatles"), ("Beatles", "The Beatles"), ("서울입니다", "서울")],
    *[("PARIS", "paris"), ("“Paris”", "Paris"), ("don’t know… maybe Paris", "Paris")],
    *[("To be or not to be, that is it", "to be or not to be"), ("x > 0", "x>0"), ("不是伦敦，是巴黎。", "巴黎")],
    *[("Romeo and Juliet", "Romeo and Juliet"), ("red, white and blue", "red, white and blue")],
    *[("No doubt it is Paris", "Paris"), ("Marie Curie discovered it in 1898.", "Marie Curie")],
    *[("Let me think. France is in Europe. Its capital is on the Seine.\n\nSo it's Paris!", "Paris")],
    *[("The U.S.", "US"), ("J.R.R. Tolkien wrote it. In 1954.", "J.R.R. Tolkien")],
    *[("The answer is J.R.R. Tolkien. He did.", "J.R.R. Tolkien"), ("C++ is it", "C++")],
    *[("He was born in Ulm, Germany", "Ulm"), ("C'est Paris.", "Paris"), ("Es París", "París")],
    *[("This is Paris; not Rome.", "Paris")],
    ("It is none other than Shakespeare.", "Shakespeare"),
    ("Many say Paris, but it is Lyon.", "Lyon"),
    ("You might think Paris. It's Lyon.", "Lyon"),
    ("Paris is commonly believed to be the answer, but it's actually Lyon.", "Lyon"),
    ("Lyon. Paris is in the north.", "Lyon"),
    ("**Shakespeare**\n\nMarlowe was a contemporary.", "Shakespeare"),
    ("Lyon, not Paris. Paris is in the north.", "Lyon"),
    ("I don't doubt it is Paris.", "Paris"),
    ("I think it is Paris.", "Paris"),
    ("I believe it is Paris.", "Paris"),
    ("It was built between 1940 and 1945", "between 1940 and 1945"),
    ("Hmm. Paris.", "Paris"),
    ("Sure! Paris.", "Paris"),
    ("Yes. It is Paris.", "Paris"),
    ("Good question. It is Paris.", "Paris"),
    ("Contrary to popular belief, Paris isn't it; it is Lyon.", "Lyon"),
]
NOT_SAID = [
    *[("-sin x", "sin x"), ("A-", "A"), ("It takes 2 hours", "2 days")],
    *[("It's London, because Paris lost.", "Paris"), ("Unlike Paris, London won.", "Paris")],
    *[
        ("巴黎、伦敦、罗马", "伦敦"),
        ("巴黎\n伦敦\n罗马", "罗马"),
        ("It is a dog", "a"),
        ("应当是1984。", "198"),
        ("Group O is rare", "O"),
    ],
    *[("It is not Paris", "Paris"), ("It isn't Paris.", "Paris"), ("It is not Paris, it is London", "Paris")],
    *[("Paris or London or Rome", "Paris"), ("Paris or London or Rome", "London")],
    *[("Paris or London or Rome", "Rome"), ("Paris, London, Rome", "Paris"), ("Paris, London and Rome", "Rome")],
    *[("- Paris\n- London\n- Rome", "London"), ("Paris/London/Rome", "London")],
    *[("Paris, because London is in England", "London"), ("Is it London? No. It is Paris.", "London")],
    *[("Paris is wrong", "Paris"), ("Ce n'est pas Paris", "Paris"), ("Es ist nicht Paris", "Paris")],
    *[("No es París", "París"), ("不是北京", "北京"), ("東京ではない", "東京"), ("Parisian", "Paris"), ("C++", "C")],
    *[("It is 5.5", "5"), ("-5", "5"), ("a dog", "a"), ("The answer is London. Paris is nice.", "Paris")],
    *[("rather than Paris, London", "Paris"), ("It could be Paris, London, or Rome.", "Paris"), ("", "Paris")],
    *[("Either Paris or London", "Paris"), ("x < 0", "x > 0"), ("Paris o Londres", "Paris"), ("巴黎或伦敦", "巴黎")],
    *[("The answer is not Paris.", "Paris"), ("It can't be Paris", "Paris"), ("Paris. London. Rome.", "Rome")],
    ("Many say Paris, but it is Lyon.", "Paris"),
    ("You might think Paris. It's Lyon.", "Paris"),
    ("Paris is commonly believed to be the answer, but it's actually Lyon.", "Paris"),
    ("Lyon. Paris is in the north.", "Paris"),
    ("**Shakespeare**\n\nMarlowe was a contemporary.", "Marlowe"),
    ("I doubt it is Paris.", "Paris"),
    ("Hardly Paris.", "Paris"),
    ("Anything but Paris.", "Paris"),
    ("12 000", "12"),
    ("between 1940 and 1945", "1945"),
    ("between 1940 and 1945", "1940"),
    ("The answer is Lyon. Paris is the largest city though.", "Paris"),
    ("Lyon. Paris is the largest city though.", "Paris"),
    ("from 1940 to 1945", "1945"),
    ("People believe it is Paris, but it is Lyon.", "Paris"),
    ("Some claim Paris.", "Paris"),
    ("1940 to 1945", "1940"),
    ("It's 12,000", "12"),
    ("It might seem to be Paris, but it's Lyon.", "Paris"),
    ("At first glance Paris, but really Lyon", "Paris"),
    *[("A+", "A"), ("neither Paris nor London", "London"), ("neither Paris nor London", "Paris")],
]


def matched(prediction: str, *gold: str) -> float | None:
    references = tuple(Reference(text=text, correct=True) for text in gold)
    return answer_match(Answer(outcome="answered", prediction=prediction, references=references))


@pytest.mark.parametrize(("prediction", "gold"), SAID)
def test_an_answer_that_says_the_reference_is_right(prediction: str, gold: str) -> None:
    assert matched(prediction, gold) == 1


@pytest.mark.parametrize(("prediction", "gold"), NOT_SAID)
def test_an_answer_that_denies_lists_or_merely_mentions_the_reference_is_wrong(prediction: str, gold: str) -> None:
    assert matched(prediction, gold) == 0


def test_one_of_several_references_suffices_and_none_is_nothing_to_compare_with() -> None:
    assert matched("It's NYC, of course.", "New York", "NYC") == 1
    assert matched("anything") is None


def test_an_unread_answer_beside_options_is_wrong() -> None:
    references = (Reference(text="Paris", correct=True), Reference(text="Rome", correct=False))
    assert answer_match(Answer(outcome="unparsed", prediction="It is Paris", references=references)) == 0


def test_of_a_long_text_the_beginning_and_the_end_count() -> None:
    filler = "Rome was not built in a day and has many hills to look at. " * 20
    assert matched(f"Paris. {filler}", "Paris") == matched(f"{filler}So Paris it is.", "Paris") == 1
    assert matched(f"{filler}Oslo is cold. {filler}", "Oslo") == 0


@pytest.mark.parametrize(
    "part", ["a, ", "not ", "x", "Paris or ", "。", "n't ", "(", "the answer is ", "? ", "well ", "- ", "1,000", "/", "Paris "]
)
def test_hostile_answers_take_linear_time(part: str) -> None:
    began = time.perf_counter()
    matched(part * (100_000 // len(part)) + "Paris", "Paris", "P. Aris")
    assert time.perf_counter() - began < 1
