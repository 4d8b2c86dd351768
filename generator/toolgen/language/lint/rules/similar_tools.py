"""similar-tools: a tool that cannot be told apart from another one by its name, or by its description.

Example:

    tools:
      - {name: get_user, description: Return the profile of a user.}
      - {name: fetch_user, description: Return a user by number.}

Use instead:

    tools:
      - {name: get_user, description: Return the profile of a user.}
      - {name: find_users, description: Return the users whose names begin with a text.}
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Final

from toolgen.base.suggestions import quoted
from toolgen.language.diagnostic import Diagnostic, Note
from toolgen.language.program import ProgramTool

_WORDS: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
_SAME: Final = {"fetch": "get", "retrieve": "get", "remove": "delete", "modify": "update"}
_FILLERS: Final = frozenset(
    """
    a an the this that of to for from in on by with and or is are it its
    """.split()  # noqa: SIM905  (a list of words)
)


def check(tools: Sequence[ProgramTool]) -> Iterator[Diagnostic]:
    """Warn about each tool whose name, or description, has the words of an earlier one.

    Each tool is looked up once, so the time grows with the number of tools and not with that of pairs.
    """
    current = [tool for tool in tools if tool.spec.deprecated is None]
    yield from _repeated(current, "name", _name_key, "name")
    yield from _repeated(current, "description", _description_key, "description")


def _repeated(
    tools: Sequence[ProgramTool], field: str, key: Callable[[ProgramTool], Hashable], what: str
) -> Iterator[Diagnostic]:
    first: dict[Hashable, ProgramTool] = {}
    for tool in tools:
        found = key(tool)
        if not found:
            continue
        other = first.setdefault(found, tool)
        if other is not tool:
            yield Diagnostic(
                tool.source.value((field,)),
                "similar-tools",
                f"its {what} is that of {quoted(other.spec.name)} to a model",
                "say in both what the other one does not do, or make one tool of them",
                (Note(other.source.value((field,)), "the other one"),),
            )


def _name_key(tool: ProgramTool) -> tuple[str, ...]:
    """Return the words of the name: case, separators and synonyms of common verbs are no difference."""
    words = [word.lower() for word in _WORDS.findall(tool.spec.name)]
    return tuple(_SAME.get(word, word) for word in words)


def _description_key(tool: ProgramTool) -> tuple[str, ...]:
    """Return the words of the description in order; case, punctuation and articles are no difference."""
    text = tool.spec.description.casefold()
    words = [word for word in re.findall(r"\w+", text) if word not in _FILLERS]
    return (*words, "", *sorted(re.findall(r"\w+", (tool.spec.use_when or "").casefold()))) if words else ()
