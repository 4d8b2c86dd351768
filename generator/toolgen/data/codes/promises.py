"""Codes of a spec that contradicts itself: examples, placeholders, names."""

from __future__ import annotations

from toolgen.data.codes.code import Code, error

PROMISES: dict[str, Code] = {
    "bad-placeholder": error(
        "a placeholder that the request cannot fill",
        "The user would be asked with a hole in the question.",
        "Write {path.to.value} or {list|count} with names of the input schema.",
    ),
    "duplicate-tool": error(
        "two tools that answer to one name",
        "A call could reach only one of them.",
        "Rename a tool or an alias.",
    ),
    "example-misfit": error(
        "an example that breaks the schema",
        "Examples drive docs, mock and contract tests: they must be calls that go as they say.",
        "Change the example, or the schema.",
    ),
    "output-and-error": error(
        "an example with an output and an error",
        "A call ends in one of the two.",
        "Keep the one that is meant.",
    ),
    "undeclared-error": error(
        "an example that ends in an error nobody declared",
        "Errors are part of the contract.",
        "Declare the code under `errors`.",
    ),
}
