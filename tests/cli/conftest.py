"""Fixtures of the command line's tests."""

from cli_helpers import assay

__all__ = ["assay"]
