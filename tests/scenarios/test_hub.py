"""The hub as a source when things go wrong: faults on the way, refusals, damaged files, no network."""

from __future__ import annotations

import gzip
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow

UNKNOWN_COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture
def own_mirror(shared: Path, tmp_path: Path) -> Iterator[Any]:
    """A loopback hub over a folder that a test fills itself, and a function that starts it once it is filled."""
    sys.path.insert(0, str(shared / "hub"))
    from hub_mirror import HubMirror

    started: list[Any] = []

    def start(files: dict[str, bytes], repo: str = "me/mine") -> Any:
        for name, content in files.items():
            path = tmp_path / "hub" / "datasets" / repo / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        started.append(HubMirror(tmp_path / "hub").start())
        return started[-1]

    yield start
    for hub in started:
        hub.stop()


@pytest.mark.parametrize("kind", ["500", "503", "429", "reset", "truncate"])
def test_faults_on_the_way_are_outlasted(shared: Path, tmp_path: Path, run_against: Callable[..., Any], kind: str) -> None:
    sys.path.insert(0, str(shared / "hub"))
    from hub_mirror import HubMirror

    code = """
result = []
for subject in ("anatomy", "astronomy", "virology"):
    scenario = made("mmlu", subject=subject)
    result += [sum(1 for _ in scenario.instances(split)) for split in ("train", "test")]
"""
    with HubMirror(shared / "hub", seed=1, fail_rate=0.2, fail_first=2, kinds=[kind]) as hub:
        counts, _ = run_against(hub.url, tmp_path, code)
    assert counts == [5, 135, 5, 152, 5, 166]


def test_a_file_cut_off_on_the_way_is_fetched_again(shared: Path, tmp_path: Path, run_against: Callable[..., Any]) -> None:
    sys.path.insert(0, str(shared / "hub"))
    from hub_mirror import HubMirror

    code = "result = sum(1 for _ in made('mmlu', subject='anatomy').instances('test'))"
    with HubMirror(shared / "hub", fail_first=2, match="/_cdn/", kinds=["truncate"]) as hub:
        count, _ = run_against(hub.url, tmp_path, code)
    assert count == 135


def test_refusals_say_what_to_do_and_are_not_repeated(mirror: Any, tmp_path: Path, run_against: Callable[..., Any]) -> None:
    code = """
result = {
    "missing": refusal(lambda: Hub("google/nothing", revision="main", test="*.csv").read("test")),
    "gated": refusal(lambda: Hub("Idavidrein/gpqa", revision="main", test="README.md").read("test")),
    "branch": refusal(lambda: Hub("google/boolq", revision="v9", test="*.csv").read("test")),
    "pattern": refusal(lambda: Hub("google/boolq", revision="main", test="data/test-*.parquet").read("test")),
    "split": refusal(lambda: Hub("google/boolq", revision="main", test="data/test-*.parquet").read("train")),
    "name": refusal(lambda: Hub("a b//c", revision="main", test="*").read("test")),
}
"""
    before = len(mirror.log)
    messages, _ = run_against(mirror.url, tmp_path, code)
    assert len(mirror.log) - before <= 8
    assert "google/nothing" in messages["missing"]
    assert "HF_TOKEN" in messages["missing"]
    assert "gated" in messages["gated"]
    assert "accept its terms" in messages["gated"]
    assert "HF_TOKEN" in messages["gated"]
    assert "no revision 'v9'" in messages["branch"]
    assert "data/test-*.parquet" in messages["pattern"]
    assert "data/train-00000-of-00001.parquet" in messages["pattern"]
    assert "without a split train" in messages["split"]
    assert "owner/name" in messages["name"]
    assert all("\n" not in message for message in messages.values())


