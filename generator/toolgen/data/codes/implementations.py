"""Codes of the code behind the tools, which `check --implementations` looks at."""

from __future__ import annotations

from toolgen.data.codes.code import Code, error, warning

IMPLEMENTATIONS: dict[str, Code] = {
    "implementation-missing": error(
        "a tool without an implementation",
        "It is listed, and every call of it is answered `not_implemented`.",
        "Write the module that the message names, or set `enabled: false` in the spec.",
    ),
    "implementation-import": error(
        "an implementation whose module cannot be imported",
        "Every call of its tool is answered `internal_error`.",
        "Fix the line that the message points at.",
    ),
    "implementation-class": error(
        "a module that does not define exactly one complete class for its tool",
        "The runtime cannot tell which class implements the tool; each call is answered `not_implemented`.",
        "Define one subclass of the generated class, with all of its abstract methods.",
    ),
    "implementation-signature": error(
        "a method that cannot be called as the spec says",
        "The runtime passes the request, the context and the injected values by their names.",
        "Write the signature that the generated class has.",
    ),
    "implementation-constructor": error(
        "a class that cannot be created without arguments",
        "The runtime creates the one instance of an implementation without arguments.",
        "Inject what it needs (`inject` in the spec), or get it ready in `setup`.",
    ),
    "orphaned-implementation": warning(
        "an implementation that no tool uses",
        "Its spec was renamed or removed, or its module has another name than its tool.",
        "Rename the module, remove it, or begin its name with `_` if it is a helper.",
    ),
}
