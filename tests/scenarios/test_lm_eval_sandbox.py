"""Templates of others are filled in with little time and memory, whatever they say, and as Jinja does where they are usual."""

from __future__ import annotations

import pytest
from jinja2 import Environment, StrictUndefined

from assay.errors import AssayError
from assay.scenarios.lm_eval.templates import render

DOCUMENT = {"q": "Why?", "xs": ["one", "two", "three"], "n": 2, "data": {"a": 1}}


@pytest.mark.parametrize(
    "template",
    [
        "{{ 'a' * 10**10 }}",
        "{{ 10**10 * [q] }}",
        "{{ ['a' * 100000] * 10000 }}",
        "{{ 7 ** 99999999 }}",
        "{{ '%999999999d' % 1 }}",
        "{{ '%*d' % (999999999, 1) }}",
        "{{ '%.999999999f'|format(1) }}",
        "{{ '{:>999999999}'.format(1) }}",
        "{{ '{:>{}}'.format(1, 999999999) }}",
        "{{ 'a'.center(999999999) }}",
        "{{ 'a'|center(999999999) }}",
        "{{ q|indent(width=999999999, first=true) }}",
        "{{ ('a' * 10000)|replace('a', 'b' * 10000) }}",
        "{{ ('a' * 10000).join('b' * 10000) }}",
        "{{ lipsum(n=9999) }}",
        "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}",
        "{% for i in range(99999) %}{{ 'a' * 10000 }}{% endfor %}",
        "{% set s = namespace(a='aa') %}{% for i in range(60) %}{% set s.a = s.a + s.a %}{% endfor %}",
        "{% set s = namespace(a='aa') %}{% for i in range(60) %}{% set s.a = s.a ~ s.a %}{% endfor %}",
        "{% set a = 'aa' %}" + "{% set a %}{{ a }}{{ a }}{{ a }}{% endset %}" * 40,
        "{% macro f(n) %}{% if n %}{{ f(n - 1) }}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(60) }}",
    ],
)
def test_a_template_that_would_take_all_time_or_memory_is_refused(template: str) -> None:
    with pytest.raises(AssayError, match=r"the template .* cannot be filled in") as raised:
        render(template, DOCUMENT)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    "template",
    [
        "{{q}} ~ {{ q ~ n ~ xs|length }}\n",
        "{% for x in xs %}{{ loop.index }}. {{ x|upper }}{{ ', ' if not loop.last }}{% endfor %}",
        "{{ '%s is %05.2f, 100%%' % (q, n) }} {{ '%-5s|'|format(q) }}",
        "{{ 'A: {b}, {}'.format(q, b=n) }} {{ '{:>6}'.format(n) }}: {{ data.a }}",
        "{{ xs|join(', ') }} {{ ' - '.join(xs) }} {{ xs + ['four'] }} {{ '-' * 10 }} {{ n ** 10 % 7 }} {{ 2 * n }}",
        "{% set a %}{{ q }}{% endset %}{% macro m(t) %}<{{ t }}>{% endmacro %}{{ m(a)|replace('W', 'w') }}",
        "{{ range(5)|map('string')|list }} {{ q|trim|center(20) }} {{ xs|batch(2)|list }} {{ data|tojson }} {{ q|indent(2) }}",
        "{{ q|attr('lower')() }} {{ xs|map(attribute='upper')|list|length }} {{ xs|reverse|join }}",
    ],
)
def test_usual_templates_are_filled_in_as_by_jinja(template: str) -> None:
    plain = Environment(undefined=StrictUndefined, keep_trailing_newline=True).from_string(template)
    assert render(template, DOCUMENT) == plain.render(DOCUMENT)


def test_each_filling_may_do_as_much_as_the_last() -> None:
    for _ in range(5):
        assert len(render("{% for i in range(50000) %}{{ q }}{% endfor %}", DOCUMENT)) == 200_000
