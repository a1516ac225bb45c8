"""Makes a checkpoint of transformers from a GGUF file of a Llama model, so that two engines can be compared."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from assay.models.local.gguf import GGUF
from assay.models.local.tokenizer import Tokenizer

NAMES = {
    "attn_norm": "input_layernorm", "ffn_norm": "post_attention_layernorm", "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj", "attn_v": "self_attn.v_proj", "attn_output": "self_attn.o_proj",
    "ffn_gate": "mlp.gate_proj", "ffn_up": "mlp.up_proj", "ffn_down": "mlp.down_proj",
}  # fmt: skip


def checkpoint_of(file: GGUF, folder: Path) -> Path:
    """Write config.json, tokenizer.json and weights in float32; the folder."""
    from safetensors.numpy import save_file

    folder.mkdir(parents=True, exist_ok=True)
    heads, key_heads = (file.need(f"llama.attention.{name}", int) for name in ("head_count", "head_count_kv"))
    layers = file.need("llama.block_count", int)
    tensors = {
        "model.embed_tokens.weight": file.tensors["token_embd.weight"].floats(),
        "model.norm.weight": file.tensors["output_norm.weight"].floats(),
    }
    for layer in range(layers):
        for name, theirs in NAMES.items():
            values = file.tensors[f"blk.{layer}.{name}.weight"].floats()
            if name in ("attn_q", "attn_k"):
                values = _unpermuted(values, heads if name == "attn_q" else key_heads)
            tensors[f"model.layers.{layer}.{theirs}.weight"] = np.ascontiguousarray(values)
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    words = Tokenizer(file)
    words._encoder.save(str(folder / "tokenizer.json"))
    names = file.words("tokenizer.ggml.tokens")
    end = file.need("tokenizer.ggml.eos_token_id", int)
    config = {
        "architectures": ["LlamaForCausalLM"], "model_type": "llama", "num_hidden_layers": layers,
        "hidden_size": file.need("llama.embedding_length", int), "vocab_size": len(names),
        "intermediate_size": file.need("llama.feed_forward_length", int), "num_attention_heads": heads,
        "num_key_value_heads": key_heads, "rms_norm_eps": file.need("llama.attention.layer_norm_rms_epsilon", float),
        "rope_theta": file.need("llama.rope.freq_base", float), "tie_word_embeddings": True, "hidden_act": "silu",
        "max_position_embeddings": file.need("llama.context_length", int), "eos_token_id": end, "torch_dtype": "float32",
    }  # fmt: skip
    begin = file.metadata.get("tokenizer.ggml.bos_token_id", end)
    settings = {
        "chat_template": file.need("tokenizer.chat_template", str), "bos_token": names[begin],
        "eos_token": {"content": names[end], "special": True},
    }  # fmt: skip
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    return folder


def _unpermuted(values: np.ndarray, heads: int) -> np.ndarray:
    """GGUF has the two halves of a head's rotation interleaved, transformers one after the other."""
    rows, width = values.shape
    return values.reshape(heads, rows // heads // 2, 2, width).swapaxes(1, 2).reshape(rows, width)
