"""`assay sign` and `assay new key`: vouching for a decision."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer


def sign(
    record: Annotated[Path, typer.Argument(help="A decision record, as `assay decide` wrote it.")],
    key: Annotated[Path, typer.Option("--key", help="Your private key: `assay new key FILE` makes one.")],
    name: Annotated[str, typer.Option("--name", help="Who you are.")],
    role: Annotated[str, typer.Option("--role", help="As what you sign: owner, risk officer, …")],
    statement: Annotated[str, typer.Option("--statement", help="What you add in words.")] = "",
) -> None:
    """Sign a decision record. Several people may, one after the other; each vouches for it and for the signatures before."""
    from assay.decisions.keys import fingerprint_of, read_key
    from assay.decisions.recording import read_record
    from assay.decisions.shortfalls import shortfalls
    from assay.decisions.signing import Signer, sign_file
    from assay.text import one_line

    signer = Signer(name, role, statement)
    read_record(record)
    made = sign_file(record, read_key(key), signer)
    last = made.signatures[-1]
    chosen = made.choice.chosen or "no candidate" if made.choice else "not said"
    sys.stdout.write(f"signed:  {one_line(made.name)}\n")
    sys.stdout.write(f"chosen:  {one_line(chosen)} (recommended: {one_line(made.decision.recommended or 'none')})\n")
    for line in shortfalls(made.decision, made.choice.chosen) if made.choice else ():
        sys.stdout.write(f"         {one_line(line)}\n")
    sys.stdout.write(f"digest:  {made.digest}\n")
    sys.stdout.write(f"by:      {one_line(last.name)} ({one_line(last.role)}), {last.at}\n")
    sys.stdout.write(f"key:     {fingerprint_of(last.public_key)}\n")


def new_key(
    file: Annotated[Path, typer.Argument(help="The file to write; it must not be there yet.")],
    public_of: Annotated[
        bool, typer.Option("--public", help="Print the public part of the key in FILE, which is there already.")
    ] = False,
) -> None:
    """Make a key to sign decisions with. ASSAY_KEY_PASSPHRASE encrypts it."""
    from assay.decisions.keys import fingerprint_of, public_part, read_key
    from assay.decisions.keys import new_key as make

    if public_of:
        public = public_part(read_key(file))
        sys.stdout.write(f"{public}\n")
        sys.stderr.write(f"fingerprint: {fingerprint_of(public)}\n")
        return
    public = make(file)
    sys.stdout.write(f"wrote {file}, for you alone\npublic key:  {public}\nfingerprint: {fingerprint_of(public)}\n\n")
    sys.stdout.write("Give the public key to those who will check what you sign, on a way that they trust.\n")
    sys.stdout.write(f"Printed again by:  assay new key {shlex.quote(str(file))} --public\n")
