"""Match forwarded tools with their servers: by `x-upstream` in the spec, and what the module imports."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from typing import Final

from toolgen.base.files import Folder
from toolgen.base.suggestions import quoted
from toolgen.language.diagnostic import Diagnostic, SpecErrors
from toolgen.language.identifiers import tool_module
from toolgen.language.source import Span
from toolgen.project import Project, UnableError, kind_of, read_text
from toolgen.project.inputs.specs import ReadProject
from toolgen.runtime.implementations.implementation_faults import other_upstream

UPSTREAMS: Final = "_upstreams"
"""Package in that of the implementations: a module and a lock for each server."""
_MAX_NAME: Final = 40  # characters of the name of a module
_ADDRESS: Final = re.compile(r"""\bUpstream\(\s*("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')""")
_MARK: Final = re.compile(rb"^x-upstream: *[\"']?(\w+/)", re.MULTILINE)
_NAME: Final = re.compile(rb"^name: *[\"']?([\w-]+)", re.MULTILINE)


def module_name(server: str) -> str:
    """Return the name of the module for a server."""
    words = re.sub(r"[^a-z0-9]+", "_", server.rpartition("/")[2].lower()).strip("_")[:_MAX_NAME]
    return words if words[:1].isalpha() else f"server_{words}".rstrip("_")


def upstream_name(project: Project, server: str, source: str, *, is_sync: bool) -> str:
    """Return the upstream for the address `source`: that of an earlier import, or a new one.

    Raises UnableError if a sync would give the contract of this server to tools of another one.
    """
    folder, wanted = project.path_of(f"{project.implementations}.{UPSTREAMS}"), module_name(server)
    found = Folder(project.root).below(folder).walk() if kind_of(project.root, folder) else ()
    names = sorted(each.path.removesuffix(".py") for each in found if each.path.endswith(".py"))
    for name in names:
        address = _ADDRESS.search(read_text(project.root, f"{folder}/{name}.py") or "")
        if (name == wanted) if address is None else ast.literal_eval(address[1]) == source:
            return name
    if wanted in names and is_sync:
        message = f"{folder}/{wanted}.py forwards to another address than SOURCE, a server {quoted(server)}"
        hint = "write SOURCE there if the server has moved; without --sync, it gets a module of its own"
        raise UnableError("file-exists", message, hint)
    numbered = (f"{wanted}_{number}" for number in range(2, len(names) + 3))
    return next(name for name in (wanted, *numbered) if name not in names)


def refuse_other_upstreams(project: Project, tools: Iterable[tuple[str, str]], upstream: str) -> None:
    """Raise UnableError if a module that an import would keep forwards to another server than `upstream`.

    `tools` are the paths of the modules and those of their specs.
    """
    for path, spec in tools:
        if other := other_upstream(read_text(project.root, path) or "", f"{upstream}/"):
            message = f"{path} forwards to {other}, and {spec} would have the contract of {upstream}"
            raise UnableError(
                "file-exists", message, "nothing was written; give these specs a folder: --into DIR"
            )


def check_upstreams(read: ReadProject) -> None:
    """Raise SpecErrors with the modules that forward to another server than their specs say."""
    project, faults = read.project, []
    for content in read.specs.values() if project.implementations is not None else ():
        mark, name = _MARK.search(content), _NAME.search(content)
        if mark is None or name is None:
            continue
        path = f"{project.path_of(f'{project.implementations}.{tool_module(name[1].decode())}')}.py"
        if other := other_upstream(read_text(project.root, path) or "", mark[1].decode()):
            message = f"this module forwards to {other}, and its spec is from {mark[1].decode()[:-1]}"
            hint = "remove the module and import the tool again, or rename the tool"
            faults.append(Diagnostic(Span(path, 1, 1), "implementation-class", message, hint))
    if faults:
        raise SpecErrors(faults)