def test_a_gated_repository_opens_with_a_token(
    own_mirror: Callable[..., Any], tmp_path: Path, run_against: Callable[..., Any]
) -> None:
    hub = own_mirror({"data.jsonl": b'{"q": 1}\n'})
    hub.repos["me/mine"].gated = True
    code = "result = list(Hub('me/mine', revision='main', test='*.jsonl').read('test').rows)"
    opened, _ = run_against(hub.url, tmp_path / "a", code, HF_TOKEN=hub.token)
    assert opened == [{"q": 1}]
    code = "result = refusal(lambda: Hub('me/mine', revision='main', test='*.jsonl').read('test'))"
    refused, _ = run_against(hub.url, tmp_path / "b", code, HF_TOKEN="hf_wrong")
    assert "accept its terms" in refused


def test_a_mirror_s_own_state_stands_in_for_an_unknown_commit(
    mirror: Any, tmp_path: Path, manifest: dict[str, Any], run_against: Callable[..., Any]
) -> None:
    code = f"""
hubs = [Hub("google/boolq", revision="{UNKNOWN_COMMIT}", test="data/validation-*.parquet") for _ in range(2)]
result = [hub.identity for hub in hubs]
"""
    identities, warnings = run_against(mirror.url, tmp_path, code)
    assert identities == [f"hub:google/boolq@{manifest['repos']['google/boolq']['sha']}"] * 2
    assert warnings.count("\n") == 1
    assert UNKNOWN_COMMIT in warnings


def test_an_unreachable_hub_is_named(tmp_path: Path, run_against: Callable[..., Any]) -> None:
    code = "result = refusal(lambda: made('boolq').source.read('valid'))"
    message, _ = run_against("http://127.0.0.1:9", tmp_path, code)
    assert "http://127.0.0.1:9" in message
    assert "google/boolq" in message
    assert "HF_ENDPOINT" in message
    assert "HF_HUB_OFFLINE" in message
    assert "\n" not in message


def test_an_address_of_the_hub_that_is_none_is_refused_in_one_line(tmp_path: Path, run_against: Callable[..., Any]) -> None:
    code = "result = refusal(lambda: made('boolq').source.read('valid'))"
    message, _ = run_against("http://[::1", tmp_path, code)
    assert message == ("HF_ENDPOINT is no http:// or https:// address (unset it, or name a mirror: https://hub.example.com)")


def test_offline_a_filled_cache_suffices_and_an_empty_one_is_told(
    mirror: Any, hub_cache: Path, tmp_path: Path, run_against: Callable[..., Any]
) -> None:
    code = "result = sum(1 for _ in made('mmlu', subject='anatomy').instances('test'))"
    assert run_against(mirror.url, hub_cache, code)[0] == 135
    before = len(mirror.log)
    assert run_against(mirror.url, hub_cache, code, HF_HUB_OFFLINE="1")[0] == 135
    code = "result = refusal(lambda: list(made('mmlu', subject='marketing').instances('test')))"
    for cache in (hub_cache, tmp_path):
        message, _ = run_against(mirror.url, cache, code, HF_HUB_OFFLINE="1")
        assert "cais/mmlu" in message
        assert "not in the cache" in message
    assert len(mirror.log) == before


def test_a_branch_follows_the_hub_and_falls_back_to_its_last_known_state(
    own_mirror: Callable[..., Any], tmp_path: Path, run_against: Callable[..., Any]
) -> None:
    hub = own_mirror({"data.jsonl": b'{"q": 1}\n'})
    code = "s = Hub('me/mine', revision='main', test='*.jsonl'); result = [list(s.read('test').rows), s.identity]"
    first, _ = run_against(hub.url, tmp_path / "hf", code)
    hub.stop()
    again, warnings = run_against(hub.url, tmp_path / "hf", code)
    assert again == first
    assert "last known state" in warnings


