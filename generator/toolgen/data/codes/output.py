"""Codes of what is generated: names, targets, dialects."""

from __future__ import annotations

from toolgen.data.codes.code import Code, error, warning

OUTPUT: dict[str, Code] = {
    "inject-type": error(
        "an injected type that Python cannot import",
        "The generated code imports the module of each injected type, for type checkers to know it.",
        "Write module and class, sqlite3.Connection for one; or a built-in type such as str; or typing.Any.",
    ),
    "name-collision": error(
        "two tools with one name where they are published, or in Python",
        "One would overwrite the other: their files, their classes or their definitions have the same name.",
        "Rename one of them and keep its old name among its aliases, or set targets.<target>.name.",
    ),
    "target-name": error(
        "a name that a target does not take",
        "The provider would refuse the whole list of tools, not just this one.",
        "Choose a name that matches the pattern of the message.",
    ),
    "dialect-loss": warning(
        "a part of a schema that a provider's dialect cannot say",
        "The provider will not hold the model to it; toolgen does, on every call.",
        "Simplify the schema, or leave targets.<target>.strict out; docs/dialects.md has the losses.",
    ),
    "provider-limit": warning(
        "more than a provider takes",
        "It refuses the whole request, not just this tool.",
        "Shorten it, or give each request fewer tools: `toolkit.select(…)`.",
    ),
}
