"""What is laid out again because a part of it changed is what is laid out as a whole."""

from __future__ import annotations

import pytest
from toolgen.compile import format as step
from toolgen.compile.format import format_files, format_tree
from toolgen.data.bug import TemplateBug

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
def test_an_edit(name: str) -> None:
    module, old, new = EDITS[name]
    assert old in module
    cache: dict[str, bytes] = {}
    for text in (module, module.replace(old, new), module, module):
        tree = {"a.py": text, "b/a.txt": text}
        assert format_files(tree, "", cache) == format_tree(tree)


@pytest.fixture
def laid_out(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that go to the formatter."""
    seen: list[str] = []

    def spy(tree: dict[str, str]) -> object:
        seen.extend(tree)
        return format_tree(tree)

    monkeypatch.setattr(step, "format_tree", spy)
    return seen


def test_only_what_changed_is_laid_out(laid_out: list[str]) -> None:
    cache: dict[str, bytes] = {}
    format_files({"a.py": MODULE}, "", cache)
    assert laid_out == ["a.py"]
    laid_out.clear()
    format_files({"a.py": MODULE.replace('"name": "3"', '"name": "three"')}, "", cache)
    assert laid_out == ["a.py.3.py"]
    laid_out.clear()
    format_files({"a.py": MODULE.replace('"name": "3"', '"name": "three"')}, "", cache)
    assert laid_out == []
    format_files({"a.py": MODULE}, "other options", cache)
    assert laid_out == ["a.py"]


@pytest.mark.parametrize("damage", [b"", b"[]", b"null", b"[1, 2, 3]", b'["", [], {}]', b"\xff", b"{}"])
def test_an_entry_that_says_something_else_is_made_again(damage: bytes) -> None:
    cache: dict[str, bytes] = {}
    expected = format_files({"a.py": MODULE}, "", cache)
    (key,) = cache
    cache[key] = damage
    assert format_files({"a.py": MODULE}, "", cache) == expected


def test_a_constant_that_is_no_python_is_a_bug_of_the_template() -> None:
    cache: dict[str, bytes] = {}
    format_files({"a.py": MODULE}, "", cache)
    with pytest.raises(TemplateBug):
        format_files({"a.py": MODULE.replace('"name": "3"', '"name": ')}, "", cache)
