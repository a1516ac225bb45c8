"""Estimates as tables: for the terminal, and as Markdown."""

from assay.tables.drawing import Table
from assay.tables.naming import stats_of, told_apart
from assay.tables.numbers import NOT_MEASURED, format_amount, format_estimate
from assay.tables.single import run_tables
from assay.tables.suite import find_cell, suite_table
from assay.tables.summary import plan_notes, write_summary
from assay.tables.usable import advice, unusable, usable_text

__all__ = [
    "NOT_MEASURED",
    "Table",
    "advice",
    "find_cell",
    "format_amount",
    "format_estimate",
    "plan_notes",
    "run_tables",
    "stats_of",
    "suite_table",
    "told_apart",
    "unusable",
    "usable_text",
    "write_summary",
]
