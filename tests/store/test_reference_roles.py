from __future__ import annotations

from pathlib import Path

from assay.records import Answer, Instance, Reference, Request, Trial
from assay.store.transcripts import Transcript, from_row, read_transcripts, table_of, to_row, transcript_schema, write_part


def test_what_an_option_stands_for_survives_the_table(tmp_path: Path) -> None:
    references = (Reference(text="The old man", role="stereotype"), Reference(text="Not known", correct=True, role="unknown"))
    instance = Instance(id="1", input="Who?", references=(*references, Reference(text="plain")))
    transcript = Transcript(
        trial=Trial(instance=instance, requests=(Request(prompt="Who?"),)), responses=(), answer=Answer(outcome="empty")
    )
    write_part(tmp_path / "part.parquet", table_of([to_row(transcript)], transcript_schema()))
    (row,) = read_transcripts(tmp_path / "part.parquet")
    assert from_row(row)[0].instance.references == instance.references
