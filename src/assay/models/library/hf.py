"""Any checkpoint that transformers can load, computed in this process: `hf/FOLDER` or `hf/OWNER/NAME` from the hub.

It needs the extra `hf`. Weights are read from safetensors files, and no code that comes with them is run. In `models.yaml`,
`revision` pins a branch, tag or commit of a hub repository (the run records the commit), and `body` may hold `device` (`cpu`,
`cuda`, `cuda:1`, `mps`) and `dtype` (`float32`, `bfloat16`, `float16`): the checkpoint's own unless it says so, but a type of
16 bits is slow on most processors without a graphics card.
"""

from __future__ import annotations

import importlib.util
import re

from assay.errors import AssayError, MissingExtra, unknown
from assay.models.base import Model, ModelConfig, provider

DTYPES = ("auto", "float32", "bfloat16", "float16")
DEVICE = re.compile(r"auto|cpu|mps|cuda(:\d+)?")
PACKAGES = ("torch", "transformers", "safetensors", "tokenizers", "jinja2")


@provider("hf", examples=["hf/HuggingFaceTB/SmolLM2-135M-Instruct"])
def hf(name: str, config: ModelConfig) -> Model:
    """A checkpoint of Hugging Face transformers inside this process: batches that share beginnings, exact scoring."""
    for package in PACKAGES:
        if importlib.util.find_spec(package) is None:
            raise MissingExtra(package, "hf")
    from assay.models.transformers_engine.checkpoint import open_checkpoint
    from assay.models.transformers_engine.model import Placing, TransformersModel

    placing = Placing(**_settings(config))
    return TransformersModel(open_checkpoint(name, config.revision), placing, config)


def _settings(config: ModelConfig) -> dict[str, str]:
    for key, value in config.body.items():
        if key not in ("dtype", "device"):
            raise unknown(f"setting in the body of {config.name!r}:", key, ["dtype", "device"])
        if key == "dtype" and value not in DTYPES:
            raise AssayError(f"{config.name!r}: dtype must be one of {', '.join(DTYPES)}, not {value!r}")
        if key == "device" and not (isinstance(value, str) and DEVICE.fullmatch(value)):
            raise AssayError(f"{config.name!r}: device must be cpu, mps, cuda or cuda:NUMBER, not {value!r}")
    return dict(config.body)
