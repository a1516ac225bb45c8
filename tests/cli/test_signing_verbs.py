"""`assay new key`, `sign`, `verify` and `evidence`, as their users meet them."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from assay.store import find_runs
from cli_helpers import Assay, assay
from decision_records import RECORD, decided

__all__ = ["assay", "decided"]


@pytest.fixture(autouse=True)
def here(assay: Assay, decided: Path, tmp_path: Path) -> Path:
    """The working folder holds a record and its runs."""
    shutil.copytree(decided, tmp_path, ignore=shutil.ignore_patterns(".cache"), dirs_exist_ok=True)
    return tmp_path


SIGN = ("sign", RECORD, "--key", "ana.pem", "--name", "Ana Ruiz", "--role", "owner")


def test_a_decision_is_signed_and_verified_with_the_keys_that_are_known(assay: Assay) -> None:
    public = {}
    for name in ("ana", "bo"):
        said = assay("new", "key", f"{name}.pem")
        assert said.code == 0, said
        public[name] = re.findall(r"public key:  (\S+)", said.out)[0]
        assert "PRIVATE" not in said.out + said.err
    said = assay(*SIGN, "--statement", "Fit for sorting, not for answering.")
    assert said.code == 0, said
    assert "chosen:  baseline/majority (recommended: baseline/majority)" in said.out
    assert assay("sign", RECORD, "--key", "bo.pem", "--name", "Bo Li", "--role", "risk officer").code == 0
    said = assay("verify", RECORD)
    assert said.code == 0, said
    assert "signed by Ana Ruiz (owner), 20" in said.out
    assert "signed by Bo Li (risk officer), 20" in said.out
    assert "note: billing.decision.json: whose the keys are was not checked" in said.out
    assert said.out.endswith(
        "1 record and 2 runs verified: every file is as it was written, and every number follows from the stored answers\n"
    )
    said = assay("verify", RECORD, "--key", public["ana"], "--key", public["bo"], "--quick")
    assert (said.code, "note" in said.out) == (0, False)
    assert said.out.endswith("1 record and 2 runs verified: every file is as it was written\n")
    said = assay("verify", RECORD, "--key", public["ana"])
    assert said.code == 1
    assert "signature 2 (Bo Li): its key SHA256:" in said.out
    assert said.err == "error: 1 problem in 1 record and 2 runs\n"
    assert "Fit for sorting, not for answering." in Path(RECORD).with_suffix(".md").read_text()


def test_the_public_part_of_a_key_is_printed_again_for_a_file(assay: Assay) -> None:
    public = re.findall(r"public key:  (\S+)", assay("new", "key", "ana.pem").out)[0]
    said = assay("new", "key", "ana.pem", "--public")
    assert (said.code, said.out) == (0, f"{public}\n")
    assert "SHA256:" in said.err
    Path("ana.pub").write_text(said.out)
    assert assay(*SIGN).code == 0
    assert assay("verify", RECORD, "--key", "ana.pub", "--quick").code == 0
    assert assay("new", "key", "nobody.pem", "--public").code == 2


def test_a_profile_in_place_of_its_record_is_told_so(assay: Assay) -> None:
    Path("billing.yaml").write_text("name: x\n")
    for command in (("verify", "billing.yaml"), ("evidence", "billing.yaml", "x.zip")):
        said = assay(*command)
        assert (said.code, said.err.count("\n")) == (2, 1)
        assert "did you mean billing.decision.json?" in said.err


def test_a_decision_that_was_changed_is_neither_signed_nor_verified_nor_packed(assay: Assay) -> None:
    assert assay("new", "key", "ana.pem").code == 0
    record = Path(RECORD)
    record.write_text(record.read_text().replace("It is right more often.", "It is cheaper, surely."))
    for verb in (SIGN, ("evidence", RECORD, "pack.zip")):
        said = assay(*verb)
        assert (said.code, said.err.count("\n")) == (2, 1)
        assert "billing.decision.json: changed" in said.err
    said = assay("verify", RECORD)
    assert said.code == 1
    assert "billing.decision.json: changed (its digest does not fit its content)" in said.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("sign", "none.json", *SIGN[2:]), "none.json cannot be read"),
        (("sign", "profile.yaml", *SIGN[2:]), "profile.yaml is no decision record"),
        ((*SIGN[:3], "none.pem", *SIGN[4:]), "none.pem cannot be read"),
        ((*SIGN[:5], "", *SIGN[6:]), "the name is empty"),
        ((*SIGN, "--statement", "a\nb"), "the statement holds line breaks"),
        (("new", "key", RECORD), "is there already"),
        (("new", "key", "none/ana.pem"), "cannot be written"),
        (("verify", "profile.yaml"), "profile.yaml is no decision record"),
        (("verify", "none"), "none does not exist"),
        (("verify", "none.zip"), "none.zip does not exist"),
        (("verify", RECORD, "--key", "none.pub"), "none.pub cannot be read"),
        (("verify", RECORD, "--key", "ana.pem"), "ana.pem holds a private key"),
        (("evidence", RECORD, "pack.tar"), "let it end in .zip"),
        (("evidence", RECORD, "none/pack.zip"), "cannot be written"),
        (("evidence", RECORD, "pack.zip", "--redact", "regoin"), "unknown field to redact 'regoin'"),
        (("evidence", RECORD, "taken.zip"), "is there already"),
    ],
)
def test_wrong_usage_is_said_in_one_line(arguments: tuple[str, ...], message: str, assay: Assay) -> None:
    assert assay("new", "key", "ana.pem").code == 0
    Path("taken.zip").write_bytes(b"")
    before = sorted(str(path) for path in Path().rglob("*"))
    said = assay(*arguments)
    assert (said.code, said.out, said.err.count("\n")) == (2, "", 1), said
    assert message in said.err
    assert sorted(str(path) for path in Path().rglob("*")) == before


def test_an_evidence_pack_is_made_and_verified(assay: Assay) -> None:
    said = assay("evidence", RECORD, "pack.zip")
    assert said.code == 0, said
    assert "next:  assay verify pack.zip" in said.out
    said = assay("verify", "pack.zip")
    assert said.code == 0, said
    assert "1 pack, 1 record and 2 runs verified" in said.out
    assert "/tmp" not in said.out
    said = assay("evidence", RECORD, "pack.zip", "--redact", "input", "--redact", "completion", "--force")
    assert (said.code, "redacted: input, completion (" in said.out) == (0, True)
    assert "stays:    ids of instances" in said.out
    assert "names of groups" not in said.out
    said = assay("evidence", RECORD, "pack.zip", "--redact", "subgroups", "--force")
    assert "stays:    names of groups in the estimates and in the record\n" in said.out
    said = assay("evidence", RECORD, "pack.zip", "--redact", "input", "--redact", "completion", "--force")
    said = assay("verify", "pack.zip")
    assert said.code == 0, said
    assert "note: redacted: input, completion" in said.out
    last = "runs verified: every file is as it was written but for texts that are hidden; no number was computed again\n"
    assert said.out.endswith(last)


def test_verification_of_records_and_packs_is_also_for_machines(assay: Assay) -> None:
    assert assay("evidence", RECORD, "pack.zip").code == 0
    found = json.loads(assay("verify", "pack.zip", "--json").out)
    assert [next(iter(one)) for one in found] == ["pack", "record", "folder", "folder"]
    assert all(one["problems"] == [] for one in found)
    assert found[1]["signatures"] == []
    run = find_runs(Path("runs"))[0]
    (run.path / "stats.json").unlink()
    said = assay("verify", RECORD, "--json")
    assert said.code == 1
    assert [one["problems"] for one in json.loads(said.out)] == [[], [f"{run.path}/stats.json: missing"], []]


def test_a_hostile_name_commands_no_terminal(assay: Assay) -> None:
    plain = json.loads(Path(RECORD).read_text())
    plain["signatures"] = [
        {"name": "\x1b[31mEve", "role": "\u202e", "at": "now", "public_key": "x", "signature": "y", "statement": ""}
    ]
    Path(RECORD).write_text(json.dumps(plain))
    for options in ((), ("--json",)):
        said = assay("verify", RECORD, *options)
        assert said.code == 1
        assert "\x1b" not in said.out + said.err
        assert "\u202e" not in said.out + said.err
