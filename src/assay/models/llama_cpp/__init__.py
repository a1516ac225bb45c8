"""Any GGUF file, computed by llama.cpp through the package xllamacpp.

The package's own interface gives no log-probabilities of a prompt. Its library exports llama.cpp's C interface, which does:
`api` declares the part that is used, `words` is the tokenizer, `backend` computes packs, `model` is what the rest of assay
sees. Importing this package loads none of them.
"""
