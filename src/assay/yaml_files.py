"""Reading YAML that users write: plain data, and one line naming file and line where something is wrong with it."""

from __future__ import annotations

import functools
import io
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.errors import AssayError
from assay.plain_files import bounded_bytes

if TYPE_CHECKING:
    import yaml

Twice = Callable[[int, str], None]

DEEPEST = 50
"""Levels of lists and mappings within each other."""
MOST_VALUES = 100_000
"""Values in one file, each alias counted as what it stands for."""
LARGEST_FILE = 1 << 24
"""Bytes of one file."""
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
        AssayError: it cannot be read, is a folder, a pipe or a device, has more than 16 MB, or is not UTF-8.
    """
    try:
        content = bounded_bytes(path, str(path), LARGEST_FILE)
        return io.TextIOWrapper(io.BytesIO(content), encoding="utf-8").read()  # every end of a line becomes \n
    except UnicodeDecodeError as error:
        raise AssayError(f"{path} is not UTF-8 text", "save it as UTF-8") from error
    except OSError as error:
        raise AssayError(f"{path} cannot be read: {error.strerror}", "give the path of a YAML file") from error
    except ValueError as error:
        raise AssayError(f"{str(path)!r} is no path: {error}", "give the path of a YAML file") from error


def parse_yaml(
    text: str, where: str, *, tags: Mapping[str, Callable[[str], Any]] | None = None, twice: Twice | None = None
) -> Any:
    """YAML as plain data: mappings, lists, text, numbers, truth values. Dates and times stay text, as they are written.

    Args:
        text: the YAML.
        where: names it in errors.
        tags: what a text becomes that has one of these tags (`!function`).
        twice: told the line and the key where a mapping has a key twice; its last value then counts. Else that is an error.

    Raises:
        AssayError: it is malformed, has a key twice in one mapping, is nested too deeply, or holds a value that cannot be
            meant; the message has the line where there is one.
    """
    import yaml

    loader: yaml.SafeLoader | None = None
    try:
        loader = _with_tags(tags or {})(text.removeprefix("\ufeff"))
        loader.twice = twice  # type: ignore[attr-defined] # of _loader
        content = loader.get_single_data()
    except _Refused as error:
        raise AssayError(f"{where}, line {error.line}: {error.problem}", error.fix) from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = f", line {mark.line + 1}" if mark else ""
        problem = (error.problem or error.context or "malformed")[:200]
        raise AssayError(f"{where}{line}: not valid YAML: {problem}", "check indentation, quotes and colons there") from None
    except yaml.reader.ReaderError as error:
        line = f", line {text.count(chr(10), 0, error.position) + 1}"
        raise AssayError(f"{where}{line}: not valid YAML: {_character(error.character)}", "remove it") from None
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
            found = next((pair for pair in node.value if step in _spellings(pair[0])), None)
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


def _with_tags(tags: Mapping[str, Callable[[str], Any]]) -> type[yaml.SafeLoader]:
    """The loader, for tags of one's own too."""
    if not tags:
        return _loader()
    tagged: type[yaml.SafeLoader] = type("Tagged", (_loader(),), {})
    for tag, make in tags.items():

        def made(loader: yaml.SafeLoader, node: yaml.ScalarNode, make: Callable[[str], Any] = make) -> Any:
            return make(str(loader.construct_scalar(node)))

        tagged.add_constructor(tag, made)
    return tagged


@functools.cache
def _loader() -> type[yaml.SafeLoader]:
    import yaml

    class Loader(yaml.SafeLoader):
        """Plain data only, no key twice in one mapping, and no more levels than anybody writes."""

        depth = 0
        nodes = 0
        twice: Twice | None = None

        def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
            self.depth += 1
            self.nodes += 1
            if self.nodes > MOST_VALUES:
                raise _Refused(self.line + 1, "the file holds too much", f"at most {MOST_VALUES} values are read")
            if self.depth > DEEPEST:
                raise _Refused(self.line + 1, "nested too deeply", f"at most {DEEPEST} levels are read")
            try:
                return super().compose_node(parent, index)
            finally:
                self.depth -= 1

        def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
            try:
                value = super().construct_object(node, deep=deep)
            except (ValueError, ArithmeticError, LookupError, TypeError, AttributeError) as error:
                problem = f"{str(node.value)[:40]!r} is no value: {error}"[:200]
                raise _Refused(node.start_mark.line + 1, problem, "quote it if it is text") from None
            line = node.start_mark.line + 1
            if isinstance(value, int) and not -LARGEST <= value < LARGEST:
                raise _Refused(line, "a number has more than 19 digits", "quote it if it is text")
            if isinstance(value, str) and not _encodable(value):
                raise _Refused(line, f"the text {value[:40]!r} holds half a character (a lone surrogate)", "write it whole")
            return value

    def mapping(loader: yaml.SafeLoader, node: yaml.MappingNode) -> dict[Any, Any]:
        seen = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode):
                line, truth = key.start_mark.line + 1, key.tag == "tag:yaml.org,2002:bool"
                name = loader.bool_values.get(key.value.lower()) if truth else key.value
                if name in seen and loader.twice is None:  # type: ignore[attr-defined] # of _loader
                    fix = "remove one: to YAML on, yes and true are the same" if truth else "remove one or rename it"
                    raise _Refused(line, f"{key.value[:80]!r} appears twice", fix)
                if name in seen:
                    loader.twice(line, key.value)  # type: ignore[attr-defined] # of _loader
                seen.add(name)
        loader.flatten_mapping(node)
        return loader.construct_mapping(node, deep=True)

    def text(loader: yaml.SafeLoader, node: yaml.ScalarNode) -> Any:
        return loader.construct_scalar(node)

    Loader.add_constructor("tag:yaml.org,2002:map", mapping)

    def number(loader: yaml.SafeLoader, node: yaml.ScalarNode) -> Any:
        if ":" in node.value:  # 1:30, to YAML 1.1 ninety
            return loader.construct_scalar(node)
        whole = node.tag == "tag:yaml.org,2002:int"
        return loader.construct_yaml_int(node) if whole else loader.construct_yaml_float(node)

    Loader.add_constructor("tag:yaml.org,2002:timestamp", text)
    Loader.add_constructor("tag:yaml.org,2002:int", number)
    Loader.add_constructor("tag:yaml.org,2002:float", number)
    return Loader


def _check_values(content: Any, where: str) -> None:
    """Refuse aliases that stand for themselves or for too much."""
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


def _spellings(key: yaml.Node) -> tuple[Any, ...]:
    """What a key of a mapping may be called: as it is written, and as what it is read as."""
    meant = {"tag:yaml.org,2002:bool": str(key.value).lower() in ("on", "yes", "true"), "tag:yaml.org,2002:null": None}
    return (key.value, str(meant[key.tag])) if key.tag in meant else (key.value,)


def _character(code: int) -> str:
    return f"the character U+{code:04X} may not stand in it"


def _encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
