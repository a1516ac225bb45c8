"""Where templates of task files are filled in: Jinja's sandbox, with a bound on what one filling may do.

Jinja keeps a template from the program and its files, not from endless loops and texts of any length. Here a filling may do
a number of things (`MOST`): turns of loops, calls of macros, and characters and items made. What would make more at one
stroke (repetition, widths, powers, replacing) is counted before it is done.

The same document must always give the same text. Chance (`random`, `lipsum`) is not there, and what Python would write with its
address in memory, a function or an iterator, cannot become text.
"""

from __future__ import annotations

import functools
import re
import threading
import types
from collections.abc import Callable, Iterable, Iterator, Sized
from typing import Any

from jinja2 import StrictUndefined, nodes
from jinja2.exceptions import SecurityError
from jinja2.runtime import Context
from jinja2.sandbox import SandboxedEnvironment
from jinja2.utils import Cycler, Joiner
from jinja2.visitor import NodeTransformer

from assay.patterns import replaced

MOST = 20_000_000
"""Turns, calls, characters and items of one filling."""
WIDEST = 10_000
"""The greatest number given to a filter or a method of a text, where it is a width or a count."""
LONGEST_NUMBER = 10_000
"""Bits of a power or a product."""

_WIDTH = re.compile(r"%(?:\([^)]*\))?[#0\- +]*(\*|\d*)(?:\.(\*|\d*))?")
_FORMAT_WIDTH = re.compile(r"\{[^{}]*:[^{}]*?(?:\d{5,}|\{)")


class _Textless:
    """What cannot become text."""

    def __repr__(self) -> str:
        raise SecurityError(f"{self.said} cannot be written as text")

    said = "a function that is not called"


class _Cycler(_Textless, Cycler):
    said = "a cycler"


class _Joiner(_Textless, Joiner):
    said = "a joiner"


class _Lazy(_Textless):
    """What a filter gives item by item."""

    said = "what a filter gives item by item (write |list or |join behind it)"

    def __init__(self, items: Iterator[Any]) -> None:
        self._items = items

    def __iter__(self) -> Iterator[Any]:
        return self._items

    def __next__(self) -> Any:
        return next(self._items)


