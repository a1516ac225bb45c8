"""Where rows come from: a repository on the hub, a local file, a seeded generator, or a part of one of them."""

from assay.scenarios.sources.filtered import Filtered, FirstOfEach
from assay.scenarios.sources.generated import Generator
from assay.scenarios.sources.heldout import HeldOut
from assay.scenarios.sources.hub import Hub
from assay.scenarios.sources.joined import Joined
from assay.scenarios.sources.linked import Linked
from assay.scenarios.sources.local import File
from assay.scenarios.sources.unfolded import Unfolded

__all__ = ["File", "Filtered", "FirstOfEach", "Generator", "HeldOut", "Hub", "Joined", "Linked", "Unfolded"]
