"""What is no file is refused before it is opened."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from assay.errors import AssayError
from assay.plain_files import bounded_bytes, check_file
from assay.yaml_files import LARGEST_FILE, read_yaml_file


def test_pipes_devices_and_folders_are_no_files(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "zero").symlink_to("/dev/zero")
    for path, what in ((tmp_path / "pipe", "pipe"), (tmp_path / "zero", "device"), (tmp_path, "folder")):
        with pytest.raises(AssayError, match=f"^x cannot be read: it is a .*{what}"):
            check_file(path, "x")
    with pytest.raises(FileNotFoundError):
        check_file(tmp_path / "none", "x")


def test_a_file_is_read_as_far_as_its_bound(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"12345")
    assert bounded_bytes(path, "x", 5) == b"12345"
    with pytest.raises(AssayError, match="x has more than 4 bytes"):
        bounded_bytes(path, "x", 4)


def test_yaml_is_read_from_files_of_a_possible_size(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_bytes(b"\xef\xbb\xbfa: |\r\n  one\r\n  two\r\n")
    assert read_yaml_file(path) == {"a": "one\ntwo\n"}
    path.write_bytes(b"# " + bytes(LARGEST_FILE))
    with pytest.raises(AssayError, match=r"x\.yaml has more than 16,777,216 bytes"):
        read_yaml_file(path)
    path.unlink()
    path.symlink_to("/dev/zero")
    with pytest.raises(AssayError, match=r"x\.yaml cannot be read: it is a pipe or a device"):
        read_yaml_file(path)


def test_a_pipe_that_the_shell_has_opened_is_read() -> None:
    reader, writer = os.pipe()
    os.write(writer, b"a: 1\n")
    os.close(writer)
    program = f"from pathlib import Path; from assay.yaml_files import read_yaml_file as r; print(r(Path('/dev/fd/{reader}')))"
    said = subprocess.run([sys.executable, "-c", program], pass_fds=[reader], capture_output=True, check=True).stdout
    os.close(reader)
    assert said == b"{'a': 1}\n"
