"""Rules about what models choose tools by: descriptions, names, and what users say."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from toolgen.base.suggestions import count, listed, quoted
from toolgen.language.diagnostic import Diagnostic, Note
from toolgen.language.lint.asks import SearchedAsk, search_asks
from toolgen.language.program import ProgramTool
from toolgen.language.references.bundle import Bound
from toolgen.schema.document import Located

_SPEAKING: Final = ("description", "title", "const", "enum", "format", "x-format", "examples", "$comment")
_MAX_STEPS: Final = 10  # references that are followed


def parameter_undescribed(bound: Bound) -> Iterator[Diagnostic]:
    """parameter-undescribed: an argument that nothing describes.

    Example:

        ref: {type: string}

    Use instead:

        ref: {type: string, description: The number on the delivery note.}
    """
    properties = bound.schema.get("properties")
    if bound.path != ("input_schema",) or not isinstance(properties, Mapping):
        return
    silent = [name for name, schema in properties.items() if not _speaks(bound, schema)]
    if silent:
        yield Diagnostic(
            bound.key(("properties", silent[0])),
            "parameter-undescribed",
            f"{count(len(silent), 'argument')} without a description: {listed(list(map(quoted, silent)))}",
            "say what it means and in which unit or form; a few words are enough",
        )


def _speaks(bound: Bound, schema: Any) -> bool:
    for _ in range(_MAX_STEPS):
        if not isinstance(schema, Mapping) or any(schema.get(key, "") != "" for key in _SPEAKING):
            return True
        # a branch may say it: `anyOf: [{type: string, description: …}, {type: "null"}]`
        branches = [each for key in ("anyOf", "oneOf", "allOf") for each in schema.get(key, ())]
        if any(isinstance(each, Mapping) and any(key in each for key in _SPEAKING) for each in branches):
            return True
        target = bound.document.target(schema["$ref"]) if "$ref" in schema else None
        if not isinstance(target, Located):
            return False
        schema = target.value
    return True


_CUES: Final = re.compile(
    r"(?i)\b(?:"
    r"always (?:use|call|prefer|choose) this (?:tool|function)\b(?! (?:after|before|if|when|to|for|with))"
    r"|(?:use|call) this (?:tool )?(?:instead of|over|before) (?:any|all|every) other"
    r"|(?:better|faster|more accurate|more reliable) than (?:any|all|every) other"
    r"|(?:the|our) (?:best|most (?:powerful|accurate|reliable|advanced)|number one) "
    r"(?:tool|search|way|choice|api)"
    r"|world-class|best-in-class|industry-leading|cutting-edge|state-of-the-art|revolutionary"
    r"|never use (?:any )?other tools?"
    r")\b"
)


def promotional_text(tool: ProgramTool) -> Iterator[Diagnostic]:
    """promotional-text: a description that advertises its tool, or orders a model to use it.

    Example:

        description: The best search there is. ALWAYS use this tool first.

    Use instead:

        description: Search the product catalogue by words of a title or a description.
    """
    for field in ("description", "use_when"):
        found = _CUES.search(getattr(tool.spec, field) or "")
        if found:
            yield Diagnostic(
                tool.source.value((field,)),
                "promotional-text",
                f"{quoted(found[0])} advertises the tool instead of describing it",
                "say what it does and, in `use_when`, for which requests",
            )


_WORDS: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
_SAME: Final = {"fetch": "get", "retrieve": "get", "remove": "delete", "modify": "update"}
_ARTICLES: Final = frozenset(
    "a an the this that of to for from in on by with and or is are it its".split()  # noqa: SIM905
)


def similar_tools(tools: Sequence[ProgramTool]) -> Iterator[Diagnostic]:
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
    # each tool is looked up once, so the time grows with the number of tools and not with that of pairs
    for field, words_of in (("name", _name_words), ("description", _description_words)):
        first: dict[tuple[str, ...], ProgramTool] = {}
        for tool in (each for each in tools if each.spec.deprecated is None):
            words = words_of(tool)
            other = first.setdefault(words, tool)
            if words and other is not tool:
                yield Diagnostic(
                    tool.source.value((field,)),
                    "similar-tools",
                    f"its {field} is that of {quoted(other.spec.name)} to a model",
                    "say in both what the other one does not do, or make one tool of them",
                    (Note(other.source.value((field,)), "the other one"),),
                )


def _name_words(tool: ProgramTool) -> tuple[str, ...]:
    """Return the words of the name: case, separators and synonyms of common verbs are no difference."""
    words = [word.lower() for word in _WORDS.findall(tool.spec.name)]
    return tuple(_SAME.get(word, word) for word in words)


def _description_words(tool: ProgramTool) -> tuple[str, ...]:
    """Return the words of the description in order; case, punctuation and articles are no difference."""
    text = tool.spec.description.casefold()
    words = [word for word in re.findall(r"\w+", text) if word not in _ARTICLES]
    return (*words, "", *sorted(re.findall(r"\w+", (tool.spec.use_when or "").casefold()))) if words else ()


_FILLERS: Final = frozenset(
    """
    a an and api are as be by call can description do does endpoint example execute for from
    function get gets given handle helper in is it its method of on operation or perform placeholder
    process run tbd that the this to todo tool use used utility will with your
    """.split()  # noqa: SIM905  (a list of words)
)


def unclear_purpose(tool: ProgramTool) -> Iterator[Diagnostic]:
    """unclear-purpose: a description that says nothing beyond the name.

    Example:

        name: do_it
        description: Do it.

    Use instead:

        name: do_it
        description: Start the nightly export of all orders, and return its job number.
    """
    text = tool.spec.description
    # other scripts are not cut into words here
    if not text.isascii() or tool.spec.use_when or tool.spec.returns:
        return
    known = _stems(f"{tool.spec.name} {tool.spec.title or ''}") | _FILLERS
    said = _stems(text)
    # a long name says the purpose: `list_cloud_firewall_rules`, "List cloud firewall rules."
    if said <= known and len(said - _FILLERS) <= 2:
        yield Diagnostic(
            tool.source.value(("description",)),
            "unclear-purpose",
            "the description says nothing beyond the name",
            "say what the tool does, to what, and what comes back; one sentence is enough",
        )


def _stems(text: str) -> set[str]:
    words = {word.lower() for word in _WORDS.findall(text)}
    return {*map(_stem, words), *(words & _FILLERS)}


def _stem(word: str) -> str:
    """Return a word without the endings of plurals and verbs: get, gets and getting are one."""
    for ending in ("ing", "es", "ed", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word.removesuffix(ending)
    return word


def unfindable_ask(tools: Sequence[ProgramTool]) -> Iterator[Diagnostic]:
    """unfindable-ask: a search for what a user says, in the `ask` of an example, does not find the tool.

    Example:

        description: Write an entry to the ledger.
        examples: [{name: invoice, ask: Pay the bill of our electrician, input: {}}]

    Use instead:

        description: Pay a bill. Writes an entry to the ledger.
        examples: [{name: invoice, ask: Pay the bill of our electrician, input: {}}]
    """
    return unfindable(search_asks(tools))


def unfindable(asks: Iterable[SearchedAsk]) -> Iterator[Diagnostic]:
    """Yield a warning for each that has not found its tool."""
    for each in asks:
        if not each.is_found:
            others = ", ".join(map(quoted, each.found))
            instead = f"finds {others}, and not {quoted(each.tool)}" if others else "finds no tool"
            yield Diagnostic(
                each.place,
                "unfindable-ask",
                f"a search for this {instead}",
                "use the words of users in the description, the title or the names of parameters",
            )
