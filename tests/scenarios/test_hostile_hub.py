"""A hub that lies: about names, digests and contents, or in another language than the hub's."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hostile_hub import COMMIT, ROWS, HostileHub, Wrong

pytestmark = pytest.mark.slow

OTHER = b'{"q": 2}\n'
READ = """
def read(name, revision="main", test="*.jsonl"):
    return list(Hub(f"evil/{name}", revision=revision, test=test).read("test").rows)
"""
UP = "../" * 8


def changed(**values: Any) -> Callable[[dict[str, Any]], Any]:
    """A listing with other values."""
    return lambda told: {**told, **values}


def file_changed(**values: Any) -> Callable[[dict[str, Any]], Any]:
    """A listing whose file has other values."""
    return lambda told: {**told, "siblings": [{**told["siblings"][0], **values}]}


def refusals(hub: HostileHub, cache: Path, run: Callable[..., Any], **environment: str) -> dict[str, str]:
    """What reading each repository of a hub is refused with."""
    code = f"{READ}result = {{name: refusal(lambda: read(name)) for name in {list(hub.repositories)}}}"
    found: dict[str, str] = run(hub.url, cache, code, **environment)[0]
    return found


def foreign(folder: Path) -> list[Path]:
    """The files of a cache whose content is not the one their digest names."""
    blobs = [path for path in folder.rglob("blobs/*") if path.is_file()]
    return [path for path in blobs if hashlib.sha256(path.read_bytes()).hexdigest() != path.name]


LISTINGS = {
    "climbing-commit": changed(sha=f"{UP}tmp/escaped"),
    "no-commit": changed(sha=None),
    "long-commit": changed(sha="f" * 5000),
    "line-after-commit": changed(sha=f"{COMMIT}\n"),
    "a-list": lambda _: [1, 2],
    "a-text": lambda _: "x",
    "error": lambda _: {"error": "injected"},
    "no-name": file_changed(rfilename=None),
    "siblings-number": changed(siblings=5),
    "size-text": file_changed(size="big"),
    "size-below-zero": file_changed(size=-5, lfs=None),
    "climbing-digest": file_changed(lfs=None, blobId=f"{UP}tmp/escaped"),
}


def test_a_list_of_files_that_is_none_is_told_in_one_line_and_not_kept(tmp_path: Path, run_against: Callable[..., Any]) -> None:
    with HostileHub({name: Wrong(listing=listing) for name, listing in LISTINGS.items()}) as hub:
        told = refusals(hub, tmp_path / "in" / "hf", run_against)
        assert len(hub.asked) == len(LISTINGS), "such an answer is not asked for again"
    for name, message in told.items():
        assert f"answered about evil/{name} in a way that cannot be used" in message
        assert "\n" not in message
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_a_listing_in_the_cache_that_is_none_is_asked_for_anew(tmp_path: Path, run_against: Callable[..., Any]) -> None:
    kept = tmp_path / "hub" / "datasets--evil--it" / "assay" / f"{COMMIT}.json"
    kept.parent.mkdir(parents=True)
    kept.write_text(json.dumps({"commit": "../../..", "files": {"data.jsonl": {}}}))
    with HostileHub({"it": Wrong()}) as hub:
        rows, _ = run_against(hub.url, tmp_path, f"{READ}result = read('it', revision={COMMIT!r})")
    assert rows == [{"q": 1}]


def test_a_file_s_name_cannot_lead_out_of_its_folder(tmp_path: Path, run_against: Callable[..., Any]) -> None:
    climbing = [f"{UP}tmp/escaped.jsonl", "a/../../escaped.jsonl", "..\\escaped.jsonl"]
    names = [*climbing, "/tmp/escaped.jsonl", "C:escaped.jsonl", "a\x00b.jsonl"]
    repositories = {f"name-{number}": Wrong(listing=file_changed(rfilename=name)) for number, name in enumerate(names)}
    code = f"""{READ}
