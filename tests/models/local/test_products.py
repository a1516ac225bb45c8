from __future__ import annotations

import os
import platform
import subprocess
import sys

import numpy as np
import pytest

from assay.models.local.products import ROWS, Panels, Workers, blas, padded, rows_are_independent

X86 = platform.machine() in ("x86_64", "AMD64")


@pytest.mark.parametrize(("outputs", "inputs"), [(576, 64), (960, 32), (7, 16), (304, 8), (305, 8), (1200, 24)])
def test_panels_multiply_like_the_whole_matrix(outputs: int, inputs: int) -> None:
    chance = np.random.default_rng(outputs)
    weight = chance.normal(size=(outputs, inputs)).astype(np.float32)
    x = chance.normal(size=(2 * ROWS, inputs)).astype(np.float32)
    expected = x.astype(np.float64) @ weight.astype(np.float64).T
    assert np.allclose(Panels(weight, Workers(1))(x), expected, atol=1e-4)


def test_gated_panels_multiply_values_by_the_silu_of_gates() -> None:
    chance = np.random.default_rng(5)
    weight = chance.normal(size=(2 * 400, 48)).astype(np.float32)
    x = 20 * chance.normal(size=(ROWS, 48)).astype(np.float32)
    gates, values = np.split(x.astype(np.float64) @ weight.astype(np.float64).T, 2, axis=1)
    with np.errstate(over="ignore"):
        expected = gates / (1 + np.exp(-gates)) * values
    assert np.allclose(Panels(weight, Workers(1), gated=True)(x), expected, rtol=1e-4, atol=1e-2)


def test_several_workers_give_the_bits_of_one() -> None:
    chance = np.random.default_rng(6)
    weight = chance.normal(size=(2000, 96)).astype(np.float32)
    x = chance.normal(size=(4 * ROWS, 96)).astype(np.float32)
    three = Workers(3)
    try:
        assert np.array_equal(Panels(weight, three)(x), Panels(weight, Workers(1))(x))
    finally:
        three.close()


def test_an_error_in_a_worker_is_not_lost() -> None:
    workers = Workers(2)

    def task(number: int) -> None:
        if number == 1:
            raise ValueError("one")

    try:
        with pytest.raises(ValueError, match="one"):
            workers.each(2, task)
    finally:
        workers.close()


def test_rows_are_padded_to_whole_steps() -> None:
    assert [padded(rows) for rows in (1, ROWS, ROWS + 1)] == [ROWS, ROWS, 2 * ROWS]


@pytest.mark.skipif(not X86, reason="known for OpenBLAS on x86 only")
@pytest.mark.parametrize(("outputs", "inputs"), [(960, 576), (576, 1536)])
def test_a_row_has_the_same_bits_wherever_it_stands(outputs: int, inputs: int) -> None:
    weight = np.random.default_rng(7).normal(size=(outputs, inputs)).astype(np.float32)
    assert rows_are_independent(Panels(weight, Workers(1)), inputs)


@pytest.mark.skipif(not X86, reason="known for OpenBLAS on x86 only")
@pytest.mark.parametrize("kernels", ["Haswell", "Nehalem"])
def test_rows_are_independent_with_other_kernels_and_threads(kernels: str) -> None:
    program = (
        "import numpy as np, hashlib\n"
        "from assay.models.local.products import *\n"
        "weight = np.random.default_rng(7).normal(size=(960, 576)).astype(np.float32)\n"
        "panels = Panels(weight, Workers(blas().threads))\n"
        "assert rows_are_independent(panels, 576)\n"
        "with blas().single():\n"
        "    print(hashlib.sha256(panels(np.tile(weight[:24], (2, 1)))).hexdigest())\n"
    )
    digests = set()
    for threads in ("1", "2"):
        environment = {**os.environ, "OPENBLAS_CORETYPE": kernels, "OPENBLAS_NUM_THREADS": threads}
        done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        digests.add(done.stdout)
    assert len(digests) == 1


def test_blas_gets_its_threads_back() -> None:
    library = blas()
    before = library.threads
    with library.single(), library.single():
        assert library.threads == before
    assert library.threads == before
