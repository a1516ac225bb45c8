from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from assay.errors import AssayError
from assay.models.in_process.fingerprint import file_digest, files_digest


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))


def test_a_file_has_the_digest_of_its_bytes_also_after_it_changed(tmp_path: Path) -> None:
    file = tmp_path / "weights"
    for content in (b"one", b"three"):
        file.write_bytes(content)
        assert file_digest(file) == hashlib.sha256(content).hexdigest() == file_digest(file)


def test_an_unchanged_file_is_not_read_again(tmp_path: Path) -> None:
    file = tmp_path / "weights"
    file.write_bytes(b"one")
    before = file.stat()
    expected = file_digest(file)
    file.write_bytes(b"two")  # as large, and then made to look as old
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert file_digest(file) == expected


def test_a_damaged_note_only_means_reading_again(tmp_path: Path) -> None:
    file = tmp_path / "weights"
    file.write_bytes(b"one")
    expected = file_digest(file)
    (note,) = (tmp_path / "cache" / "models" / "digests").iterdir()
    note.write_bytes(b"{")
    assert file_digest(file) == expected


def test_several_files_depend_on_names_and_contents_alone(tmp_path: Path) -> None:
    for folder, contents in (("a", b"12"), ("b", b"12"), ("c", b"21")):
        (tmp_path / folder).mkdir()
        for name, byte in zip("xy", contents, strict=True):
            (tmp_path / folder / name).write_bytes(bytes([byte]))
    first, same, other = (files_digest((tmp_path / folder).iterdir()) for folder in "abc")
    assert first == same != other


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(AssayError, match="nothing cannot be read"):
        file_digest(tmp_path / "nothing")
