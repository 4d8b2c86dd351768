"""A set of tools with what they need: looked up by name or alias, called by one path."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from .context import ANYBODY, DEFAULT_CONFIG, LOGGER, Caller, Progress, ToolConfig
from .definition import ToolDefinition
from .errors import ToolError, UnknownToolError
from .loading import Catalog, load_context, load_tool
from .response import ToolResponse
from .tool import BaseTool

if TYPE_CHECKING:
    from .call import Ready, Setting
    from .confirm import Confirm


class Toolkit:
    """Tools that are called by name. Safe to share between threads and event loops.

    `context` maps the names that tools inject to values, factories or async context managers that
    factories give (see `toolgen.runtime.inject`). Raises ValueError if two tools answer to one name.
    """

    def __init__(
        self,
        tools: Iterable[BaseTool[Any, Any]] = (),
        *,
        context: Mapping[str, Any] | None = None,
        config: ToolConfig | None = None,
    ) -> None:
        self._config = config or DEFAULT_CONFIG
        self._context = context
        self._catalog: Catalog | None = None
        self._tools: dict[
            str, BaseTool[Any, Any]
        ] = {}  # by wire name; from a catalog, those looked up so far
        self._ready: dict[str, Ready] = {}  # by every name that was called so far
        self._setting: Setting | None = None
        self._lock = threading.RLock()
        definitions: dict[str, ToolDefinition] = {}
        for tool in tools:
            if not isinstance(tool, BaseTool) or not hasattr(tool, "definition"):
                raise TypeError(
                    f"a Toolkit takes instances of generated tools that are implemented, not {tool!r}"
                )
            name = tool.definition["name"]
            if name in definitions:
                raise ValueError(f"two tools answer to {name!r}: a name or alias must be unique in a Toolkit")
            definitions[name] = tool.definition
            self._tools[name] = tool
        self._define(definitions)

    @classmethod
    def from_catalog(
        cls, catalog: Any, *, context: Mapping[str, Any] | None = None, config: ToolConfig | None = None
    ) -> Toolkit:
        """Every tool of a generated `catalog` module, its implementation imported when it is first used.

        Without `context`, the mapping `CONTEXT` of the implementations package is used, if it has one.
        """
        toolkit = cls(context=context, config=config)
        toolkit._catalog = catalog
        toolkit._define(catalog.TOOLS)
        return toolkit

    def _define(self, definitions: Mapping[str, ToolDefinition]) -> None:
        names = {name: name for name in definitions}
        for name, definition in definitions.items():
            for alias in definition.get("aliases", ()):
                if names.setdefault(alias, name) != name:
                    raise ValueError(
                        f"two tools answer to {alias!r}: {names[alias]} and, by its alias, {name}"
                    )
        self._names = names
        self._definitions = MappingProxyType(dict(definitions))

    @property
    def definitions(self) -> Mapping[str, ToolDefinition]:
        """Wire name → definition, in order. Aliases are answered, never listed."""
        return self._definitions

    @property
    def config(self) -> ToolConfig:
        """What was configured for all calls."""
        return self._config

    def definition_of(self, name: str) -> ToolDefinition | None:
        """The definition of the tool that answers to a wire name or alias; None for any other name."""
        wire_name = self._names.get(name)
        return None if wire_name is None else self._definitions[wire_name]

    def get(self, name: str) -> BaseTool[Any, Any] | None:
        """The tool that answers to a wire name or alias; None for any other name.

        Raises ToolError `not_implemented` for a listed tool without implementation, and whatever the
        implementation's module raises while it is imported.
        """
        wire_name = self._names.get(name)
        if wire_name is None:
            return None
        tool = self._tools.get(wire_name)
        if tool is None and self._catalog is not None:
            with self._lock:
                tool = self._tools.get(wire_name)
                if tool is None:
                    tool = self._tools[wire_name] = load_tool(self._catalog, self._definitions[wire_name])
        return tool

    async def call(
        self,
        name: str,
        arguments: Any,
        *,
        confirm: Confirm | None = None,
        confirmation_token: str | None = None,
        context: Mapping[str, Any] | None = None,
        meta: Mapping[str, Any] | None = None,
        progress: Progress | None = None,
    ) -> ToolResponse:
        """Call a tool by wire name or alias. No fault of caller or tool is raised: it is in the response.

        `arguments` is a JSON object (or None for an empty one). `confirm` asks the user; without it, the
        tool's `on_unsupported` decides. `confirmation_token` is that of an earlier answer
        (`metadata["confirmation"]`). `context` adds to the toolkit's, for this call. `meta` and `progress`
        are the protocol's. Cancellation, and ConfirmationPending raised by `confirm`, pass through.
        """
        try:
            ready = self._ready.get(name) or self._prepare(name)
            setting = self._setting or self._make_setting()
        except ToolError as error:
            return ToolResponse(self._names.get(name, name), False, error=error.with_traceback(None))
        except Exception:  # an import or a schema that fails is the developer's to see, not the agent's
            return self._broken(name)
        if context:
            setting = setting.plus(context)
        caller = ANYBODY
        if confirm is not None or confirmation_token is not None or meta or progress is not None:
            caller = Caller(confirm, confirmation_token, meta or {}, progress)
        return await ready.answer(arguments, caller, setting)

    def _prepare(self, name: str) -> Ready:
        from .call import make_ready

        tool = self.get(name)
        if tool is None:
            raise _unknown(name, self._names)
        ready = self._ready[name] = make_ready(tool)
        return ready

    def _make_setting(self) -> Setting:
        from .call import Setting
        from .confirm import TokenDesk

        with self._lock:
            if self._setting is None:
                context = self._context
                if context is None:
                    context = {} if self._catalog is None else load_context(self._catalog)
                self._setting = Setting(context, self._config, TokenDesk())
            return self._setting

    def _broken(self, name: str) -> ToolResponse:
        from .errors import InternalError
        from .request import new_id

        reference = new_id()
        wire_name = self._names.get(name, name)
        LOGGER.exception("tool %s cannot be loaded (call %s)", wire_name, reference)
        error = InternalError(f"The tool failed. Reference: {reference}.")
        return ToolResponse(wire_name, False, error=error, metadata={"call_id": reference})


def _unknown(name: str, names: Mapping[str, str]) -> ToolError:
    from .words import nearest, quote

    near = nearest(name, names)
    hint = f" Did you mean {quote(names[near])}?" if near is not None else ""
    return UnknownToolError(f"There is no tool called {quote(name)}.{hint}")
