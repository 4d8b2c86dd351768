"""Definitions of tools, plain data with the keys of the spec; those of a package load when asked for."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Any, Final, Literal, NotRequired, Required, TypeAlias, TypedDict

Fields: TypeAlias = Mapping[str, Any]
"""The fields of a part of a definition, as `spec.schema.json` describes them."""


class ToolDefinition(TypedDict, total=False):
    """One tool. Keys that the spec leaves out are absent here, too; `x-*` keys of the spec are kept."""

    name: Required[str]
    py_name: NotRequired[str]  # in generated definitions, as is class_name
    class_name: NotRequired[str]
    title: str
    description: Required[str]  # as published: use_when, avoid_when and returns are part of it
    use_when: str
    avoid_when: str
    returns: str
    version: str
    tags: Sequence[str]
    icons: Sequence[Mapping[str, Any]]
    annotations: Mapping[str, Any]
    input_schema: Required[dict[str, Any]]
    output_schema: dict[str, Any]
    errors: Sequence[Fields]
    confirm: Fields
    asks: bool
    inject: Sequence[Fields]
    stream: Fields
    content: Sequence[Fields] | Literal["any"]
    max_result_bytes: int
    page: Fields
    auth: Fields
    timeout: float  # seconds
    background: Fields
    rate_limit: Fields
    idempotency: Fields
    concurrency: int  # calls at the same time
    group: str
    load: Literal["always", "deferred"]
    examples: Sequence[Mapping[str, Any]]  # generated definitions have name and input of those without error
    aliases: Sequence[str]
    deprecated: Fields
    final_answer: bool
    coerce: bool
    meta: Mapping[str, Any]
    targets: Mapping[str, Any]


SHAPE: Final = "shape"
LOGGED: Final = "logged"
ANSWERS: Final = ("checked", SHAPE, LOGGED)


def needs_people(definition: Mapping[str, Any] | None) -> bool:
    """True if people approve the calls of a tool with this definition (`confirm.proof: person`)."""
    return definition is not None and definition.get("confirm", {}).get("proof") == "person"


def answers_of(definition: Mapping[str, Any]) -> str:
    """Return how closely an HTTP API keeps its document: `answers` of `x-openapi`, one of ANSWERS.

    `checked`: formats are enforced. `shape`: all else is. `logged`: answers are passed on as they come, and
    formats of requests are not enforced. Tools that call no API are `checked`.
    """
    operation = definition.get("x-openapi")
    return answers_in(operation) if isinstance(operation, Mapping) else ANSWERS[0]


def answers_in(operation: Mapping[str, Any]) -> str:
    """Return `answers` of the value of `x-openapi`; see `answers_of`."""
    answers: str = operation.get("answers", SHAPE)
    return answers if answers in ANSWERS else ANSWERS[0]


def is_idempotent(definition: Mapping[str, Any]) -> bool:
    """True if a second execution of a tool does nothing more."""
    hints = definition.get("annotations", {})
    return hints.get("idempotentHint") is True or hints.get("readOnlyHint") is True


class LazyDefinitions(Mapping[str, ToolDefinition]):
    """Definitions by wire name, each loaded when it is asked for. Names load none."""

    def __init__(self, names: Collection[str], load: Callable[[str], ToolDefinition]) -> None:
        self._names = names
        self._load = load

    def __getitem__(self, name: str) -> ToolDefinition:
        return self._load(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __repr__(self) -> str:
        return f"<definitions of {', '.join(self)}>"


class ToolDefinitions(LazyDefinitions):
    """Definitions by wire name, in alphabetical order. They are imported one by one, and names import none.

    Args:
        package: the generated package, whose package `definitions` has a module for each tool.
        modules: the name of that module by the tool's wire name.
        aliases: the wire name by alias.
    """

    def __init__(
        self, package: str | None, modules: Mapping[str, str], aliases: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(modules, cache(lambda name: self._module(name).DEFINITION))
        self._package = package
        self._modules = modules
        self.aliases = aliases or {}

    def find(self, name: str) -> ToolDefinition:
        """Return the definition of the tool called `name`, a wire name or an alias. Raises KeyError."""
        return self[self.aliases.get(name, name)]

    def tool_class(self, name: str) -> type[Any]:
        """Import and return the class of the tool called `name`, a wire name or an alias. Raises KeyError."""
        definition = self.find(name)
        module = import_module(f"{self._package}.tools.{self._modules[definition['name']]}")
        found: type[Any] = getattr(module, definition.get("class_name", ""))
        return found

    def by_constant(self, constant: str) -> ToolDefinition:
        """Return the definition with the name that the catalog gives it. Raises AttributeError."""
        for name, module in self._modules.items():
            if constant in (module.upper(), f"{module.upper()}_"):
                return self[name]
        raise AttributeError(f"no tool's definition is called {constant!r}")

    def _module(self, name: str) -> Any:
        return import_module(f"{self._package}.definitions.{self._modules[name]}")