result = [refusal(lambda: read(f"name-{{n}}", test=name)) for n, name in enumerate({names!r})]
"""
    with HostileHub(repositories) as hub:
        told, _ = run_against(hub.url, tmp_path / "hf", code)
        assert not [path for path in hub.asked if "/resolve/" in path]
    assert all("would lie outside its folder" in message for message in told)
    assert not [path for path in tmp_path.rglob("*") if path.suffix == ".jsonl"]


CONTENTS = {
    "same-size": Wrong(body=OTHER),
    "other-size": Wrong(body=OTHER * 3),
    "climbing-etag": Wrong(body=OTHER, etag=f"{UP}tmp/escaped"),
    "long-etag": Wrong(body=OTHER, etag="e" * 5000),
    "elsewhere": Wrong(status=302, headers={"Location": f"http://{'a' * 300}.example/"}),
}


def test_what_differs_from_what_is_announced_never_gets_into_the_cache(tmp_path: Path, run_against: Callable[..., Any]) -> None:
    with HostileHub(CONTENTS) as hub:
        told = refusals(hub, tmp_path / "hf", run_against)
    assert "is damaged: its SHA-256 is" in told["same-size"]
    assert "is damaged: 27 bytes instead of 9" in told["other-size"]
    assert "an ETag that is no digest" in told["climbing-etag"]
    assert "an ETag that is no digest" in told["long-etag"]
    assert "cannot be used" in told["elsewhere"]
    assert all("\n" not in message for message in told.values())
    held = {path.relative_to(tmp_path / "hf").as_posix() for path in tmp_path.rglob("*") if path.is_file()}
    assert not [path for path in held if not path.endswith((".lock", "/assay/main.json"))]
    assert not list(tmp_path.rglob("incoming-*"))


def test_what_fits_is_kept_where_others_look_for_it_whatever_the_etag(tmp_path: Path, run_against: Callable[..., Any]) -> None:
    code = f"""{READ}
from huggingface_hub import hf_hub_download
rows = read("it")
path = hf_hub_download("evil/it", "data.jsonl", repo_type="dataset", revision={COMMIT!r}, local_files_only=True)
result = [rows, open(path).read()]
"""
    with HostileHub({"it": Wrong(etag="of-the-mirror-s-own")}) as hub:
        (rows, text), _ = run_against(hub.url, tmp_path, code)
        assert len(hub.asked) <= 4
    assert (rows, text) == ([{"q": 1}], ROWS.decode())
    (pointer,) = tmp_path.rglob("snapshots/*/data.jsonl")
    assert pointer.resolve().parent.name == "blobs"
    assert foreign(tmp_path) == []


@pytest.mark.parametrize(("announced", "warned"), [({"lfs": None, "blobId": None}, True), ({}, False)])
def test_a_file_without_a_digest_is_taken_with_a_word(
    announced: dict[str, Any], warned: bool, tmp_path: Path, run_against: Callable[..., Any]
) -> None:
    with HostileHub({"it": Wrong(listing=file_changed(**announced))}) as hub:
        rows, said = run_against(hub.url, tmp_path, f'{READ}result = read("it")')
    assert rows == [{"q": 1}]
    assert ("announces no digest of it" in said) is warned


def test_a_damaged_copy_in_the_cache_is_replaced_or_told_where_the_hub_is_silent(
    tmp_path: Path, run_against: Callable[..., Any]
) -> None:
    code = f"{READ}result = refusal(lambda: read('it', revision={COMMIT!r})) or read('it', revision={COMMIT!r})"
    with HostileHub({"it": Wrong()}) as hub:
        assert run_against(hub.url, tmp_path, code)[0] == [{"q": 1}]
        (pointer,) = tmp_path.rglob("snapshots/*/data.jsonl")
        pointer.resolve().write_bytes(OTHER)
        silent, _ = run_against("http://127.0.0.1:9", tmp_path, code)
        assert "data.jsonl is damaged: its SHA-256 is" in silent
        assert str(pointer) in silent
        assert "did not deliver" in silent
        left_by_a_killed_one = pointer.parents[2] / "assay" / f"incoming-{pointer.resolve().name}" / "first"
        left_by_a_killed_one.mkdir(parents=True)
        assert run_against(hub.url, tmp_path, code)[0] == [{"q": 1}]
        assert not left_by_a_killed_one.parent.exists()
    assert foreign(tmp_path) == []


@pytest.mark.parametrize(
    ("status", "hint"), [(401, "HF_TOKEN"), (403, "HF_TOKEN"), (404, "address"), (410, "address"), (418, "address")]
)
def test_only_a_refusal_that_a_token_may_change_speaks_of_one(
    tmp_path: Path, run_against: Callable[..., Any], status: int, hint: str
) -> None:
    with HostileHub({"it": Wrong(listing=lambda _: {"error": "injected"}, listing_status=status)}) as hub:
        told = refusals(hub, tmp_path, run_against)["it"]
        assert len(hub.asked) == 1
    assert f"HTTP {status}" in told
    assert hint in told
    assert ("HF_TOKEN" in told) == (hint == "HF_TOKEN")


@pytest.mark.parametrize("kind", ["429", "truncate"])
def test_a_hub_that_answers_no_request_for_a_file_is_not_waited_for_forever(
    shared: Path, tmp_path: Path, run_against: Callable[..., Any], kind: str
) -> None:
    sys.path.insert(0, str(shared / "hub"))
    from hub_mirror import HubMirror

    code = """
