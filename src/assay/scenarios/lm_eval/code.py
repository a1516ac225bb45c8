"""Functions that a task brings along: imported from the folder of the file that names them, and from nowhere else.

Nothing here runs unless the user allows the code of that task.
"""

from __future__ import annotations

import functools
import importlib.util
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, overload

from assay.errors import AssayError, no_exit
from assay.identity import digest
from assay.scenarios.lm_eval.files import Code


def load_function(code: Code) -> Callable[..., Any]:
    """The function that `!function module.name` names; `module` is a file in the folder of the YAML file or below it.

    Raises:
        AssayError: there is no such file in the folder, it fails on import, or has no such function.
    """
    module_name, _, function = code.name.rpartition(".")
    folder = code.folder.resolve()
    file = (folder / f"{module_name.replace('.', '/')}.py").resolve()
    if not module_name or not file.is_relative_to(folder) or not file.is_file():
        raise AssayError(
            f"{code.folder}: !function {code.name} is in no file of that folder", "only the task's own folder is read"
        )
    found = getattr(_module(file), function, None)
    if not callable(found):
        raise AssayError(f"{file} has no function {function}", f"!function {code.name} names it")
    return found  # type: ignore[no-any-return] # a task's own


@functools.lru_cache(maxsize=256)
def _module(file: Path) -> Any:
    name = f"assay_lm_eval_{digest(str(file))[:16]}"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise AssayError(f"{file} is not a Python file", "its name must end in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        with no_exit(str(file)):
            spec.loader.exec_module(module)
    except AssayError:
        raise
    except Exception as error:
        raise AssayError(f"{file} failed on import: {type(error).__name__}: {error}", "install what it needs") from error
    return module


class Documents:
    """Documents in order, with those methods of `datasets.Dataset` that the code of tasks uses. None changes its object."""

    def __init__(self, rows: Iterable[Mapping[str, Any]]) -> None:
        self._rows = [dict(row) for row in rows]

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self._rows)

    @overload
    def __getitem__(self, index: int) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, index: str) -> list[Any]: ...
    @overload
    def __getitem__(self, index: slice) -> dict[str, list[Any]]: ...
    def __getitem__(self, index: int | str | slice) -> dict[str, Any] | list[Any] | dict[str, list[Any]]:
        if isinstance(index, str):
            return [row[index] for row in self._rows]
        if isinstance(index, slice):
            return {name: [row.get(name) for row in self._rows[index]] for name in self.column_names}
        return self._rows[index]

    @property
    def column_names(self) -> list[str]:
        """The fields, in the order in which documents first have them."""
        return list(dict.fromkeys(name for row in self._rows for name in row))

    @property
    def features(self) -> dict[str, None]:
        """The fields; their types are not known."""
        return dict.fromkeys(self.column_names)

    def map(self, function: Callable[..., Any], **options: Any) -> Documents:
        """Each document with the fields that the function gives for it.

        Raises:
            AssayError: an option that changes what the function sees, `batched` for one, is asked for.
        """
        removed = _names(options.pop("remove_columns", None) or ())
        numbered = options.pop("with_indices", False)
        arguments = options.pop("fn_kwargs", None) or {}
        if options.pop("batched", False) or options.pop("input_columns", None):
            raise AssayError("the task's code maps documents in batches or by columns", "assay maps them one by one")
        rows = []
        for number, row in enumerate(self._rows):
            made = function(dict(row), number, **arguments) if numbered else function(dict(row), **arguments)
            kept = {name: value for name, value in row.items() if name not in removed}
            rows.append({**kept, **(made or {})})
        return Documents(rows)

    def filter(self, function: Callable[..., Any], **options: Any) -> Documents:
        """The documents for which the function is true."""
        arguments = options.pop("fn_kwargs", None) or {}
        return Documents(row for row in self._rows if function(dict(row), **arguments))

    def select(self, indices: Iterable[int], **options: Any) -> Documents:
        """The documents at these positions."""
        return Documents(self._rows[index] for index in indices)

    def rename_column(self, old: str, new: str) -> Documents:
        """The documents with one field renamed."""
        return self.rename_columns({old: new})

    def rename_columns(self, names: Mapping[str, str]) -> Documents:
        """The documents with fields renamed."""
        return Documents({names.get(name, name): value for name, value in row.items()} for row in self._rows)

    def remove_columns(self, names: str | Iterable[str]) -> Documents:
        """The documents without some fields."""
        dropped = _names(names)
        return Documents({name: value for name, value in row.items() if name not in dropped} for row in self._rows)

    def add_column(self, name: str, column: Iterable[Any]) -> Documents:
        """The documents with one field more."""
        return Documents({**row, name: value} for row, value in zip(self._rows, column, strict=True))

    def to_list(self) -> list[dict[str, Any]]:
        """The documents as a list."""
        return list(self._rows)


def _names(given: str | Iterable[str]) -> set[str]:
    return {given} if isinstance(given, str) else set(given)
