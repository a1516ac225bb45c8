"""A decision record: what was compared, what was chosen, what was given up, by whom, over which evidence. Pure data."""

from __future__ import annotations

from assay.decisions.profile import Profile
from assay.decisions.results import Decision
from assay.records import Record


class EvidenceRun(Record):
    """A run that the decision rests on."""

    candidate: str
    scenario: str
    folder: str
    """Relative to the record's own folder where it lies below or beside it, else absolute."""
    run: str
    manifest: str
    """SHA-256 of its manifest.json, which holds the digests of all its files."""


class Choice(Record):
    """What people made of the recommendation."""

    chosen: str
    """A candidate, or empty: none."""
    by: str
    rationale: str
    dissent: str = ""


class Signature(Record):
    """One person's signature under the record. It signs the record's digest together with name, role and time."""

    name: str
    role: str
    at: str
    """UTC, ISO 8601."""
    public_key: str
    """Ed25519, 32 bytes, base64."""
    signature: str
    """64 bytes, base64."""
    statement: str = ""
    """What the person adds in words."""


class DecisionRecord(Record):
    """What is signed. Its digest is that of the record without its signatures."""

    name: str
    profile: Profile
    profile_file: str
    """The profile as it was written, so that comments and order are kept."""
    evidence: tuple[EvidenceRun, ...]
    decision: Decision
    choice: Choice | None = None
    earlier: tuple[Choice, ...] = ()
    """Choices that this one replaced, the first that was made first. The numbers may have been others then."""
    created: str = ""
    """UTC, ISO 8601."""
    review: str = ""
    expires: str = ""
    environment: dict[str, str] = {}
    """Versions that computed the numbers."""
    schema: int = 2
    digest: str = ""
    """Of all the above."""
    signatures: tuple[Signature, ...] = ()
