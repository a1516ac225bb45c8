"""The embedded model: a small language model that runs in this process, on numpy alone.

`gguf` reads the weights file, `tokenizer` turns text into tokens and back, `products`, `cache`, `attention` and `llama`
are the forward pass, `prefixes`, `sampling` and `engine` plan and carry out a batch, `model` is what the rest of assay sees.
Importing this package loads none of them.
"""
