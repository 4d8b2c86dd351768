"""Formatting only the changed parts of a file gives the same text as formatting the whole file."""

from __future__ import annotations

import pytest
from toolgen.compile.printing import format as step
from toolgen.compile.printing.format import format_files, format_tree
from toolgen.data.internal_error import TemplateBug

HEAD = '"""A module."""\n\nfrom typing import Final\n\n'
DATA = '{"name": "%s", "tags": ["a", "b"], "description": "' + "long " * 30 + '"}'
TOOLS = "".join(f"TOOL_{n}: Final[dict[str, object]] = {DATA % n}\n\n" for n in range(5))
MODULE = f'{HEAD}{TOOLS}ALL: Final = [TOOL_0, TOOL_1]\n"""All of them."""\n\n\ndef one( ): return TOOL_1\n'

EDITS = {
    "a constant": (MODULE, '"name": "3"', '"name": "three", "more": [1,2]'),
    "all constants": (MODULE, "long ", "short "),
    "a docstring below one": (MODULE, "All of them.", "Each."),
    "what is between": (MODULE, "return TOOL_1", "return  TOOL_2"),
    "an import": (MODULE, "import Final", "import Final, Any"),
    "a name": (MODULE, "TOOL_3:", "TOOL_9:"),
    "one is gone": (MODULE, f"TOOL_3: Final[dict[str, object]] = {DATA % 3}\n\n", ""),
    "text over several lines": (MODULE, '"name": "3"', '"name": ("one\\n"\n"two\\n")'),
    "text that looks like one": (
        f'{HEAD}"""Not\n\nX: Final = [\n\nmore"""\n\n{TOOLS}x = 1\n',
        "= [",
        "= [ 1",
    ),
    "and is Python": (f'{HEAD}"""Not\n\nX: Final = [1]\n\nmore"""\n\n{TOOLS}x = 1\n', "[1]", "[1 ,2]"),
    "no empty line before": (f"{HEAD[:-1]}{TOOLS}x = 1\n", '"name": "3"', '"name": "three"'),
    "no constant": ("import os\n\nprint(os)\n", "print(os)", "print( os )"),
}


@pytest.mark.parametrize("name", EDITS)
def test_an_edited_file_is_formatted_as_a_whole_file_is(name: str) -> None:
    module, old, new = EDITS[name]
    assert old in module
    cache: dict[str, bytes] = {}
    for text in (module, module.replace(old, new), module, module):
        tree = {"a.py": text, "b/a.txt": text}
        assert format_files(tree, "", cache) == format_tree(tree)


@pytest.fixture
def formatted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that the formatter gets."""
    seen: list[str] = []

    def spy(tree: dict[str, str]) -> object:
        seen.extend(tree)
        return format_tree(tree)

    monkeypatch.setattr(step, "format_tree", spy)
    return seen


def test_only_changed_parts_are_formatted(formatted: list[str]) -> None:
    cache: dict[str, bytes] = {}
    format_files({"a.py": MODULE}, "", cache)
    assert formatted == ["a.py"]
    formatted.clear()
    format_files({"a.py": MODULE.replace('"name": "3"', '"name": "three"')}, "", cache)
    assert formatted == ["a.py.3.py"]
    formatted.clear()
    format_files({"a.py": MODULE.replace('"name": "3"', '"name": "three"')}, "", cache)
    assert formatted == []
    format_files({"a.py": MODULE}, "other options", cache)
    assert formatted == ["a.py"]


@pytest.mark.parametrize("damage", [b"", b"[]", b"null", b"[1, 2, 3]", b'["", [], {}]', b"\xff", b"{}"])
def test_a_damaged_cache_entry_is_formatted_again(damage: bytes) -> None:
    cache: dict[str, bytes] = {}
    expected = format_files({"a.py": MODULE}, "", cache)
    (key,) = cache
    cache[key] = damage
    assert format_files({"a.py": MODULE}, "", cache) == expected


def test_a_constant_that_is_not_python_is_a_template_bug() -> None:
    cache: dict[str, bytes] = {}
    format_files({"a.py": MODULE}, "", cache)
    with pytest.raises(TemplateBug):
        format_files({"a.py": MODULE.replace('"name": "3"', '"name": ')}, "", cache)
