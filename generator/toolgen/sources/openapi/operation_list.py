"""List the operations of a document in its order, filter them by pattern, and find their server."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatchcase
from urllib.parse import urlsplit

from toolgen.base.suggestions import count, did_you_mean, quoted
from toolgen.language.identifiers import snake
from toolgen.runtime.http.media import TOKEN
from toolgen.sources.imported_tool import LeftOut, SourceError
from toolgen.sources.openapi.document import Location, ObjectNode, OpenApiDocument, RepairLog, joined_url

_API_PREFIX = re.compile(
    r"(?:/(?:api|rest|v\d[\w.]*|v?\{(?=[^{}]*version)[^{}]*\})(?=/|$))++(?=/\w)", re.IGNORECASE
)
METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")
_ADDITIONAL = "additionalOperations"  # since 3.2: other methods, spelled as they are sent


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation and the path item that contains it."""

    method: str  # in lower case
    path: str
    node: ObjectNode
    path_item: ObjectNode

    @property
    def name(self) -> str:
        """The operationId; method and path if there is none."""
        operation_id = self.node.data.get("operationId")
        if isinstance(operation_id, str) and operation_id:
            return operation_id
        return f"{self.method}_{self.path.strip('/')}"

    @property
    def key(self) -> str:
        """What identifies the operation at a later import: the operationId, or method and path."""
        return self.name if isinstance(self.node.data.get("operationId"), str) else self.title

    @property
    def short_name(self) -> str:
        """The name without what frameworks add to the name of a function or a resource.

        FastAPI appends path and method, Springfox `UsingGET_1`; NestJS writes `CatsController_findAll_v1`;
        Django REST, and names from paths, begin with the prefix of the whole API: `api_v1_`.
        """
        path = re.sub(r"\W", "_", self.path)
        name = self.name.removesuffix(f"{path}_{self.method}") or self.name
        name = re.sub(r"Using(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)(_\d+)?$", "", name)
        if controller := re.fullmatch(r"(?=\w+\Z)(\w+)Controller_(\w+?)(?:_v\d+)?", name):
            name = "_".join(snake(part, "api") for part in controller.groups())
        start = "" if isinstance(self.node.data.get("operationId"), str) else f"{self.method}_"
        api = _API_PREFIX.match(self.path)
        prefix = start + re.sub(r"\W+", "_", f"{api[0][1:]}/" if api else "")
        words = re.sub(r"\W+", "_", name).strip("_")
        # `api_settings_list` of `/api/api-settings` has no prefix
        is_own = api and re.sub(r"\W+", "_", self.path[api.end() + 1 :]).startswith(prefix)
        return start + words.removeprefix(prefix) if api and not is_own and words.startswith(prefix) else name

    @property
    def title(self) -> str:
        """Method and path: `GET /pets`."""
        return f"{self.method.upper()} {self.path}"

    @property
    def summary(self) -> str:
        """The summary, or else the first line of the description; empty if there is neither."""
        texts = (self.node.data.get(key) for key in ("summary", "description"))
        found = next((text.strip() for text in texts if isinstance(text, str) and text.strip()), "")
        return found.partition("\n")[0].strip()

    @property
    def tags(self) -> list[str]:
        """The tags that are strings, each once."""
        tags = self.node.data.get("tags")
        names = [tag for tag in tags if isinstance(tag, str) and tag] if isinstance(tags, list) else []
        return list(dict.fromkeys(names))


def readable_names(operations: Sequence[Operation], all_operations: Sequence[Operation]) -> list[str]:
    """Return the short name of each operation; if two have the same, with the tag, or else the whole name.

    springdoc numbers functions of one name in several classes (`list_1`): their tags tell them apart, too.
    """
    number = re.compile(r"_\d+$")
    short = Counter(each.short_name for each in all_operations)
    shared = {base for base in short if f"{base}_1" in short}

    def candidates(operation: Operation) -> tuple[str, ...]:
        name = operation.short_name
        base = base if (base := number.sub("", name)) in shared else name
        if not operation.tags or (base not in shared and short[name] == 1):
            return name, operation.name
        tag = re.sub(r"(?i)(rest[-_ ]*)?controller$", "", operation.tags[0])
        return f"{snake(re.sub(r'[^A-Za-z0-9]+', '_', tag), 'api')}_{base}", name, operation.name

    uses = Counter(name for each in all_operations for name in set(candidates(each)))
    return [next((name for name in candidates(each) if uses[name] == 1), each.name) for each in operations]


