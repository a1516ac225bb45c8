"""The pages as files: a folder that can be put anywhere, or one file that can be sent.

What is written is a function of the runs and of the version alone. A report is put in place in one piece, and written over only
where an earlier report lies and nothing else does.
"""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

import assay
from assay.errors import AssayError
from assay.identity import digest
from assay.plain_files import regular
from assay.records import Record
from assay.store.folders import encode_json
from assay.store.manifest import UNREADABLE
from assay.web.addresses import FIRST, Address, Anchored, Filed
from assay.web.catalog import Catalog
from assay.web.documents import document, page_or_problem, shared
from assay.web.page import View
from assay.web.pages import kinds
from assay.web.placing import replacing
from assay.web.rendering import ASSETS, render

MARK = "report.json"
GENERATOR = b'<meta name="generator" content="assay '
HEAD = 2_000
"""Bytes at the beginning of a file that say whether it is a report."""
POLICY = "default-src 'none'; style-src {style}; script-src {script}; img-src {image}; base-uri 'none'; form-action 'none'"
OF_A_FOLDER = POLICY.format(style="'self'", script="'self'", image="'self' data:")


class Report(Record):
    """What `report.json` in the folder of a report holds."""

    assay: str
    """The version that wrote it."""
    files: tuple[str, ...]
    """Every other file of it."""


def write_folder(catalog: Catalog, out: Path) -> int:
    """Write a report as a folder, and return how many pages it has.

    Raises:
        AssayError: something that is no report is in the way.
    """
    with replacing(out, _check_folder) as draft:
        files = tuple(_written_files(catalog, draft))
        (draft / MARK).write_bytes(encode_json(Report(assay=assay.__version__, files=tuple(sorted(files)))))
    return sum(file.endswith(".html") for file in files)


def _written_files(catalog: Catalog, place: Path) -> Iterator[str]:
    """Write all pages and what they need, and name each file."""
    written = {address: _file_of(address) for address in _every(catalog)}
    for address, file in written.items():
        view = View(catalog, Filed(written, file))
        _write(place / file, document(page_or_problem(view, address), view, address, OF_A_FOLDER).encode())
        yield file
    for asset in sorted(ASSETS.iterdir()):
        _write(place / "assets" / asset.name, asset.read_bytes())
        yield f"assets/{asset.name}"


def write_file(catalog: Catalog, out: Path) -> int:
    """Write a report as one HTML file, and return how many pages it has.

    Raises:
        AssayError: something that is no report is in the way.
    """
    with replacing(out, _check_file) as draft:
        written = {address: _anchor_of(address) for address in _every(catalog)}
        draft.write_bytes(_single(catalog, written).encode())
    return len(written)


def _single(catalog: Catalog, written: Mapping[Address, str]) -> str:
    view = View(catalog, Anchored(written))
    style, script, icon = ((ASSETS / name).read_text("utf-8") for name in ("style.css", "assay.js", "icon.svg"))
    policy = POLICY.format(style=_hash_of(style), script=_hash_of(script), image="data:")
    pages = [(anchor, page_or_problem(view, address)) for address, anchor in written.items()]
    return str(
        render(
            "single.html",
            view,
            Address(FIRST),
            pages=pages,
            policy=policy,
            style=style,
            script=script,
            icon=base64.b64encode(icon.encode()).decode(),
            **shared(view),
        )
    )


def _hash_of(text: str) -> str:
    """What a content security policy says of a script or style that stands in the page."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _every(catalog: Catalog) -> Iterator[Address]:
    for kind in kinds().values():
        yield from kind.every(catalog)


def _file_of(address: Address) -> str:
    if address == Address(FIRST):
        return "index.html"
    return f"{_anchor_of(address)}.html"


def _anchor_of(address: Address) -> str:
    name = "/".join(filter(None, (address.page, address.of)))
    return name + (f"/{digest(address.query)[:12]}" if address.query else "")


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def _beginning(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(HEAD)


def _check_file(there: Path, named: Path) -> None:
    """Refuse anything but a report in one file."""
    if there.is_dir():
        raise AssayError(f"{named} is a folder", "name a file, such as report.html")
    if not there.is_file():
        raise AssayError(f"{named} is a device or a pipe", "name a file, such as report.html")
    if GENERATOR not in _beginning(there):
        raise AssayError(f"{named} is there already and is no report", "choose another name")


def _check_folder(there: Path, named: Path) -> None:
    """Refuse anything but a report as a folder, and an empty folder."""
    if not there.is_dir():
        raise AssayError(f"{named} is a file", "name a folder, or write one file with --single-file")
    if there.samefile(Path()):
        raise AssayError(f"{named} is the folder you are in", "name another, such as report/")
    if not any(there.iterdir()):
        return
    try:
        report = msgspec.json.decode((there / MARK).read_bytes() if regular(there / MARK) else b"", type=Report)
    except UNREADABLE:
        raise AssayError(f"{named} is not empty and holds no report", "choose another folder") from None
    known = {MARK, *report.files}
    for file in sorted(_files_in(there, named)):
        name = file.relative_to(there).as_posix()
        if file.is_symlink() or name not in known:
            raise AssayError(
                f"{named} holds {name}, which is not part of the report there", "move it away, or choose another folder"
            )


def _files_in(there: Path, named: Path) -> Iterator[Path]:
    """Everything in a folder and below it but folders; no link is followed.

    Raises:
        AssayError: a folder cannot be looked into, so that nobody knows what would be lost with it.
    """

    def refuse(error: OSError) -> None:
        where = Path(error.filename).relative_to(there).as_posix()
        problem = f"{named} holds {where}, which cannot be looked into: {error.strerror}"
        raise AssayError(problem, "give this user the right to read it, or choose another folder")

    for place, folders, files in os.walk(there, onerror=refuse):
        yield from (Path(place, name) for name in files)
        yield from (file for file in (Path(place, name) for name in folders) if file.is_symlink())
