"""The pages of an evidence pack: what it is, what was asked, what it serves for. A function of record and runs alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

import msgspec

from assay import __version__
from assay.decisions.pages import Block, Bullets, Code, Heading, Paragraph, Rows, html_page, markdown
from assay.decisions.record import DecisionRecord
from assay.decisions.record_page import record_page
from assay.decisions.recording import page_bytes
from assay.decisions.redaction import MARK, Redactions, stays
from assay.records import RunSpec
from assay.store.folders import SpecFile, encode_json

RECORD, PAGE, SUMS, REDACTIONS = "record.json", "record.md", "SHA256SUMS", "redactions.json"
ENVIRONMENT = "environment.json"


BY_HAND = (
    "The manifest.json of each run holds the SHA-256 of the run's other files; record.json holds that of each manifest.",
    (
        "The digest in record.json is the SHA-256 of its JSON, all keys sorted, without white space, in UTF-8, numbers as they "
        'are written there, with "signatures" an empty list and "digest" an empty text. The lines below compute it.'
    ),
    (
        'A signature is Ed25519 over the line "assay decision record, signature 1" with its line feed, and JSON of that form '
        "with at, before (the signatures above it), name, public_key, record (the digest), role and statement."
    ),
    "The Parquet files open in any tool that reads Parquet.",
)
RECIPE = """\
import hashlib, json

class Number(str):
    "A number as it is written."

def text(value):
    if isinstance(value, dict):
        return "{" + ",".join(text(key) + ":" + text(value[key]) for key in sorted(value)) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(text, value)) + "]"
    return value if isinstance(value, Number) else json.dumps(value, ensure_ascii=False)

with open("record.json", encoding="utf-8") as file:
    record = json.load(file, parse_float=Number, parse_int=Number)
written = record["digest"]
record.update(digest="", signatures=[])
found = hashlib.sha256(text(record).encode()).hexdigest()
print("record.json:", "OK" if found == written else "changed")
"""
"""Computes a record's digest with Python alone. Languages write small numbers differently, so none is read as a number."""
LIMITS = (
    "That a model gave these answers: they are what was recorded when it was asked.",
    "Whose a key is: compare its fingerprint with one that you have from its owner.",
    "That nothing else was measured and left out.",
)


def pages_of(record: DecisionRecord, specs: Mapping[str, SpecFile], redactions: Redactions | None) -> dict[str, bytes]:
    """The pages of a pack by name.

    Args:
        record: the record in it.
        specs: of the runs in it, by their folder in the pack.
        redactions: what is not as it was; `None`: nothing.
    """
    title = f"Decision: {record.name}"
    pages = {
        "README.md": markdown(_readme(record, redactions)).encode(),
        PAGE: page_bytes(record),
        "summary.html": html_page(title, [*record_page(record), Heading("This pack"), *_contents(redactions)]).encode(),
        "scenarios.md": markdown(_scenarios(list(specs.values()))).encode(),
        "mapping.md": files("assay.decisions").joinpath("mapping.md").read_bytes(),
        ENVIRONMENT: _environment(record, specs),
    }
    return pages if redactions is None else {**pages, REDACTIONS: encode_json(redactions)}


def _environment(record: DecisionRecord, specs: Mapping[str, SpecFile]) -> bytes:
    held = {
        "packed_with": {"assay": __version__},
        "record": record.environment,
        "runs": {folder: file.environment for folder, file in specs.items()},
    }
    return msgspec.json.format(msgspec.json.encode(held, order="deterministic"), indent=1) + b"\n"


def packed_with(environment: bytes) -> str:
    """The version of assay that made a pack, empty where its environment.json does not say."""
    try:
        return str(msgspec.json.decode(environment, type=dict[str, Any])["packed_with"]["assay"])
    except (msgspec.DecodeError, UnicodeDecodeError, KeyError, TypeError, RecursionError):
        return ""


def _readme(record: DecisionRecord, redactions: Redactions | None) -> list[Block]:
    return [
        Heading(f"Evidence for the decision: {record.name}", 1),
        Paragraph("Everything that the decision rests on, to be checked by whoever doubts it."),
        *_contents(redactions),
        Heading("Check it with assay"),
        Code("assay verify PACK.zip             # every byte, every signature, every number computed again"),
        Code("assay verify PACK.zip --key KEY   # and exactly these keys have signed"),
        Paragraph("KEY is a signer's public key, or a file with it; its owner has it printed by:"),
        Code("assay new key FILE --public"),
        Heading("Check it without assay"),
        Paragraph("In the unpacked folder; every file is as it was packed if this says so:"),
        Code("sha256sum -c SHA256SUMS"),
        Bullets(BY_HAND),
        Paragraph("The digest of the record, in Python:"),
        Code(RECIPE),
        Heading("What it cannot show"),
        Bullets(LIMITS),
    ]


def _contents(redactions: Redactions | None) -> list[Block]:
    rows = [
        (RECORD, "the decision record, as it was signed"),
        (f"{PAGE}, summary.html", "the same, to read"),
        ("runs/", "prompts, completions, scores and estimates: a folder for each run"),
        ("scenarios.md", "what was asked: sources, licences, notes"),
        (ENVIRONMENT, "versions that computed the numbers"),
        ("mapping.md", "what belongs under which heading of NIST AI RMF, ISO/IEC 42001 and the EU AI Act"),
        (SUMS, "digests of all these files"),
    ]
    if redactions is None:
        return [Rows(rows, ("file", "what it is"))]
    told = (
        f"Redacted: {', '.join(redactions.fields)}. In the transcripts {MARK} stands for each of these texts, and the numbers "
        f"that go with them are left out, so that no number can be computed again from such a file. {REDACTIONS} names each "
        "with its digest before and after, and with the salts that show of every other column that it is as it was: the seals "
        "in the run's manifest.json are made with them. What stays:"
    )
    listed = Rows([*rows, (REDACTIONS, "what was replaced")], ("file", "what it is"))
    return [listed, Paragraph(told), Bullets(stays(redactions.fields))]


def _scenarios(files_: Sequence[SpecFile]) -> list[Block]:
    blocks: list[Block] = [Heading("What was asked", 1)]
    seen = set()
    for file in files_:
        held = msgspec.json.encode((file.title, file.card, file.spec.data), order="deterministic")
        if held not in seen:
            seen.add(held)
            blocks += _scenario(file.title, file.card, file.spec)
    return blocks


def _scenario(title: str, card: Mapping[str, Any], spec: RunSpec) -> list[Block]:
    taxonomy = card.get("taxonomy")
    known = {name: card.get(name) for name in ("about", "licence", "paper", "main_metric", "notes")}
    rows = [(name.replace("_", " "), _in_words(value)) for name, value in known.items() if value]
    if isinstance(taxonomy, dict):
        rows += [(str(name), _in_words(value)) for name, value in taxonomy.items() if value]
    rows += [("source", spec.data.source), ("instances", spec.data.instances)]
    rows += [(f"file {file.path}", file.sha256) for file in spec.data.files]
    licence = [] if card.get("licence") else [Paragraph("No licence is on record: ask whoever brought the data.")]
    return [Heading(title), Rows(rows), *licence]


def _in_words(value: Any) -> str:
    """What stands on a card, without the signs of a programming language: `process: intake; channel: mail, chat`."""
    if isinstance(value, dict):
        return "; ".join(f"{key}: {_in_words(inner)}" for key, inner in value.items())
    return ", ".join(map(_in_words, value)) if isinstance(value, list | tuple) else str(value)
