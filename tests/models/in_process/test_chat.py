from __future__ import annotations

import pytest

from assay.errors import AssayError
from assay.models.in_process.chat import rendered
from assay.records import Message

TALK = (Message(role="user", content="Hi <b>{{ 7 * 7 }}</b>"),)


def test_messages_are_put_into_the_template_as_they_stand() -> None:
    template = "{{ bos_token }}{% for message in messages %}[{{ message.role }}]{{ message.content }}{% endfor %}"
    assert rendered(template, TALK, {"bos_token": "<s>"}, "m") == "<s>[user]Hi <b>{{ 7 * 7 }}</b>"


@pytest.mark.parametrize(
    ("template", "why"),
    [
        (None, "m has no chat template"),
        ("{% for %}", "the chat template is broken"),
        ("{{ raise_exception('only\nsystem') }}", "refuses these messages: only system"),
        ("{{ messages[0].content + 1 }}", "refuses these messages"),
        ("{{ messages[9].content.x }}", "refuses these messages"),
        ("{{ ''.__class__.__mro__[1].__subclasses__() }}", "refuses these messages"),
    ],
)
def test_what_a_template_cannot_do_is_one_line(template: str | None, why: str) -> None:
    with pytest.raises(AssayError, match=why) as caught:
        rendered(template, TALK, {}, "m")
    assert "\n" not in str(caught.value)
