"""Warnings that are said once, however often what they are about is met."""

from __future__ import annotations

import functools
import logging

log = logging.getLogger("assay")


@functools.lru_cache(maxsize=10_000)
def warn_once(message: str) -> None:
    """Log a warning, unless this process has logged the same one."""
    log.warning("%s", message)
