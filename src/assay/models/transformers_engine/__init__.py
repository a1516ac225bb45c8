"""Checkpoints in the format of Hugging Face transformers, computed in this process.

`checkpoint` finds the files and pins their revision, `words` is the tokenizer, `backend` computes packs, `model` is what the
rest of assay sees. Importing this package loads none of them. No code that comes with a checkpoint is ever run, and weights are
read from safetensors files only, never from pickles.
"""
