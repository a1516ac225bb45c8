"""What pages are made with, loaded before anybody asks for one: libraries, templates, what draws charts, the catalog."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from assay.web.charts.drawing import warm_up
from assay.web.rendering import environment


def prepare() -> None:
    """Load everything that the first page of its kind would load: about a second, once."""
    with ThreadPoolExecutor(1, "assay-charts") as thread:  # it computes outside Python's lock
        charts = thread.submit(warm_up)
        load()
        charts.result()


def load() -> None:
    """All of it but what draws charts."""
    import numpy as np
    import polars as pl
    import scipy.special  # noqa: F401 # of the intervals

    from assay.coverage import builtin_map, cover_units

    cover_units("", (), builtin_map())
    for name in environment().list_templates():
        environment().get_template(name)
    pl.LazyFrame({"number": np.zeros(1)}).collect()  # starts its threads
