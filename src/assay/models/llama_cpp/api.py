"""The part of llama.cpp's C interface (llama.h) that is used, as the library inside the package xllamacpp exports it.

Two structures of settings go by value, and their layout changes between versions of llama.cpp. So the package's version is
pinned, only the fields named here are written, and the defaults that the library fills in are compared with the known ones
before anything else is called: a library with another layout is an error, never a wrong number.
"""

from __future__ import annotations

import ctypes
import importlib.metadata
from ctypes import POINTER, c_bool, c_char_p, c_float, c_int8, c_int32, c_uint8, c_void_p
from functools import lru_cache
from typing import Any

from assay.errors import AssayError, MissingExtra

VERSION = "2026.10.11549"
"""Of xllamacpp; what the structures were taken from."""
_SIZE = 512
"""Bytes set aside for a structure of settings: more than any version of it has."""
_ERROR = 4
"""Level of log lines that are errors."""


class ModelSettings(ctypes.Structure):
    """`llama_model_params`."""

    _fields_ = [
        ("_", c_uint8 * 16),
        ("gpu_layers", c_int32),
        ("__", c_uint8 * 52),
        ("vocab_only", c_bool),
        ("___", c_uint8 * _SIZE),
    ]


class ContextSettings(ctypes.Structure):
    """`llama_context_params`."""

    _fields_ = [
        *((name, c_int32) for name in ("context", "batch", "part", "sequences", "_rs", "outputs", "outputs_each")),
        *((name, c_int32) for name in ("threads", "threads_batch")),
        ("_", c_uint8 * 100),
        *((name, c_bool) for name in ("embeddings", "offload_kqv", "no_perf", "op_offload", "swa_full", "unified")),
        ("__", c_uint8 * _SIZE),
    ]


class Batch(ctypes.Structure):
    """`llama_batch`: tokens with their positions, the sequences they belong to, and whether logits are wanted."""

    _fields_ = [
        ("count", c_int32),
        ("tokens", POINTER(c_int32)),
        ("embeddings", c_void_p),
        ("positions", POINTER(c_int32)),
        ("sequence_counts", POINTER(c_int32)),
        ("sequences", POINTER(POINTER(c_int32))),
        ("wanted", POINTER(c_int8)),
    ]


_INT, _BOOL, _HANDLE, _TEXT = c_int32, c_bool, c_void_p, c_char_p
_FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "backend_init": (None, []),
    "log_set": (None, [_HANDLE, _HANDLE]),
    "model_default_params": (ModelSettings, []),
    "context_default_params": (ContextSettings, []),
    "model_load_from_file": (_HANDLE, [_TEXT, ModelSettings]),
    "model_free": (None, [_HANDLE]),
    "model_get_vocab": (_HANDLE, [_HANDLE]),
    "model_is_recurrent": (_BOOL, [_HANDLE]),
    "model_is_hybrid": (_BOOL, [_HANDLE]),
    "init_from_model": (_HANDLE, [_HANDLE, ContextSettings]),
    "free": (None, [_HANDLE]),
    "get_memory": (_HANDLE, [_HANDLE]),
    "memory_clear": (None, [_HANDLE, _BOOL]),
    "memory_seq_rm": (_BOOL, [_HANDLE, _INT, _INT, _INT]),
    "memory_seq_cp": (None, [_HANDLE, _INT, _INT, _INT, _INT]),
    "batch_init": (Batch, [_INT, _INT, _INT]),
    "batch_free": (None, [Batch]),
    "decode": (_INT, [_HANDLE, Batch]),
    "get_logits": (POINTER(c_float), [_HANDLE]),
    "vocab_n_tokens": (_INT, [_HANDLE]),
    "vocab_bos": (_INT, [_HANDLE]),
    "vocab_eos": (_INT, [_HANDLE]),
    "vocab_get_add_bos": (_BOOL, [_HANDLE]),
    "vocab_is_eog": (_BOOL, [_HANDLE, _INT]),
    "vocab_is_control": (_BOOL, [_HANDLE, _INT]),
    "vocab_get_text": (_TEXT, [_HANDLE, _INT]),
    "tokenize": (_INT, [_HANDLE, _TEXT, _INT, POINTER(c_int32), _INT, _BOOL, _BOOL]),
    "token_to_piece": (_INT, [_HANDLE, _INT, _TEXT, _INT, _INT, _BOOL]),
}


class Api:
    """The functions by their names without `llama_`, and the last errors that the library logged."""

    def __init__(self, path: str) -> None:
        self.errors: list[str] = []
        try:
            library = ctypes.CDLL(path)
            for name, (result, arguments) in _FUNCTIONS.items():
                function = getattr(library, f"llama_{name}")
                function.restype, function.argtypes = result, arguments
                setattr(self, name, function)
        except (OSError, AttributeError) as error:
            raise AssayError(f"the library inside xllamacpp cannot be used: {error}", REINSTALL) from None
        self._callback = ctypes.CFUNCTYPE(None, ctypes.c_int, c_char_p, c_void_p)(self._logged)
        self.log_set(ctypes.cast(self._callback, c_void_p), None)
        self._check()
        self.backend_init()

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name)

    def why(self) -> str:
        """The first error logged since the last call, one line: later ones only say that it failed."""
        first = self.errors[0] if self.errors else "it gives no reason"
        self.errors.clear()
        return first

    def _logged(self, level: int, text: bytes, _: object) -> None:
        if level == _ERROR:
            self.errors.append(" ".join(text.decode("utf-8", "replace").split())[:300])

    def _check(self) -> None:
        """Compare the library's defaults with those of the version whose layout is declared here."""
        model, context = self.model_default_params(), self.context_default_params()
        found = (
            (model.gpu_layers, model.vocab_only),
            (context.context, context.batch, context.part, context.sequences, context.outputs, context.outputs_each),
            (context.embeddings, context.offload_kqv, context.no_perf, context.op_offload, context.swa_full, context.unified),
        )
        known = ((-1, False), (512, 2048, 512, 1, 0, 1), (False, True, True, True, True, False))
        if found != known or context.threads < 1 or context.threads != context.threads_batch:
            raise AssayError("the settings of the library inside xllamacpp have another layout than expected", REINSTALL)


REINSTALL = f"pip install 'xllamacpp=={VERSION}'"


@lru_cache(maxsize=1)
def api() -> Api:
    """The library, loaded once.

    Raises:
        MissingExtra: xllamacpp is not installed.
        AssayError: it is another version, or its library cannot be loaded.
    """
    try:
        found = importlib.metadata.version("xllamacpp")
    except importlib.metadata.PackageNotFoundError:
        raise MissingExtra("xllamacpp", "gguf") from None
    if found != VERSION:
        raise AssayError(f"xllamacpp {found} is installed, but assay works with {VERSION}", REINSTALL)
    try:
        from xllamacpp import xllamacpp
    except ImportError as error:  # a system library that it needs
        raise AssayError(
            f"xllamacpp cannot be imported: {error}", "install that system library (libgomp1, libstdc++6)"
        ) from None
    return Api(str(xllamacpp.__file__))
