"""Any model in a GGUF file, computed by llama.cpp in this process: `gguf/PATH`. It needs the extra `gguf`.

In `models.yaml`, `body` may hold `gpu_layers` (layers put on a graphics processor, where the installed xllamacpp was built for
one) and `threads`; `context_window` is 8192 tokens unless it says otherwise.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path

from assay.errors import AssayError, MissingExtra, unknown
from assay.models.base import Model, ModelConfig, provider

SETTINGS = {"gpu_layers": 0, "threads": 1}
"""What `body` may hold, and the least each may be."""


@provider("gguf", examples=["gguf/models/smollm2.gguf"])
def gguf(name: str, config: ModelConfig) -> Model:
    """A model in a GGUF file, computed by llama.cpp inside this process: exact scoring, shared beginnings, no server."""
    path = Path(name).expanduser()
    if not path.is_file():
        raise AssayError(f"the GGUF file {name} does not exist", "write gguf/PATH with the path of the file")
    for package in ("xllamacpp", "jinja2"):
        if importlib.util.find_spec(package) is None:
            raise MissingExtra(package, "gguf")
    settings = _settings(config)
    from assay.models.llama_cpp.model import Details, LlamaModel
    from assay.models.local.gguf import metadata

    found = metadata(path)
    window = found.get(f"{found.get('general.architecture')}.context_length")
    template = found.get("tokenizer.chat_template")
    details = Details(
        path,
        trained_window=window if isinstance(window, int) and window > 0 else 2048,
        template=template if isinstance(template, str) else None,
        gpu_layers=settings.get("gpu_layers"),
        threads=settings.get("threads"),
    )
    return LlamaModel(details, config)


def _settings(config: ModelConfig) -> dict[str, int]:
    settings = {}
    for key, value in config.body.items():
        if key not in SETTINGS:
            raise unknown(f"setting in the body of {config.name!r}:", key, SETTINGS)
        if not isinstance(value, int) or isinstance(value, bool) or not SETTINGS[key] <= value <= 100_000:
            raise AssayError(f"{config.name!r}: {key} must be a whole number from {SETTINGS[key]} on, not {value!r}")
        settings[key] = value
    return settings
