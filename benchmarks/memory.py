"""How much memory a run takes: the peak of the whole program, over 10,000 and over 100,000 trials with canonical perturbations.

    python benchmarks/memory.py [instances]

Each size is a process of its own, `assay run` of a synthetic `local_file` asked of `baseline/uniform`; 4 trials an instance.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from assay.identity import generator
from assay.store import find_runs

INSTANCES = 2_250
"""In the small run; the large one has ten times as many."""
TEXT = "the red letter of their neighbor lies hidden in a small garden because he is very happy and does not want to go"
WORDS = TEXT.split()
CHILD = """
import resource, sys
from assay.cli import main
try:
    main()
finally:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024, file=sys.stderr)
"""


def write_cases(path: Path, count: int) -> None:
    """Questions of 60 words with four options of five."""
    rng = generator("memory benchmark")
    with path.open("w") as file:
        for number in range(count):
            options = [" ".join(rng.choices(WORDS, k=5)) + f" {place}" for place in range(4)]
            question = f"Item {number}. " + " ".join(rng.choices(WORDS, k=60)).capitalize() + "?"
            file.write(json.dumps({"input": question, "options": options, "answer": rng.choice(options)}) + "\n")


def peak(folder: Path, count: int) -> tuple[int, int]:
    """Trials of a run of so many instances, and its peak memory in MB."""
    cases, out = folder / f"cases{count}.jsonl", folder / f"runs{count}"
    write_cases(cases, count)
    command = ["run", f"local_file:path={cases}", "-m", "baseline/uniform", "--perturb", "canonical", "--out", str(out)]
    environment = {**os.environ, "ASSAY_CACHE": str(folder / "cache")}
    done = subprocess.run([sys.executable, "-c", CHILD, *command], capture_output=True, text=True, env=environment, check=True)
    return find_runs(out)[0].stats().trials, int(done.stderr.split()[-1])


def main() -> None:
    """Measure and print."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else INSTANCES
    with tempfile.TemporaryDirectory() as folder:
        small, large = peak(Path(folder), count), peak(Path(folder), 10 * count)
    for trials, memory in (small, large):
        print(f"{trials:8,} trials: {memory:4} MB at most")
    print(f"growth: {large[1] / small[1] - 1:.0%}, {(large[1] - small[1]) * 1024 / (large[0] - small[0]):.2f} KB a trial")


if __name__ == "__main__":
    main()
