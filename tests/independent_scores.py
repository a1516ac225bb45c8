"""Accuracies of the embedded model by likelihood, computed without anything of assay but the engine itself.

    python independent_scores.py DATASETS WEIGHTS KIND [ID...]      prints JSON: id -> 1 or 0

Reads the Parquet files with polars, writes its own prompts, asks the engine for log-probabilities, and chooses.
"""

import json
import sys
from pathlib import Path

import polars as pl

from assay.models.in_process.jobs import Job
from assay.models.local.engine import Engine
from assay.models.local.gguf import read
from assay.models.local.llama import Llama
from assay.models.local.products import Workers
from assay.models.local.tokenizer import Tokenizer

folder, weights, kind, wanted = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], sys.argv[4:]
file = read(weights)
words, engine = Tokenizer(file), Engine(Llama(file, Workers(1)), Tokenizer(file))
PATHS = {"blimp": "nyu-mll/blimp/anaphor_number_agreement/train", "openbookqa": "allenai/openbookqa/main/test"}
rows = pl.read_parquet(folder / f"{PATHS.get(kind, 'Rowan/hellaswag/data/validation')}-00000-of-00001.parquet").to_dicts()


def score(context: str, option: str) -> tuple[float, int]:
    """Log-probability of the option's tokens after the context, and how many there are."""
    before, whole = words.encode(context), words.encode(context + option)
    start = next(
        (i for i, pair in enumerate(zip(before, whole, strict=False)) if pair[0] != pair[1]), min(len(before), len(whole))
    )
    text = [words.encode("<|endoftext|>")[0], *whole] if start == 0 else whole
    job = Job(text=text[:-1], targets=whole[start:], pieces=[""] * (len(whole) - start))
    engine.run([job])
    return sum(token.logprob or 0.0 for token in job.scores), len(job.scores)


def value(context: str, option: str) -> float:
    """What the options are compared by: log-probability per token, for OpenBookQA its gain over a neutral question."""
    total, count = score(context, option)
    return total - score("Answer:", option)[0] if kind == "openbookqa" else total / count


def item(number: int, row: dict) -> tuple[str, int, str, list[str]]:
    """Id, index of the right option, what stands before the options, and the options."""
    if kind == "blimp":
        return f"{row['UID']}-{row['pair_id']}", 0, "", [row["sentence_good"], row["sentence_bad"]]
    if kind == "openbookqa":
        options = [" " + text for text in row["choices"]["text"]]
        return row["id"], row["choices"]["label"].index(row["answerKey"]), row["question_stem"], options
    start = f"{row['activity_label']}: {row['ctx_a']} {row['ctx_b'][:1].upper() + row['ctx_b'][1:]}".rstrip()
    return f"valid{number}", int(row["label"]), start, [" " + ending for ending in row["endings"]]


answers = {}
for number, row in enumerate(rows):
    name, right, context, options = item(number, row)
    if name in wanted:
        values = [value(context, option) for option in options]
        answers[name] = int(values.index(max(values)) == right)
sys.stdout.write(json.dumps(answers))
