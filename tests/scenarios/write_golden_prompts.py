"""Show, and with --write keep, the digests of the first prompt of every scenario with data in the loopback hub.

    python tests/scenarios/write_golden_prompts.py boolq arc:subset=easy      # look at these
    python tests/scenarios/write_golden_prompts.py --write                    # keep the digests of all of them

Look before you keep: a digest says only that a prompt has not changed since somebody found it right.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
GOLDEN = HERE / "golden_prompts.json"


def main() -> None:
    """Render the entries named on the command line, or all."""
    hub = Path(os.environ.get("ASSAY_SHARED") or HERE.parents[2] / "shared") / "hub"
    if not hub.is_dir():
        sys.exit(f"the loopback hub is not at {hub}; set ASSAY_SHARED to the folder it lies in")
    sys.path[:0] = [str(HERE), str(hub)]
    from hub_mirror import HubMirror
    from hub_table import HUB

    write = "--write" in sys.argv
    entries = [argument for argument in sys.argv[1:] if argument != "--write"] or list(HUB)
    with HubMirror(hub) as mirror, tempfile.TemporaryDirectory() as cache:
        os.environ["HF_TOKEN"] = mirror.token  # some repositories are gated
        digests = render(mirror.url, cache, entries, write)
    if write:
        kept = json.loads(GOLDEN.read_text()) if GOLDEN.exists() else {}
        GOLDEN.write_text(json.dumps(dict(sorted({**kept, **digests}.items())), indent=1) + "\n")


def render(url: str, cache: str, entries: list[str], quiet: bool) -> dict[str, str]:
    """The digests of entries; huggingface_hub is imported only after its environment is set."""
    os.environ.update(HF_ENDPOINT=url, HF_HOME=cache, HF_HUB_DISABLE_TELEMETRY="1")
    from hub_table import HUB
    from rendering import digest_of, first_requests, shown

    digests = {}
    for entry in entries:
        requests = first_requests(entry, HUB[entry].lacks)
        digests[entry] = digest_of(requests)
        if not quiet:
            sys.stdout.write(f"{'═' * 60}\n{entry}\n{shown(requests)}\n")
    return digests


if __name__ == "__main__":
    main()
