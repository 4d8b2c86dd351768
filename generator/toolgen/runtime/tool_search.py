"""Search of tools by what a user wants: BM25 over their names, descriptions and parameters.

SQLite ranks (FTS5, https://sqlite.org/fts5.html), in memory. Words of a query are quoted and bound as a
parameter, so nothing in them is read as FTS5's query syntax.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

MAX_WORDS: Final = 64
"""Words of a query that count; further ones are ignored, as are repeated ones."""

MAX_CHARACTERS: Final = 20_000
"""Characters of each text of a tool, and of a query, that count."""

_MAX_PARAMETERS: Final = 200  # of a tool, whose names and texts are indexed
_WORD: Final = re.compile(r"[^\W_]+")
_CAPITAL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
# scripts without spaces between words, whose runs of letters FTS5 would take for one word each
_UNSPACED: Final = re.compile(
    r"([\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff])"
)
_CREATE: Final = (
    "CREATE VIRTUAL TABLE tools USING fts5("
    "name, description, parameters, tokenize = 'porter unicode61 remove_diacritics 2')"
)
_INSERT: Final = "INSERT INTO tools(rowid, name, description, parameters) VALUES (?, ?, ?, ?)"
# The weights of the columns were chosen on published tools (tests/measuring/test_findability.py).
# The order of the tools decides ties.
_SEARCH: Final = (
    "SELECT rowid, -bm25(tools, 5.0, 1.0, 0.5) AS score FROM tools WHERE tools MATCH ? "
    "ORDER BY score DESC, rowid LIMIT ?"
)


_STOP_WORDS: Final = (
    "a an and any are as at be by can could do does for from has have how i if in into is it its me my of on "
    "or our please so that the their them then there this to us was we what when where which who will with "
    "would you your"
)


class SearchUnavailableError(Exception):
    """Python's SQLite was built without FTS5."""


@dataclass(frozen=True, slots=True)
class SearchedTool:
    """The texts of a tool that are searched."""

    name: str
    description: str
    input_schema: Mapping[str, Any]  # names and descriptions of its properties are searched
    title: str | None = None


class ToolSearch:
    """An index of tools in memory.

    Args:
        tools: what is searched, with different names.

    Raises `SearchUnavailableError` where SQLite has no FTS5.
    """

    def __init__(self, tools: Iterable[SearchedTool]) -> None:
        self._names: list[str] = []
        self._database = sqlite3.connect(":memory:", check_same_thread=False)
        try:
            self._database.execute(_CREATE)
        except sqlite3.OperationalError as error:
            self._database.close()
            raise SearchUnavailableError(
                f"this Python's SQLite ({sqlite3.sqlite_version}) has no FTS5, which searches tools"
            ) from error
        self._database.executemany(_INSERT, self._rows(tools))

    def close(self) -> None:
        """Free the memory of the index."""
        self._database.close()

    def __enter__(self) -> ToolSearch:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def find(self, text: str, limit: int = 5) -> dict[str, float]:
        """Return the names of the tools that have any word of `text`, the best first, at most `limit`.

        Each has its score by BM25: the higher, the better; comparable within one search only.
        """
        query = " OR ".join(f'"{word}"' for word in _query_words(text))
        if not query or limit < 1:
            return {}
        rows = self._database.execute(_SEARCH, (query, limit))
        return {self._names[rowid - 1]: score for rowid, score in rows}

    def _rows(self, tools: Iterable[SearchedTool]) -> Iterator[tuple[int, str, str, str]]:
        for number, tool in enumerate(tools, 1):
            self._names.append(tool.name)
            parameters = " ".join(_parameters(tool.input_schema))
            texts = (f"{tool.name} {tool.title or ''}", tool.description, parameters)
            name, description, words = (" ".join(_words(text)) for text in texts)
            yield number, name, description, words


def _query_words(text: str) -> list[str]:
    """Return the different words of a query without those that say nothing, unless it has no others."""
    words = list(dict.fromkeys(word.lower() for word in _words(text)))
    common = _STOP_WORDS.split()
    # BM25 ignores common words by itself among hundreds of tools, and cannot among five
    return ([word for word in words if word not in common] or words)[:MAX_WORDS]


def _words(text: str) -> Iterator[str]:
    """Yield the words of a text; `listOpenOrders` and `list_open_orders` are three each."""
    spaced = _UNSPACED.sub(r" \1 ", text[:MAX_CHARACTERS])
    for run in _WORD.findall(spaced):
        yield from _CAPITAL.split(run)


def _parameters(schema: Mapping[str, Any]) -> Iterator[str]:
    properties = schema.get("properties")
    if not isinstance(properties, Mapping):
        return
    for name, inner in list(properties.items())[:_MAX_PARAMETERS]:
        description = inner.get("description") if isinstance(inner, Mapping) else None
        yield f"{name} {description}" if isinstance(description, str) else str(name)
