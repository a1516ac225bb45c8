"""Decisions on real runs, for tests of records: two baselines on the billing enquiries, decided on, written, signed."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from assay.cli import main
from assay.decisions.deciding import decide
from assay.decisions.keys import new_key, read_key
from assay.decisions.measuring import measure
from assay.decisions.profile import Deployment, Profile
from assay.decisions.reading import read_profile
from assay.decisions.record import Choice, DecisionRecord
from assay.decisions.recording import make_record, read_record, sealed, write_record
from assay.decisions.results import Decision
from assay.decisions.signing import Signer, sign

PROFILE = """\
# what the billing team wants
name: Billing assistant
deployment: {owner: Ana Ruiz, context: sorts enquiries, affected: [customers], review: "2999-01-01", expires: "2999-06-01"}
runs: [runs/default]
criteria:
  - {name: right answers, metric: exact_match, weight: [2, 4], value: {unacceptable: 0.1, satisfying: 0.95}}
  - {name: honest confidence, metric: ece_10_bin, weight: 1, value: {unacceptable: 0.5, satisfying: 0}}
constraints:
  - {name: right enough, metric: exact_match, at_least: 0.01}
"""
RECORD = "billing.decision.json"


@pytest.fixture(scope="session")
def decided(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with runs/, profile.yaml and a record of a decision; tests copy it."""
    folder = tmp_path_factory.mktemp("decided")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("ASSAY_CACHE", str(folder / ".cache"))
        patch.delenv("ASSAY_RUNS", raising=False)
        models = ("-m", "baseline/majority", "-m", "baseline/uniform")
        patch.setattr(sys, "argv", ["assay", "run", "billing_support:", *models, "-n", "12", "--quiet"])
        with pytest.raises(SystemExit) as stop:
            main()
        assert not stop.value.code
    (folder / "profile.yaml").write_text(PROFILE)
    profile = read_profile(folder / "profile.yaml")
    measured = measure(profile, folder)
    choice = Choice(chosen="baseline/majority", by="Ana Ruiz", rationale="It is right more often.", dissent="None.")
    record = make_record(profile, PROFILE, measured, decide(profile, measured), folder / RECORD, choice)
    write_record(record, folder / RECORD)
    return folder


@contextmanager
def no_file_larger_than(size: int) -> Iterator[None]:
    """Files that the block writes can have so many bytes, as on a disk that is full then."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def small_record(**more: object) -> DecisionRecord:
    """A record that decides nothing, over nothing: for tests of what surrounds that."""
    decision = Decision(
        status="none acceptable",
        recommended=None,
        contenders=(),
        words=("No candidate is acceptable.",),
        weights={},
        standings=(),
        flips=(),
        distance=None,
        tradeoffs=(),
        method={"seed": "0"},
    )
    profile = Profile(name="Small", deployment=Deployment(owner="Ana", context="none"))
    held = {"name": "Small", "profile": profile, "profile_file": "name: Small\n", "evidence": (), "decision": decision}
    return sealed(DecisionRecord(**{**held, "created": "2026-01-02T03:04:05Z", **more}))  # type: ignore[arg-type]


def signed_by(path: Path, *names: str) -> None:
    """Sign a record, each with a new key beside it: NAME.pem."""
    for name in names:
        key = path.with_name(f"{name}.pem")
        if not key.exists():
            new_key(key)
        write_record(sign(read_record(path), read_key(key), Signer(name, "owner"), path), path)
