from __future__ import annotations

import contextlib
import struct
from pathlib import Path

import numpy as np
import pytest
from gguf_files import encode_tensor, tiny_model, write_gguf
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.errors import AssayError
from assay.models.local.gguf import read
from assay.models.local.llama import Llama
from assay.models.local.products import Workers
from assay.models.local.tokenizer import Tokenizer


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_model(tmp_path_factory.mktemp("gguf") / "tiny.gguf")


def test_metadata_of_every_kind_comes_back(tmp_path: Path) -> None:
    metadata = {
        "text": "wörter", "yes": True, "count": 7, "below": -5, "large": 2**40, "ratio": 0.25,
        "names": ["a", "", "ç"], "kinds": [1, 3],
    }  # fmt: skip
    assert read(write_gguf(tmp_path / "m.gguf", metadata, {})).metadata == metadata


@pytest.mark.parametrize("kind", ["f32", "f16"])
def test_floating_tensors_come_back_exactly(tmp_path: Path, kind: str) -> None:
    values = np.arange(12, dtype=np.float32).reshape(3, 4) / 8
    file = read(write_gguf(tmp_path / "t.gguf", {}, {"a": (kind, values), "b": (kind, values + 1)}))
    assert np.array_equal(file.tensors["a"].floats(), values)
    assert np.array_equal(file.tensors["b"].floats(), values + 1)


def test_eight_bit_blocks_are_scaled_bytes(tmp_path: Path) -> None:
    values = np.random.default_rng(1).normal(size=(3, 64)).astype(np.float32)
    decoded = read(write_gguf(tmp_path / "t.gguf", {}, {"w": ("Q8_0", values)})).tensors["w"].floats()
    expected = []
    data = encode_tensor("Q8_0", values)
    for at in range(0, len(data), 34):
        scale, *steps = struct.unpack_from("<e32b", data, at)
        expected += [scale * step for step in steps]
    assert decoded.reshape(-1).tolist() == pytest.approx(expected, rel=1e-6)
    assert abs(decoded - values).max() < abs(values).max() / 127


def test_four_bit_blocks_have_a_scale_and_an_offset_and_low_nibbles_first(tmp_path: Path) -> None:
    values = np.random.default_rng(2).normal(size=(2, 96)).astype(np.float32)
    decoded = read(write_gguf(tmp_path / "t.gguf", {}, {"w": ("Q4_1", values)})).tensors["w"].floats()
    expected = []
    data = encode_tensor("Q4_1", values)
    for at in range(0, len(data), 20):
        scale, low, *pairs = struct.unpack_from("<ee16B", data, at)
        expected += [low + scale * (pair % 16) for pair in pairs] + [low + scale * (pair // 16) for pair in pairs]
    assert decoded.reshape(-1).tolist() == pytest.approx(expected, rel=1e-6, abs=1e-7)


def test_single_rows_are_decoded_as_in_the_whole(tmp_path: Path) -> None:
    values = np.random.default_rng(3).normal(size=(9, 64)).astype(np.float32)
    tensor = read(write_gguf(tmp_path / "t.gguf", {}, {"w": ("Q4_1", values)})).tensors["w"]
    assert np.array_equal(tensor.rows(np.array([7, 0, 7])), tensor.floats()[[7, 0, 7]])


def test_a_file_cut_off_anywhere_is_an_error_that_names_it(tiny: Path, tmp_path: Path) -> None:
    data = tiny.read_bytes()
    broken = tmp_path / "cut.gguf"
    lengths = {0, 1, 3, 4, 7, 8, 15, 23, 24, 31, len(data) - 1, *range(32, len(data), 997)}
    for length in sorted(lengths):
        broken.write_bytes(data[:length])
        with pytest.raises(AssayError, match=r"cut\.gguf"):
            read(broken)


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(at=st.floats(0, 1, exclude_max=True), mask=st.integers(1, 255))
def test_a_damaged_header_is_an_error_or_still_a_model(tiny: Path, tmp_path: Path, at: float, mask: int) -> None:
    data = bytearray(tiny.read_bytes())
    header = data.index(b"blk.1.ffn_down.weight") + 60
    data[int(at * header)] ^= mask
    file = tmp_path / "damaged.gguf"
    file.write_bytes(data)
    # Any other exception fails the test.
    with contextlib.suppress(AssayError):
        opened = read(file)
        Tokenizer(opened)
        Llama(opened, Workers(1))


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"GGML" + bytes(40), "does not start"),
        (b"GGUF" + struct.pack("<IQQ", 9, 0, 0), "version is 9"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + struct.pack("<Q", 2**63) + bytes(64), "ends at byte"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + struct.pack("<Q1sIIQ", 1, b"a", 9, 4, 2**61) + bytes(64), "ends at byte"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + struct.pack("<Q1sIIQ", 1, b"a", 9, 9, 1) + bytes(64), "array type 9"),
        (b"GGUF" + struct.pack("<IQQ", 3, 1, 0) + struct.pack("<Q1sI", 1, b"w", 77) + bytes(64), "77 dimensions"),
        (b"GGUF" + struct.pack("<IQQ", 3, 1, 0) + struct.pack("<Q1sIQIQ", 1, b"w", 1, 32, 14, 0) + bytes(64), "type 14"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(tmp_path: Path, content: bytes, reason: str) -> None:
    file = tmp_path / "bad.gguf"
    file.write_bytes(content)
    with pytest.raises(AssayError, match=reason):
        read(file)


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(AssayError, match="cannot be read"):
        read(tmp_path / "none.gguf")
