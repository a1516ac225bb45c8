"""Tokens by probability."""

from __future__ import annotations

import math

from assay.records import Token
from assay.web.trials.tokens import MOST, shaded, token_grid


def test_the_surer_the_model_the_stronger_the_shade() -> None:
    chances = (1.0, 0.95, 0.5, 0.09, 1e-9)
    found = shaded([Token(text=str(chance), logprob=math.log(chance)) for chance in chances])
    assert [token.level for token in found] == [9, 9, 5, 0, 0]
    assert found[2].note == "probability 0.5 (ln -0.693)"


def test_the_likeliest_alternatives_are_told_without_the_token_itself() -> None:
    token = Token(text="yes", logprob=math.log(0.6), top={"yes": math.log(0.6), "no": math.log(0.3), " \x07": math.log(0.01)})
    note = shaded([token])[0].note
    assert note.endswith('instead: "no" 0.3, " \\x07" 0.01')
    grid = token_grid("tokens", "Tokens", [token, Token(text=" a\n", logprob=-1.0)])
    assert grid.rows[1][1].text == '" a\\n"'
    assert grid.records()[0]["probability"] == math.exp(math.log(0.6))
    assert grid.rows[0][4].value == '"no" 0.3, " \\x07" 0.01'


def test_tokens_without_probabilities_have_no_shades() -> None:
    assert shaded([Token(text="a", logprob=None)]) == ()
    first, second = shaded([Token(text="a", logprob=None), Token(text="b", logprob=-0.1)])
    assert (first.level, second.level) == (None, 9)
    assert shaded([Token(text="a", logprob=float("nan")), Token(text="b", logprob=0.1)])[1].level == 9


def test_many_tokens_are_cut_and_the_table_says_so() -> None:
    tokens = [Token(text="a", logprob=-1.0)] * (MOST + 7)
    assert len(shaded(tokens)) == MOST
    assert token_grid("tokens", "Tokens", tokens).notes == ("7 further tokens are not shown.",)
