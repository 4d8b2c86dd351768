"""Serve resources, prompts, completions and skills of other servers unchanged, beside the tools."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from pkgutil import iter_modules
from time import perf_counter
from typing import Any, Final, Protocol

import mcp_types as types
from mcp.server import ServerRequestContext
from mcp.server.context import HandlerResult
from mcp.shared.exceptions import MCPError
from mcp.shared.jsonrpc_dispatcher import handler_exception_to_error_data
from pydantic import BaseModel
from pydantic_core import to_json

from toolgen.runtime.errors import ToolTimeoutError
from toolgen.runtime.implementations.registry import Catalog, contained, find_package
from toolgen.runtime.isolation import run_async
from toolgen.runtime.logs.logger import LOGGER
from toolgen.runtime.logs.redaction import without_text
from toolgen.runtime.settings import SettingError, Settings
from toolgen.runtime.text import quote

from .auth.grant import Grant, grant_of
from .held_questions import is_modern
from .uri_templates import may_have

PACKAGE: Final = "_features"
"""Package within that of the implementations: each module has a feature source as its variable `features`."""
NAMES: Final = {
    "resources/list": ("resources", "uri"),
    "resources/templates/list": ("resourceTemplates", "uriTemplate"),
    "prompts/list": ("prompts", "name"),
    "skills/list": ("skills", "uri"),
}
"""Method that lists → the list in its result, and the key that names an entry, as on the wire."""
_RESOURCE_LISTS: Final = ("resources/list", "resources/templates/list", "skills/list")
"""Methods that name resources, or skills whose files are resources."""
_MAX_PAGES: Final = 1_000  # of a list of one of several sources
_MAX_NAMES: Final = 100_000  # in such a list


class FeatureSource(Protocol):
    """A server whose resources, resource templates, prompts, completions and skills are served unchanged.

    `toolgen.serving.adopted` has one for each framework whose servers can be adopted. A module
    `_features/<any name>.py` in the package of implementations gives one as its variable `features`.

    Attributes:
        name: for log records, such as "shop.server:mcp".
        serves: what it has: "resources" (with templates), "prompts", "completions", "skills".
        scopes: that callers need for all of it. Others see nothing of it in lists, and are refused.
        timeout: seconds that a request may take.
    """

    name: str
    serves: frozenset[str]
    scopes: frozenset[str]
    timeout: float

    async def answer(self, context: ServerRequestContext[Any, Any], params: Any) -> HandlerResult:
        """Return the result of a request, `context.method` with the valid `params`, as the client gets it.

        `context.session` is the client's: the source sends it progress, log messages and questions.
        `context.params` are the same params as they came. Raises what the client gets as an error: an
        MCPError as it is, anything else as the SDK words it.
        """

    async def close(self) -> None:
        """Release what the source holds for this event loop."""


@dataclass(frozen=True, slots=True)
class Method:
    """A method that feature sources may answer."""

    params: type[BaseModel]
    needs: str  # what a source must serve


class SkillParams(types.RequestParams):
    """Params of `skills/get`, which the SDK does not have."""

    uri: str


METHODS: Final[Mapping[str, Method]] = {
    "resources/list": Method(types.PaginatedRequestParams, "resources"),
    "resources/templates/list": Method(types.PaginatedRequestParams, "resources"),
    "resources/read": Method(types.ReadResourceRequestParams, "resources"),
    "prompts/list": Method(types.PaginatedRequestParams, "prompts"),
    "prompts/get": Method(types.GetPromptRequestParams, "prompts"),
    "completion/complete": Method(types.CompleteRequestParams, "completions"),
    "skills/list": Method(types.PaginatedRequestParams, "skills"),
    "skills/get": Method(SkillParams, "skills"),
}


def load_features(catalog: Catalog | None, *, strict: bool) -> list[FeatureSource]:
    """Return the sources in the package `_features` of the implementations, by the names of their modules.

    A module that does not load is logged and left out: the tools do not need it. Raises SettingError in its
    place if `strict`.
    """
    package = None if catalog is None else catalog.IMPLEMENTATIONS
    parent = None if package is None else find_package(f"{package}.{PACKAGE}")
    names = [] if parent is None else [each.name for each in iter_modules(parent.submodule_search_locations)]
    found: list[FeatureSource] = []
    for path in (f"{package}.{PACKAGE}.{name}" for name in sorted(names)):
        try:
            found.append(contained(lambda path=path: import_module(path).features, path))  # type: ignore[misc]
        except Exception as error:
            LOGGER.error("%s is not served: it does not load", path, exc_info=without_text(error))
            if strict:
                raise SettingError(f"not started: {path} does not load, and --strict-start is set") from None
    return found


class Features:
    """The feature sources of a server, which answer for it."""

    def __init__(self, sources: Sequence[FeatureSource], settings: Settings) -> None:
        self.sources = sources
        self._settings = settings
        # source and method → what it has listed, by name, if there are several sources
        self._lists: dict[tuple[int, str], dict[str, dict[str, Any]]] = {}
        self._clashes: set[tuple[int, str]] = set()  # sources and names that have been logged

    def methods(self) -> list[str]:
        """Return the methods that a source answers for clients of any version."""
        return [name for name, method in METHODS.items() if self._having(method.needs)]

    async def answer(self, context: ServerRequestContext[Any, Any], params: Any) -> HandlerResult:
        """Answer a request by the source that it concerns."""
        needs, granted = METHODS[context.method].needs, grant_of(context, self._settings).scopes
        if context.method in NAMES:
            allowed = [index for index in self._having(needs) if self.sources[index].scopes <= granted]
            return await self._list(allowed, context, params)
        # the owner of the prompt or the resource answers, or nobody
        methods, name = subject_of(params)
        having = self._having(METHODS[methods[0]].needs) or self._having(needs)
        index: int | None = having[0] if len(having) == 1 else None
        if len(having) > 1:
            allowed = [each for each in having if self.sources[each].scopes <= granted]
            # a template of one source may match what another lists: all must have been read, or have failed
            if all(place in self._lists for place in self._places(allowed, methods)):
                index = self._owner(allowed, methods, name)
            if index is None:
                await self._read_lists(allowed, context, methods)
                index = self._owner(allowed, methods, name)
        if index is None or needs not in self.sources[index].serves:
            raise MCPError(code=types.INVALID_PARAMS, message="No server behind this one has it.")
        return await self._answer_by(self.sources[index], context, params)

    def _having(self, kind: str) -> list[int]:
        return [index for index, each in enumerate(self.sources) if kind in each.serves]

    async def _list(
        self, allowed: Sequence[int], context: ServerRequestContext[Any, Any], params: Any
    ) -> HandlerResult:
        """Return a page of the list of the only source, or all that several of them list."""
        key, name = NAMES[context.method]
        if len(allowed) == 1:
            return await self._answer_by(self.sources[allowed[0]], context, params)
        await self._read_lists(allowed, context, [context.method])
        owned: dict[str, dict[str, Any]] = {}
        for index in allowed:
            for each in self._lists[index, context.method].values():
                if owned.setdefault(each[name], each) is not each:
                    self._log_clash(index, each[name])
        listed = list(owned.values())
        return {key: listed, "ttlMs": 0, "cacheScope": "private", "resultType": "complete"}

    def _log_clash(self, index: int, name: str) -> None:
        clash = (index, name)
        if clash not in self._clashes and len(self._clashes) < _MAX_NAMES:
            self._clashes.add(clash)
            source = self.sources[index].name
            LOGGER.error("%s lists %s, which another server has: it is not served", source, quote(name))

    def _owner(self, allowed: Sequence[int], methods: Sequence[str], name: str) -> int | None:
        """Return the first source that lists a name, or else whose template of a resource matches it."""
        places = [(place[0], self._lists[place]) for place in self._places(allowed, methods)]
        listing = (index for index, listed in places if name in listed)
        matching = (index for index, listed in places for each in listed if may_have(each, name))
        return next(listing, None if len(methods) == 1 else next(matching, None))

    def _places(self, indexes: Sequence[int], methods: Sequence[str]) -> list[tuple[int, str]]:
        """Return the lists that sources have."""
        pairs = ((index, method) for method in methods for index in indexes)
        return [
            (index, method) for index, method in pairs if METHODS[method].needs in self.sources[index].serves
        ]

    async def _read_lists(
        self, indexes: Sequence[int], context: ServerRequestContext[Any, Any], methods: Sequence[str]
    ) -> None:
        """Read all that sources list; nothing of one that fails: the others are served."""
        wanted = [
            (index, replace(context, method=method)) for index, method in self._places(indexes, methods)
        ]
        await asyncio.gather(*(self._read_list(index, request) for index, request in wanted))

    async def _read_list(self, index: int, context: ServerRequestContext[Any, Any]) -> None:
        key, name = NAMES[context.method]
        found: dict[str, dict[str, Any]] = {}
        cursor: str | None = None
        try:
            for _ in range(_MAX_PAGES):
                params = types.PaginatedRequestParams(cursor=cursor)
                raw = {} if cursor is None else {"cursor": cursor}
                page = as_json(
                    await self._answer_by(self.sources[index], replace(context, params=raw), params)
                )
                found |= {each[name]: each for each in page[key]}
                cursor = page.get("nextCursor")
                if not cursor or len(found) >= _MAX_NAMES:
                    break
        except Exception as error:
            source = self.sources[index].name
            LOGGER.warning("%s: without %s", context.method, source, exc_info=without_text(error))
        self._lists[index, context.method] = found

    async def _answer_by(
        self, source: FeatureSource, context: ServerRequestContext[Any, Any], params: Any
    ) -> HandlerResult:
        """Return the answer of a source, within the limits of this server; write one log record."""
        grant, began = grant_of(context, self._settings), perf_counter()
        level, how, raised = logging.INFO, "finished", None
        try:
            return await self._limited(source, context, params, grant)
        except asyncio.CancelledError:
            how = "cancelled"
            raise
        except MCPError as error:
            how = f"failed: {error.error.code}"
            raise
        except Exception as error:
            level, how, raised = logging.ERROR, "failed", without_text(error)
            raise _as_sdk_error(context, error) from None
        finally:
            # without URI, name and arguments: those are the caller's
            seconds = perf_counter() - began
            fields: dict[str, Any] = {"event": how.partition(":")[0], "method": context.method}
            fields |= {"source": source.name, "seconds": round(seconds, 6)}
            by = ""
            if grant.principal is not None:
                fields["principal"] = grant.principal
                by = f"principal {quote(grant.principal)}, "
            told = f"{context.method} of {source.name} {how} ({by}{seconds:.3f} s)"
            LOGGER.log(level, "%s", told, exc_info=raised, extra=fields)

    async def _limited(
        self, source: FeatureSource, context: ServerRequestContext[Any, Any], params: Any, grant: Grant
    ) -> HandlerResult:
        if lacking := source.scopes - grant.scopes:
            message = f"{context.method} needs the scopes: {', '.join(sorted(lacking))}"
            raise MCPError(code=types.INVALID_REQUEST, message=message)
        name = f"{context.method} of {source.name}"
        try:
            result: HandlerResult = await run_async(source.answer(context, params), source.timeout, name)
        except ToolTimeoutError as error:
            LOGGER.warning("%s", error)
            raise MCPError(code=types.INTERNAL_ERROR, message=str(error)) from None
        size, limit = len(to_json(as_json(result))), self._settings.max_result_bytes
        if size > limit:
            message = f"The result of {context.method} has {size} bytes; the limit is {limit}."
            raise MCPError(code=types.INTERNAL_ERROR, message=message)
        if grant.listed is None:
            return result
        # another caller may see something else: a shared cache must not keep it
        sent = as_json(result)
        return {**sent, "cacheScope": "private"} if "cacheScope" in sent else sent


def subject_of(params: Any) -> tuple[Sequence[str], str]:
    """Return the methods that list what a request is about, and its name there."""
    match params:
        case types.GetPromptRequestParams():
            return ["prompts/list"], params.name
        case types.CompleteRequestParams(ref=types.PromptReference() as prompt):
            return ["prompts/list"], prompt.name
        case types.CompleteRequestParams(ref=types.ResourceTemplateReference() as template):
            return ["resources/templates/list"], template.uri
        case SkillParams():
            return ["skills/list"], params.uri
    return _RESOURCE_LISTS, str(params.uri)


def _as_sdk_error(context: ServerRequestContext[Any, Any], error: Exception) -> MCPError:
    """Return what the SDK answers for an exception. If it got the exception itself, it would log the text."""
    known = handler_exception_to_error_data(error)
    if known is not None:
        return MCPError.from_error_data(known)
    if is_modern(context):
        return MCPError(code=types.INTERNAL_ERROR, message="Internal server error")
    return MCPError(code=0, message=str(error))


def as_json(result: HandlerResult) -> dict[str, Any]:
    """Return a result as the client gets it."""
    if isinstance(result, BaseModel):
        return result.model_dump(mode="json", by_alias=True, exclude_none=True)
    return result or {}
