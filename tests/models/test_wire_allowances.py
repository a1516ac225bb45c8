from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.models.base import Allowance
from assay.models.wire.allowances import LONGEST_S, note, seconds_until


@pytest.mark.parametrize(
    ("written", "seconds"),
    [("6m0s", 360), ("1s", 1), ("120ms", 0.12), ("59m3.5s", 3543.5), ("2.5", 2.5), ("", 0), (None, 0), ("soon", 0),
     ("-3", 0), ("nan", 0), ("1e300", LONGEST_S), ("99999999h", LONGEST_S)],
)  # fmt: skip
def test_a_reset_is_read_in_every_dress(written: str | None, seconds: float) -> None:
    assert seconds_until(written) == pytest.approx(seconds)


def test_a_reset_given_as_a_date_is_the_time_until_then() -> None:
    moment = (datetime.now(UTC) + timedelta(seconds=90)).isoformat().replace("+00:00", "Z")
    assert 80 < seconds_until(moment) <= 90
    assert seconds_until("2001-01-01T00:00:00Z") == 0


@given(st.text(max_size=20))
def test_no_header_breaks_the_reading(text: str) -> None:
    assert 0 <= seconds_until(text) <= LONGEST_S
    note(Allowance(), {"x-ratelimit-remaining-requests": text, "x-ratelimit-reset-requests": text})


def test_both_families_of_headers_are_understood() -> None:
    allowance = Allowance()
    note(allowance, {"x-ratelimit-remaining-requests": "12", "x-ratelimit-reset-requests": "2s"})
    assert allowance.requests == 12
    assert 0 < allowance.requests_full_at - time.monotonic() <= 2
    assert allowance.tokens is None
    note(allowance, {"anthropic-ratelimit-tokens-remaining": "9000", "anthropic-ratelimit-tokens-reset": "1s"})
    assert (allowance.requests, allowance.tokens) == (12, 9000)
    note(allowance, {"x-ratelimit-remaining-requests": "many"})
    assert allowance.requests == 12
