"""Where rows come from: a repository on the hub, a local file, a seeded generator, or a part held out of one of them."""

from assay.scenarios.sources.generated import Generator
from assay.scenarios.sources.heldout import HeldOut
from assay.scenarios.sources.hub import Hub
from assay.scenarios.sources.local import File

__all__ = ["File", "Generator", "HeldOut", "Hub"]
