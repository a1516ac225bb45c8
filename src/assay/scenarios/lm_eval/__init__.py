"""Tasks of lm-evaluation-harness, read from their YAML: the package itself is never imported.

files       the YAML files of a folder: tasks, groups and tags by name, `include`, `!function`
config      one task's settings, checked, and what assay cannot do refused by name
templates   doc_to_text, doc_to_target and doc_to_choice
code        functions that a task brings along, where the user allows them
documents   the rows of its data set, from the hub or from files, as it names its splits
examples    which documents are shown before each one
prompts     a document as an instance with its prompt written out
scoring     its metrics, filters and generation settings as assay's
"""
