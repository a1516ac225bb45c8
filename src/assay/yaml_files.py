"""Reading YAML that users write: plain data, and one line naming file and line where something is wrong with it."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.errors import AssayError

if TYPE_CHECKING:
    import yaml

DEEPEST = 50
"""Levels of lists and mappings within each other."""
MOST_VALUES = 100_000
"""Values in one file, each alias counted as what it stands for."""
LARGEST = 1 << 63
"""Whole numbers reach to this size: what is larger cannot be stored with a run."""


def read_yaml_file(path: Path) -> Any:
    """The content of a YAML file, as `parse_yaml`.

    Raises:
        AssayError: it cannot be read, is not UTF-8, or as `parse_yaml`.
    """
    return parse_yaml(read_yaml_text(path), str(path))


def read_yaml_text(path: Path) -> str:
    """The text of a YAML file.

    Raises:
        AssayError: it cannot be read, or is not UTF-8.
    """
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise AssayError(f"{path} is not UTF-8 text", "save it as UTF-8") from error
    except OSError as error:
        raise AssayError(f"{path} cannot be read: {error.strerror}", "give the path of a YAML file") from error
    except ValueError as error:
        raise AssayError(f"{str(path)!r} is no path: {error}", "give the path of a YAML file") from error


def parse_yaml(text: str, where: str) -> Any:
    """YAML as plain data: mappings, lists, text, numbers, truth values. Dates stay text, as they are written.

    Args:
        text: the YAML.
        where: names it in errors.

    Raises:
        AssayError: it is malformed, has a key twice in one mapping, is nested too deeply, or holds a value that cannot be
            meant; the message has the line where there is one.
    """
    import yaml

    loader: yaml.SafeLoader | None = None
    try:
        loader = _loader()(text.removeprefix("\ufeff"))
        content = loader.get_single_data()
    except _Refused as error:
        raise AssayError(f"{where}, line {error.line}: {error.problem}", error.fix) from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = f", line {mark.line + 1}" if mark else ""
        problem = (error.problem or error.context or "malformed")[:200]
        raise AssayError(f"{where}{line}: not valid YAML: {problem}", "check indentation, quotes and colons there") from None
    except yaml.YAMLError as error:
        raise AssayError(f"{where} is not valid YAML: {' '.join(str(error).split())[:200]}", "check its characters") from None
    except RecursionError:
        raise AssayError(f"{where} is nested too deeply", f"at most {DEEPEST} levels are read") from None
    finally:
        if loader is not None:
            loader.dispose()
    _check_values(content, where)
    return content


def line_of(path: Path, steps: Sequence[str | int]) -> int | None:
    """The line of a key or a list's item in a YAML file, for messages about a file that has been read.

    Args:
        path: the file.
        steps: keys and positions (from 0), from the outside in.

    Returns:
        The line of the last step that is there, from 1; `None` where none is, or the file is not as it was.
    """
    import yaml

    try:
        node = yaml.compose(path.read_text(encoding="utf-8"), Loader=_loader())
    except (OSError, ValueError, RecursionError, yaml.YAMLError, _Refused):
        return None
    line: int | None = None
    for step in steps:
        if isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
            node = node.value[step]
            line = node.start_mark.line + 1
        elif isinstance(node, yaml.MappingNode):
            found = next((pair for pair in node.value if getattr(pair[0], "value", None) == step), None)
            if found is None:
                return line
            line, node = found[0].start_mark.line + 1, found[1]
        else:
            return line
    return line


def at_line(path: Path, *steps: str | int) -> str:
    """`billing.yaml, line 4`: where a key or item of a file stands; the steps as for `line_of`."""
    line = line_of(path, steps)
    return f"{path}, line {line}" if line else str(path)


def place_of(message: str, path: Path) -> tuple[str, str, list[str | int]]:
    """What msgspec says of a wrong value (``Expected `int`, got `str` - at `$.a[0]` ``): the problem, its line, its path."""
    problem, _, place = message.partition(" - at `$")
    steps: list[str | int] = [int(index) if index else name for name, index in re.findall(r"\.([\w-]+)|\[(\d+)\]", place)]
    return problem, at_line(path, *steps), steps


class _Refused(Exception):
    """Something that YAML allows and assay does not."""

    def __init__(self, line: int, problem: str, fix: str) -> None:
        super().__init__(problem)
        self.line = line
        self.problem = problem
        self.fix = fix


@functools.cache
def _loader() -> type[yaml.SafeLoader]:
    import yaml

    class Loader(yaml.SafeLoader):
        """Plain data only, no key twice in one mapping, and no more levels than anybody writes."""

        depth = 0

        def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
            self.depth += 1
            if self.depth > DEEPEST:
                raise _Refused(self.line + 1, "nested too deeply", f"at most {DEEPEST} levels are read")
            try:
                return super().compose_node(parent, index)
            finally:
                self.depth -= 1

        def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
            try:
                return super().construct_object(node, deep=deep)
            except (ValueError, ArithmeticError, LookupError, TypeError, AttributeError) as error:
                problem = f"{str(node.value)[:40]!r} is no value: {error}"[:200]
                raise _Refused(node.start_mark.line + 1, problem, "quote it if it is text") from None

    def mapping(loader: yaml.SafeLoader, node: yaml.MappingNode) -> dict[Any, Any]:
        seen = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode):
                if key.value in seen:
                    raise _Refused(key.start_mark.line + 1, f"{key.value[:80]!r} appears twice", "remove one or rename it")
                seen.add(key.value)
        loader.flatten_mapping(node)
        return loader.construct_mapping(node, deep=True)

    def text(loader: yaml.SafeLoader, node: yaml.ScalarNode) -> Any:
        return loader.construct_scalar(node)

    Loader.add_constructor("tag:yaml.org,2002:map", mapping)
    Loader.add_constructor("tag:yaml.org,2002:timestamp", text)
    return Loader


def _check_values(content: Any, where: str) -> None:
    """Refuse what no later stage can store: lone surrogates, endless numbers, aliases that stand for themselves or too much."""
    waiting, seen = [(content, 0)], 0
    while waiting:
        value, depth = waiting.pop()
        seen += 1
        if seen > MOST_VALUES or depth > DEEPEST:
            hint = f"at most {MOST_VALUES} values, {DEEPEST} levels deep; check its aliases"
            raise AssayError(f"{where} holds too much", hint)
        if isinstance(value, dict):
            waiting += [(part, depth + 1) for item in value.items() for part in item]
        elif isinstance(value, list | tuple | set):
            waiting += [(part, depth + 1) for part in value]
        elif isinstance(value, int) and not -LARGEST <= value < LARGEST:
            raise AssayError(f"{where}: a number has more than 19 digits", "quote it if it is text")
        elif isinstance(value, str) and not _encodable(value):
            raise AssayError(f"{where}: the text {value[:40]!r} holds half a character (a lone surrogate)", "write it whole")


def _encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