class _Function(_Textless):
    """A function as a template sees it."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._function(*args, **kwargs)


def _shielded(value: Any) -> Any:
    """A value without an address in memory to show."""
    if isinstance(value, Iterator) and not isinstance(value, _Textless):
        return _Lazy(value)
    return _Function(value) if isinstance(value, FUNCTIONS) else value


FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.MethodWrapperType, type, functools.partial)


class Sandbox(SandboxedEnvironment):
    """An environment for templates of others."""

    intercepted_binops = frozenset({"+", "*", "**", "%"})

    def __init__(self) -> None:
        super().__init__(undefined=StrictUndefined, keep_trailing_newline=True)
        del self.globals["lipsum"], self.filters["random"]
        self.globals |= {"cycler": _Cycler, "joiner": _Joiner}
        self.globals = {name: _shielded(value) for name, value in self.globals.items()}
        self._left = threading.local()
        self.filters = {name: self._bounded(name, function) for name, function in self.filters.items()}
        self.add_filter("regex_replace", _regex_replace)

    def add_filter(self, name: str, function: Callable[..., Any]) -> None:
        """A filter whose results count."""
        self.filters[name] = self._bounded(name, function)

    def filled(self, template: Any, values: dict[str, Any]) -> str:
        """A template filled in.

        Raises:
            SecurityError: it would do too much.
            Exception: whatever its expressions raise.
        """
        self._left.value = MOST
        return str(template.render(values))

    def step(self) -> None:
        """A turn of a loop, or a call."""
        self.spend(100)

    def spend(self, amount: int) -> None:
        """Count what is done. Raises SecurityError where it is too much."""
        left = getattr(self._left, "value", MOST) - amount
        self._left.value = left
        if left < 0:
            raise SecurityError("it takes too many turns, or makes too long a text")

    def concat(self, parts: Iterable[str]) -> str:
        """What a template or a part of it wrote, as one text."""
        listed = list(parts)
        self.spend(sum(map(len, listed)))
        return "".join(listed)

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """An operation that can make much of little."""
        if operator == "%" and isinstance(left, str | bytes):
            self._check_widths(left if isinstance(left, str) else left.decode("latin-1"))
        elif operator == "*":
            self.spend(_product(left, right))
        elif operator == "**":
            _check_power(left, right)
        elif isinstance(left, Sized) and isinstance(right, Sized):
            self.spend(len(left) + len(right))
        return self._counted(super().call_binop(context, operator, left, right))

    def getattr(self, obj: Any, attribute: str) -> Any:
        """`obj.attribute`."""
        return _shielded(super().getattr(obj, attribute))

    def getitem(self, obj: Any, argument: Any) -> Any:
        """`obj[argument]`."""
        return _shielded(super().getitem(obj, argument))

    def call(__self, __context: Context, __obj: Any, *args: Any, **kwargs: Any) -> Any:
        """A call of a method, a macro or a function."""
        __self.step()
        __obj = __obj._function if isinstance(__obj, _Function) else __obj
        owner = getattr(__obj, "__self__", None)
        if isinstance(owner, str | bytes):
            __self._check_arguments(str(getattr(__obj, "__name__", "")), (owner, *args, *kwargs.values()))
        return _shielded(__self._counted(super().call(__context, __obj, *args, **kwargs)))

    def wrap_str_format(self, value: Any) -> Callable[..., str] | None:
        """`str.format` as the sandbox has it, for formats without great widths."""
        wrapped = super().wrap_str_format(value)
        if wrapped is not None and _FORMAT_WIDTH.search(value.__self__):
            raise SecurityError("a format has too great a width")
        return wrapped

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        """The template, each turn of its loops counted, and `a ~ b` written as a sum of texts, which is."""
        tree = super()._parse(source, name, filename)
        repeated: list[nodes.For | nodes.Macro | nodes.CallBlock] = [
            *tree.find_all(nodes.For), *tree.find_all(nodes.Macro), *tree.find_all(nodes.CallBlock),
        ]  # fmt: skip
        for node in repeated:
            step = nodes.Call(nodes.EnvironmentAttribute("step"), [], [], None, None)
            node.body.insert(0, nodes.ExprStmt(step, lineno=node.lineno))
        return _Sums().visit(tree)  # type: ignore[no-any-return] # jinja2 has no types here

    def _bounded(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)  # with what Jinja notes on a function
        def bounded(*args: Any, **kwargs: Any) -> Any:
            given = args[1:] if hasattr(function, "jinja_pass_arg") else args
            self._check_arguments(name, (*given, *kwargs.values()))
            return _shielded(self._counted(function(*args, **kwargs)))

        return bounded

    def _check_arguments(self, name: str, given: tuple[Any, ...]) -> None:
        """What a filter or a method of a text gets, the text first."""
        if any(isinstance(value, int) and abs(value) > WIDEST for value in given[1:]):
            raise SecurityError(f"{name} is given a number above {WIDEST}")
        sizes = [len(value) for value in given if isinstance(value, Sized)]
        if name == "format" and given and isinstance(given[0], str):
            self._check_widths(given[0])
        elif name in ("replace", "regex_replace") and len(sizes) > 1:
            self.spend((sizes[0] + 1) * max(1, sizes[-1]))
        elif name in ("join", "translate") and len(sizes) > 1:
            self.spend(sizes[0] * sizes[1])
        elif name in ("indent", "expandtabs") and sizes:
            numbers = [value for value in given[1:] if isinstance(value, int)]
            self.spend(sizes[0] * max([8, *numbers, *sizes[1:]]))

    def _check_widths(self, text: str) -> None:
        for widths in _WIDTH.findall(text):
            if any(width == "*" or len(width) > 4 for width in widths):
                raise SecurityError("a format has too great a width")

    def _counted(self, made: Any) -> Any:
        if isinstance(made, str | bytes | list | tuple | dict):
            self.spend(len(made))
        return made


class _Sums(NodeTransformer):
    def visit_Concat(self, node: nodes.Concat) -> nodes.Expr:
        """`a ~ b` as `a|string + b|string`."""
        self.generic_visit(node)
        first, *others = [nodes.Filter(part, "string", [], [], None, None, lineno=node.lineno) for part in node.nodes]
        whole: nodes.Expr = first
        for part in others:
            whole = nodes.Add(whole, part, lineno=node.lineno)
        return whole


def _product(left: Any, right: Any) -> int:
    """How large a product is."""
    for repeated, times in ((left, right), (right, left)):
        if isinstance(repeated, str | bytes | list | tuple) and isinstance(times, int):
            inner = sum(len(item) for item in repeated if isinstance(item, Sized)) if isinstance(repeated, list | tuple) else 0
            return (len(repeated) + inner) * max(times, 0)
    if isinstance(left, int) and isinstance(right, int):
        _check_bits(left.bit_length() + right.bit_length())
    return 0


def _check_power(base: Any, exponent: Any) -> None:
    if isinstance(base, int) and isinstance(exponent, int):
        _check_bits(base.bit_length() * max(exponent, 0))


def _check_bits(bits: int) -> None:
    if bits > LONGEST_NUMBER:
        raise SecurityError("a number gets too large")


def _regex_replace(string: str, pattern: str, repl: str, count: int = 0) -> str:
    return replaced(pattern, repl, string, count)
