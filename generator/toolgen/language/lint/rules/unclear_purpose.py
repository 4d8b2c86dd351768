"""unclear-purpose: a description that says nothing beyond the name.

Example:

    name: do_it
    description: Do it.

Use instead:

    name: do_it
    description: Start the nightly export of all orders, and return its job number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from toolgen.language.diagnostic import Diagnostic
from toolgen.language.program import ProgramTool

_WORDS: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
_FILLERS: Final = frozenset(
    """
    a an and api are as be by call can description do does endpoint example execute for from
    function get gets given handle helper in is it its method of on operation or perform placeholder
    process run tbd that the this to todo tool use used utility will with your
    """.split()  # noqa: SIM905  (a list of words)
)

_MOST_WORDS: Final = 2


def check(tool: ProgramTool) -> Iterator[Diagnostic]:
    """Warn about a description all of whose words are in the name or the title, or say nothing."""
    text = tool.spec.description
    # other scripts are not cut into words here
    if not text.isascii() or tool.spec.use_when or tool.spec.returns:
        return
    known = _stems(f"{tool.spec.name} {tool.spec.title or ''}") | _FILLERS
    said = _stems(text)
    # a long name says the purpose: `list_cloud_firewall_rules`, "List cloud firewall rules."
    if said <= known and len(said - _FILLERS) <= _MOST_WORDS:
        yield Diagnostic(
            tool.source.value(("description",)),
            "unclear-purpose",
            "the description says nothing beyond the name",
            "say what the tool does, to what, and what comes back; one sentence is enough",
        )


def _stems(text: str) -> set[str]:
    return {_stem(word.lower()) for word in _WORDS.findall(text)} | {
        word.lower() for word in _WORDS.findall(text) if word.lower() in _FILLERS
    }


def _stem(word: str) -> str:
    """Return a word without the endings of plurals and verbs: get, gets and getting are one."""
    for ending in ("ing", "es", "ed", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word.removesuffix(ending)
    return word
