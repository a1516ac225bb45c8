"""What models inside this process have in common, whatever library computes them.

`words` is text and tokens, `chat` conversations as text, `sampling` logits and completions, `jobs` a request after
tokenisation, `model` what the rest of assay sees. `packs` and `engine` carry out a batch for libraries that compute many
texts in one row; the embedded model has an engine of its own. `fingerprint` says which weights a file holds.
"""