def list_operations(document: OpenApiDocument, left_out: LeftOut) -> list[Operation]:
    """Return every operation below `paths` that is an object. Raises `SourceError` if there is none."""
    operations: list[Operation] = []
    is_missing = document.root.data.get("paths") is None
    paths = document.root if is_missing else document.object_at(document.root / "paths")
    for key in () if is_missing else paths.data:
        if not key.startswith("x-"):
            path = f"/{key.removeprefix('/')}"
            with left_out.reading(path):
                path_item = document.object_at(paths / key)
                operations.extend(_operations_of(document, path, path_item, left_out))
    if not operations and not left_out.reasons:
        webhooks = len(document.member(document.root, "webhooks"))
        schemas = count(len([*document.schemas()]), "schema")
        has = f"{count(webhooks, 'webhook')} (which the API calls) and {schemas}" if webhooks else schemas
        hint = "import the document that has the API's `paths`"
        raise document.error(paths.location, f"there are no operations to import, only {has}", hint)
    return operations


def _operations_of(
    document: OpenApiDocument, path: str, path_item: ObjectNode, left_out: LeftOut
) -> Iterator[Operation]:
    additional = document.member(path_item, _ADDITIONAL)
    methods = {method: path_item / method for method in path_item.data if method in METHODS}
    methods |= {method: path_item / _ADDITIONAL / method for method in additional}
    for method, location in methods.items():
        with left_out.reading(f"{method.upper()} {path}"):
            if not TOKEN.fullmatch(method):
                raise document.error(location, "not a valid name of an HTTP method")
            yield Operation(method.lower(), path, document.object_at(location), path_item)


def filter_operations(
    operations: Sequence[Operation], include: Sequence[str], exclude: Sequence[str]
) -> list[Operation]:
    """Return the operations that match a pattern of `include` (all if it is empty) and none of `exclude`.

    Raises:
        SourceError: a pattern matches nothing, which means that it is mistyped, or no operation is left.
    """
    for pattern in (*include, *exclude):
        if operations and not any(_matches(operation, pattern) for operation in operations):
            known = [text for operation in operations for text in _searchable(operation)]
            raise SourceError(
                f"no operation matches {quoted(pattern)}",
                did_you_mean(pattern, known)
                or "a pattern matches an operationId, a path, 'GET /path' or a tag; * stands for anything",
            )
    selected = [
        operation
        for operation in operations
        if (not include or any(_matches(operation, pattern) for pattern in include))
        and not any(_matches(operation, pattern) for pattern in exclude)
    ]
    if operations and not selected:
        raise SourceError("no operation is left", "include more, or exclude less")
    return selected


def _matches(operation: Operation, pattern: str) -> bool:
    return any(fnmatchcase(text, pattern) for text in _searchable(operation))


def _searchable(operation: Operation) -> tuple[str, ...]:
    return (operation.name, operation.path, operation.title, *operation.tags)


def main_server(operations: Sequence[Operation], document: OpenApiDocument) -> str:
    """Return the URL of the document's server, or else of the first operation with one; "" if none has."""
    repairs = RepairLog(document)  # of operations, which report theirs when they are read
    for operation in (Operation("", "", document.root, document.root), *operations):
        with suppress(SourceError):
            if url := server_url(operation, document, repairs):
                return url
    return ""


def server_url(operation: Operation, document: OpenApiDocument, repairs: RepairLog) -> str:
    """Return the URL of the operation's first server; empty if the document has no absolute one."""
    root = document.root
    for owner in (operation.node, operation.path_item, root):
        servers = owner.data.get("servers")
        if isinstance(servers, list) and servers and isinstance(servers[0], dict):
            server, base = ObjectNode(servers[0], owner / "servers" / 0), document.name
            if owner is not root and not base.startswith(("http://", "https://")):
                base = server_url(Operation("", "", root, root), document, RepairLog(document))
            url = _fill_variables(server, document, repairs)
            return url and _absolute_url(joined_url(base, url), server.location, repairs)
    return _absolute_url(joined_url(document.name, "/"), root.location, repairs)


def _fill_variables(server: ObjectNode, document: OpenApiDocument, repairs: RepairLog) -> str:
    url = server.data.get("url")
    if not isinstance(url, str):
        raise document.error(server.location, "a server must have a `url`")
    variables = document.member(server, "variables")

    def default(match: re.Match[str]) -> str:
        variable = variables.get(match[1])
        value = variable.get("default") if isinstance(variable, dict) else None
        return str(value) if isinstance(value, str | int | float) else match[0]

    filled = re.sub(r"\{([^{}]+)\}", default, url)
    if "{" in filled:
        repairs.add("the server's URL has a variable without a default: ignored", server.location)
        return ""
    return filled or "/"


def _absolute_url(url: str, location: Location, repairs: RepairLog) -> str:
    parts = urlsplit(url)
    if parts.scheme in ("http", "https") and parts.netloc and not (parts.username or parts.query):
        return url.rstrip("/")
    repairs.add("no server with an absolute URL: set it in the environment variable", location)
    return ""