from types import SimpleNamespace
from assay.scenarios.sources import hub_requests
slept = []
time.sleep = slept.append
hub_requests.time = SimpleNamespace(sleep=time.sleep, monotonic=lambda: sum(slept))
result = [refusal(lambda: made("mmlu", subject="anatomy").source.read("test")), sum(slept)]
"""
    with HubMirror(shared / "hub", match="/_cdn/", fail_rate=1.0, kinds=[kind]) as hub:
        (told, slept), _ = run_against(hub.url, tmp_path, code)
    assert "did not deliver cais/mmlu" in told
    assert ("limits the rate" in told) == (kind == "429")
    assert "\n" not in told
    assert 0 < slept < 40, "what is asked for, not what passes"
    assert not list(tmp_path.rglob("blobs/*"))


@pytest.mark.parametrize("address", [f"http://{'a' * 300}", "http://a..b", "http://127.0.0.1:80 ", "http://"])
def test_an_address_that_cannot_be_one_is_refused_before_a_request(
    tmp_path: Path, run_against: Callable[..., Any], address: str
) -> None:
    told, _ = run_against(address, tmp_path, f"{READ}result = refusal(lambda: read('it'))")
    assert told.startswith("HF_ENDPOINT is no http:// or https:// address")


@pytest.mark.parametrize("token", ["hf_s\u00e4cret", "hf_s\x01cret"])
def test_a_token_that_cannot_be_sent_is_refused_and_not_shown(
    tmp_path: Path, run_against: Callable[..., Any], token: str
) -> None:
    with HostileHub({"it": Wrong()}) as hub:
        told = refusals(hub, tmp_path, run_against, HF_TOKEN=token)["it"]
        assert hub.asked == []
    assert told.startswith("HF_TOKEN holds characters that no token has")
    assert "cret" not in told


def test_a_login_in_the_address_of_a_mirror_is_used_and_not_shown(tmp_path: Path, run_against: Callable[..., Any]) -> None:
    code = f"""{READ}
from huggingface_hub.utils import logging as theirs
theirs.get_logger("huggingface_hub").handlers[0].setStream(log)
result = [refusal(lambda: read("listed")), refusal(lambda: read("file"))]
"""
    cut_off = Wrong(headers={"Content-Length": "99", "Connection": "close"})
    with HostileHub({"listed": Wrong(listing_status=418), "file": cut_off}) as hub:
        told, warned = run_against(hub.url.replace("//", "//me:s3cret@"), tmp_path, code)
    for text in (*told, warned):
        assert hub.url in text
        assert "s3cret" not in text
