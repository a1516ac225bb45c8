"""Several people who change a record at once: each waits for the other, and what each of them did stays."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
import pytest

from assay.decisions.alone import alone_with
from assay.decisions.choosing import put_down
from assay.decisions.keys import new_key, read_key
from assay.decisions.record import Choice
from assay.decisions.recording import page_bytes, page_of, read_record, sealed, write_record
from assay.decisions.signing import Signer, sign_file, signature_problems
from assay.errors import AssayError
from decision_records import small_record

MANY = 8


def at_once(tasks: Sequence[Callable[[], object]]) -> None:
    with ThreadPoolExecutor(len(tasks)) as pool:
        for task in [pool.submit(task) for task in tasks]:
            task.result()


def test_signatures_that_are_given_at_once_all_stay_and_all_hold(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    write_record(small_record(), path)
    for number in range(MANY):
        new_key(tmp_path / f"{number}.pem")
    keys = [read_key(tmp_path / f"{number}.pem") for number in range(MANY)]
    at_once([lambda n=n: sign_file(path, keys[n], Signer(f"P{n}", "owner")) for n in range(MANY)])  # type: ignore[misc] # mypy infers no lambda with a default
    record = read_record(path)
    assert sorted(one.name for one in record.signatures) == [f"P{number}" for number in range(MANY)]
    assert list(signature_problems(record, path)) == []
    assert page_of(path).read_bytes() == page_bytes(record)
    assert not list(tmp_path.glob(".*"))


def test_choices_that_are_made_at_once_all_stay(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    bare = small_record()
    made = [
        sealed(msgspec.structs.replace(bare, choice=Choice(chosen="", by=f"P{number}", rationale="why")))
        for number in range(MANY)
    ]
    at_once([lambda one=one: put_down(one, path) for one in made])  # type: ignore[misc] # mypy infers no lambda with a default
    record = read_record(path)
    assert record.choice is not None
    assert sorted([record.choice.by, *(one.by for one in record.earlier)]) == [f"P{number}" for number in range(MANY)]
    assert page_of(path).read_bytes() == page_bytes(record)


HOLD = """
import sys
from pathlib import Path
from assay.decisions.alone import alone_with
with alone_with(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_whoever_was_killed_while_changing_a_record_keeps_nobody_waiting(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    command = [sys.executable, "-c", HOLD, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        assert list(tmp_path.glob(".*")) != []
        other.send_signal(signal.SIGKILL)
    with alone_with(path):
        assert list(tmp_path.glob(".*")) != []
    assert not list(tmp_path.glob(".*"))


def test_a_link_that_somebody_laid_in_the_way_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("all of it")
    (tmp_path / ".x.json.lock").symlink_to(tmp_path / "precious")
    with pytest.raises(AssayError, match=r"x\.json cannot be written"), alone_with(tmp_path / "x.json"):
        pass
    assert (tmp_path / "precious").read_text() == "all of it"


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(AssayError, match="No such file or directory"), alone_with(tmp_path / "no" / "x.json"):
        pass


def test_a_record_that_is_reached_through_a_link_is_itself_signed_and_chosen_by(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    path, link = tmp_path / "kept" / "x.json", tmp_path / "link.json"
    bare = small_record()
    write_record(bare, path)
    link.symlink_to(path)
    put_down(sealed(msgspec.structs.replace(bare, choice=Choice(chosen="", by="Ana", rationale="why"))), link)
    new_key(tmp_path / "k.pem")
    sign_file(link, read_key(tmp_path / "k.pem"), Signer("Ana", "owner"))
    record = read_record(path)
    assert record.choice is not None
    assert (record.choice.by, [one.name for one in record.signatures]) == ("Ana", ["Ana"])
    assert link.is_symlink()
    assert page_of(path).read_bytes() == page_bytes(record)
    assert page_of(link) == page_of(path)


def test_a_record_with_the_longest_name_that_there_is_can_be_signed(tmp_path: Path) -> None:
    path = tmp_path / f"{'x' * 250}.json"
    write_record(small_record(), path)
    new_key(tmp_path / "k.pem")
    assert len(sign_file(path, read_key(tmp_path / "k.pem"), Signer("Ana", "owner")).signatures) == 1
    assert not list(tmp_path.glob(".*"))