def test_damaged_files_are_noticed(
    own_mirror: Callable[..., Any], tmp_path: Path, run_against: Callable[..., Any], shared: Path
) -> None:
    whole = (shared / "hub/datasets/google/boolq/data/train-00000-of-00001.parquet").read_bytes()
    hub = own_mirror({"cut.parquet": whole[: len(whole) // 2], "whole.parquet": whole, "bad.jsonl": b'{"q": 1}\n{"q": \n'})
    code = """
def read(pattern):
    return list(Hub("me/mine", revision="main", test=pattern).read("test").rows)
result = [refusal(lambda: read("cut.parquet")), refusal(lambda: read("bad.jsonl")), len(read("whole.parquet"))]
"""
    (cut, bad, count), _ = run_against(hub.url, tmp_path / "hf", code)
    assert "me/mine: cut.parquet is not readable as Parquet" in cut
    assert "me/mine: bad.jsonl, line 2" in bad
    assert count == 3

    (cached,) = (tmp_path / "hf").rglob("snapshots/*/whole.parquet")
    cached.resolve().write_bytes(whole[:100])
    (_, _, count), _ = run_against(hub.url, tmp_path / "hf", code)
    assert count == 3, "a damaged copy in the cache is fetched again"

    cached.resolve().write_bytes(whole[:100])
    code = "result = refusal(lambda: Hub('me/mine', revision='main', test='whole.parquet').read('test'))"
    message, _ = run_against(hub.url, tmp_path / "hf", code, HF_HUB_OFFLINE="1")
    assert "whole.parquet is damaged: 100 bytes" in message


def test_patterns_select_whole_path_segments(
    own_mirror: Callable[..., Any], tmp_path: Path, run_against: Callable[..., Any]
) -> None:
    row = b'{"from": "%s"}\n'
    names = ["a/t-0.jsonl", "a/t-1.jsonl", "a/b/t-0.jsonl", "t-0.jsonl", "other.csv"]
    hub = own_mirror({name: row % name.encode() if name.endswith("l") else b"from\nother.csv\n" for name in names})
    code = """
def read(*pattern):
    return [row["from"] for row in Hub("me/mine", revision="main", test=pattern).read("test").rows]
result = [read("a/t-*.jsonl"), read("*/t-*.jsonl"), read("t-*.jsonl"), read("none/*.parquet", "*.csv"), read("a/*/t-0.jsonl")]
"""
    found, _ = run_against(hub.url, tmp_path / "hf", code)
    assert found == [["a/t-0.jsonl", "a/t-1.jsonl"]] * 2 + [["t-0.jsonl"], ["other.csv"], ["a/b/t-0.jsonl"]]


def test_a_large_file_is_read_row_by_row(
    own_mirror: Callable[..., Any], tmp_path: Path, run_against: Callable[..., Any]
) -> None:
    hub = own_mirror({"big.jsonl": b"".join(b'{"n": %d, "text": "%s"}\n' % (n, b"x" * 200) for n in range(200_000))})
    code = """
import itertools, tracemalloc
rows = Hub("me/mine", revision="main", test="*.jsonl").read("test").rows
tracemalloc.start()
first = [row["n"] for row in itertools.islice(rows, 3)]
result = [first, tracemalloc.get_traced_memory()[1]]
"""
    (first, peak), _ = run_against(hub.url, tmp_path / "hf", code)
    assert first == [0, 1, 2]
    assert peak < 2_000_000, f"{peak} bytes held for three rows of a file of 46 MB"


def test_a_mirror_without_examples_is_asked_without_them_and_says_so(
    own_mirror: Callable[..., Any], tmp_path: Path, run_against: Callable[..., Any]
) -> None:
    hub = own_mirror({"test.jsonl": b'{"q": 1}\n'})
    code = """
source = Hub("me/mine", revision="main", train="train.jsonl", valid="valid.jsonl", test="test.jsonl")
result = [list(source.read("train").rows), list(source.read("test").rows), refusal(lambda: source.read("valid"))]
"""
    (train, test, refused), warnings = run_against(hub.url, tmp_path / "cache", code)
    assert (train, test) == ([], [{"q": 1}])
    assert warnings.count("me/mine") == warnings.count("no examples are shown") == 1
    assert "no file that matches valid.jsonl" in refused


def test_five_requests_in_a_hundred_that_fail_do_not_matter(
    shared: Path, tmp_path: Path, manifest: dict[str, Any], run_against: Callable[..., Any]
) -> None:
    sys.path.insert(0, str(shared / "hub"))
    from hub_mirror import HubMirror

    code = """
subjects = registry.scenarios.get("mmlu").choices("subject")[:10]
result = {
    subject: [sum(1 for _ in made("mmlu", subject=subject).instances(split)) for split in ("train", "test")]
    for subject in subjects
}
"""
    with HubMirror(shared / "hub", seed=3, fail_rate=0.05) as hub:
        counts, _ = run_against(hub.url, tmp_path, code)
    rows = {(t["config"], t["split"]): t["rows"] for t in manifest["tables"] if t["hub_id"] == "cais/mmlu"}
    assert counts == {subject: [rows[subject, "dev"], rows[subject, "test"]] for subject in counts}
    assert len(counts) == 10


def test_a_slow_hub_is_waited_for(shared: Path, tmp_path: Path, run_against: Callable[..., Any]) -> None:
    sys.path.insert(0, str(shared / "hub"))
    from hub_mirror import HubMirror

    code = "result = sum(1 for _ in made('mmlu', subject='anatomy').instances('test'))"
    with HubMirror(shared / "hub", latency=0.2) as hub:
        assert run_against(hub.url, tmp_path, code)[0] == 135


@pytest.mark.parametrize("name", ["data.jsonl", "data.jsonl.gz"])
def test_a_file_with_another_digest_than_the_hub_announces_is_refused(
    own_mirror: Callable[..., Any], tmp_path: Path, run_against: Callable[..., Any], name: str
) -> None:
    pack = (lambda text: gzip.compress(text, mtime=0)) if name.endswith(".gz") else bytes
    right, wrong = pack(b'{"q": 1}\n'), pack(b'{"q": 2}\n')
    assert len(right) == len(wrong)
    hub = own_mirror({name: right})
    served = tmp_path / "hub" / "datasets" / "me/mine" / name
    served.write_bytes(wrong)
    code = f"result = refusal(lambda: list(Hub('me/mine', revision='main', test={name!r}).read('test').rows))"
    refused, _ = run_against(hub.url, tmp_path / "hf", code)
    assert f"me/mine: {name} is damaged" in refused
    served.write_bytes(right)
    code = f"result = list(Hub('me/mine', revision='main', test={name!r}).read('test').rows)"
    assert run_against(hub.url, tmp_path / "hf", code)[0] == [{"q": 1}]


def test_a_data_set_of_which_a_part_is_missing_is_not_taken_for_whole(
    own_mirror: Callable[..., Any], tmp_path: Path, run_against: Callable[..., Any]
) -> None:
    hub = own_mirror({f"part-{n}.jsonl": b'{"n": %d}\n' % n for n in range(3)})
    code = """
source = Hub("me/mine", revision="main", test="part-*.jsonl")
rows = []
refused = refusal(lambda: rows.extend(source.read("test").rows))
result = [refused, rows, source.in_cache("test")]
"""
    hub.faults.update(match="part-2", fail_rate=1.0, kinds=["500"])
    (refused, rows, whole), _ = run_against(hub.url, tmp_path / "hf", code)
    assert "did not deliver me/mine: part-2.jsonl in 6 attempts" in refused
    assert (rows, whole) == ([], False)
    (refused, rows, whole), _ = run_against(hub.url, tmp_path / "hf", code, HF_HUB_OFFLINE="1")
    assert "part-2.jsonl is not in the cache" in refused
    assert (rows, whole) == ([], False)
    hub.faults.update(fail_rate=0.0)
    (refused, rows, whole), _ = run_against(hub.url, tmp_path / "hf", code)
    assert (refused, rows, whole) == (None, [{"n": 0}, {"n": 1}, {"n": 2}], True)
    (refused, rows, whole), _ = run_against(hub.url, tmp_path / "hf", code, HF_HUB_OFFLINE="1")
    assert (refused, len(rows), whole) == (None, 3, True)
