"""The documents are up to date: links, tables, code blocks and transcripts."""

from __future__ import annotations

import json
import os
import re
import subprocess
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from toolgen.cli.parser import COMMANDS
from toolgen.language.spec import Spec
from toolgen.runtime.errors import RUNTIME_ERRORS

from tests.preloaded import programs

ROOT = Path(__file__).parent.parent


def test_every_field_of_the_language_is_described() -> None:
    rows = re.findall(r"^\| (`.*?`) \|", (ROOT / "docs/spec.md").read_text(), re.MULTILINE)
    described = {name for row in rows for name in re.findall(r"`([a-z_]+)`", row)}
    assert described == set(Spec.model_fields) - {"extensions"}


def test_every_reserved_code_is_described_as_it_is() -> None:
    text = (ROOT / "docs/runtime.md").read_text().partition("### Reserved codes")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (`.*?`) \| .* \| (.*) \|$", text, re.MULTILINE)
    described = {code: says == "yes" for row, says in rows for code in re.findall(r"`([a-z_]+)`", row)}
    assert described == {error.code: error.retryable for error in RUNTIME_ERRORS}


def test_every_verb_is_on_its_page() -> None:
    rows = re.findall(r"^\| `(\w+)` \|", (ROOT / "docs/commands.md").read_text(), re.MULTILINE)
    assert rows == list(COMMANDS)


def test_links_lead_somewhere() -> None:
    for document in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")):
        for link in re.findall(r"\]\(([^)#:]+)\)", document.read_text()):
            assert (document.parent / link).exists(), f"{document.name}: {link}"


def test_the_start_page_lists_all_pages() -> None:
    linked = set(re.findall(r"\]\(([\w-]+\.md)\)", (ROOT / "docs/index.md").read_text()))
    assert {page.name for page in (ROOT / "docs").glob("*.md")} - {"index.md"} - linked == set()


def test_files_in_the_where_is_table_exist() -> None:
    table = (ROOT / "docs/where-is.md").read_text()
    answers = re.findall(r"\? \| `(.*?)` \|$", table, re.MULTILINE)
    assert len(answers) >= 15
    assert [path for path in answers if not (ROOT / "generator/toolgen" / path).is_file()] == []


def test_places_that_a_contributor_is_told_of_exist() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text()
    adding, _, rest = text.partition("## Where tests are")
    places = re.findall(r"`(\w+/[\w./]+)`", adding)
    folders = re.findall(r"`([\w/]+/)`", "".join(re.findall(r"^\| (`.*?) \|", rest, re.MULTILINE)))

    assert len(places) >= 30
    assert len(folders) >= 30
    roots = (ROOT, ROOT / "generator/toolgen")
    assert [place for place in places if not any((root / place).exists() for root in roots)] == []
    assert [folder for folder in folders if not (ROOT / "tests" / folder).is_dir()] == []


# Blocks of code in the documents.
#
# ```console   commands after `$ ` are run in a folder of the page's own; what follows is their output, stdout and
#              stderr. A line `...` stands for any lines, `…` within a line for any text.
# ```python    executed, all of a page in one process, in order. A ```text block after it is what it prints.
# ```yaml toml json   parsed. A first line `# path/to/file` also writes it into the page's folder.
# ```text, diff, make, svg  not run: output, changes, pictures, other languages.
# <!-- excerpt: path -->       before a block: its lines are lines of that file, in order.
# <!-- not run: reason -->     before a block that cannot be run here; the reason says why.

DOCUMENTS = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
MARKED = re.compile(
    r"(?:^<!-- *(?P<marker>not run|excerpt): *(?P<argument>.*?) *-->\n)?^```(?P<language>.*)\n(?P<text>(?s:.*?))^```$",
    re.MULTILINE,
)
LANGUAGES = {
    "console",
    "python",
    "text",
    "diff",
    "yaml",
    "toml",
    "typescript",
    "json",
    "make",
    "ini",
    "jinja",
    "lua",
}
SECONDS = 120


@dataclass(frozen=True)
class Block:
    """A fenced code block of a document."""

    document: Path
    line: int
    language: str
    text: str
    marker: str | None
    argument: str

    @property
    def place(self) -> str:
        """Return the file and line of the block."""
        return f"{self.document.name}:{self.line}"


def blocks(document: Path) -> list[Block]:
    """Return the fenced blocks of a document, in order."""
    source = document.read_text(encoding="utf-8")
    return [
        Block(
            document,
            source.count("\n", 0, found.start()) + 1,
            found["language"].strip(),
            found["text"],
            found["marker"],
            found["argument"] or "",
        )
        for found in MARKED.finditer(source)
    ]


EVERY_BLOCK = [block for document in DOCUMENTS for block in blocks(document)]


@pytest.mark.parametrize("block", EVERY_BLOCK, ids=lambda block: block.place)
def test_every_block_has_a_language(block: Block) -> None:
    assert block.language in LANGUAGES, f"{block.place}: ```{block.language}"
    if block.marker == "not run":
        assert len(block.argument.split()) >= 3, f"{block.place}: say why it cannot be run"


def test_every_marker_belongs_to_a_block() -> None:
    for document in DOCUMENTS:
        source = document.read_text(encoding="utf-8")
        markers = len(re.findall(r"^<!-- *(?:not run|excerpt)", source, re.MULTILINE))
        assert markers == sum(block.marker is not None for block in blocks(document)), document.name
        assert source.count("\n```") == 2 * len(blocks(document)), f"{document.name}: a block is not closed"


@pytest.mark.parametrize(
    "block", [block for block in EVERY_BLOCK if block.marker == "excerpt"], ids=lambda block: block.place
)
def test_excerpts_are_equal_to_the_files(block: Block) -> None:
    """Lines may be left out, and comments be added."""
    lines = iter((ROOT / block.argument).read_text(encoding="utf-8").splitlines())
    for line in block.text.splitlines():
        bare = line.partition("  #")[0].rstrip()
        if bare.strip() and bare.strip() != "# …":
            assert any(bare == each.rstrip() for each in lines), f"{block.place}: {bare!r}"


@pytest.mark.parametrize(
    "block",
    [each for each in EVERY_BLOCK if each.language in ("yaml", "toml", "json")],
    ids=lambda b: b.place,
)
def test_data_blocks_can_be_parsed(block: Block) -> None:
    parse: Any = {"yaml": yaml.safe_load, "toml": tomllib.loads, "json": json.loads}[block.language]
    assert parse(block.text), block.place


def is_run(block: Block) -> bool:
    """True if the test of the page executes the block."""
    return block.marker is None and block.language in ("console", "python")


@pytest.mark.parametrize(
    "document", [each for each in DOCUMENTS if any(map(is_run, blocks(each)))], ids=lambda each: each.name
)
def test_commands_and_programs_print_what_the_page_shows(document: Path, tmp_path: Path) -> None:
    page = blocks(document)
    code: list[tuple[Block, Block | None]] = []
    for block, after in zip(page, [*page[1:], None], strict=True):
        if block.marker is None and (path := re.match(r"# ([\w./-]+\.\w+)\n", block.text)) is not None:
            file = tmp_path / path[1]
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(block.text, encoding="utf-8")
        if block.marker is None and block.language == "console":
            transcript(block, tmp_path)
        elif is_run(block):
            code.append((block, after if after is not None and after.language == "text" else None))
    if code:
        execute(code, tmp_path)


def shell(command: str, folder: Path) -> str:
    """Run a command line as a reader would; return its output, including stderr."""
    path = os.pathsep.join([programs(), os.environ["PATH"]])
    env = {**os.environ, "PATH": path, "TOOLGEN_CACHE_DIR": str(folder / ".cache"), "NO_COLOR": "1"}
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    return done.stdout.replace(str(folder), ".")


def transcript(block: Block, folder: Path) -> None:
    """Run the commands of a transcript and compare what they print."""
    parts = re.split(r"^\$ (.*(?:\\\n.*)*)\n", block.text, flags=re.MULTILINE)
    assert not parts[0].strip(), f"{block.place}: a transcript begins with a command"
    for command, shown in zip(parts[1::2], parts[2::2], strict=True):
        printed = shell(command, folder)
        assert is_as_shown(shown, printed), f"{block.place}: $ {command}\n{printed}"


def is_as_shown(shown: str, printed: str) -> bool:
    """True if a page shows what was printed, apart from blank lines at the end."""
    pattern = "".join(
        r"(?:.*\n)*" if line == "..." else ".*".join(map(re.escape, line.rstrip().split("…"))) + r"[ \t]*\n"
        for line in shown.rstrip().splitlines()
    )
    return re.fullmatch(pattern, f"{printed.rstrip()}\n" if printed.strip() else "") is not None


def execute(code: list[tuple[Block, Block | None]], folder: Path) -> None:
    """Run the Python of a page in one process, and compare what each block prints, where the page shows it."""
    mark = "-- end of block --"
    script = "".join(f"{block.text}\nprint({mark!r}, flush=True)\n" for block, _ in code)
    (folder / "page.py").write_text(script, encoding="utf-8")
    printed = shell("python page.py", folder).split(f"{mark}\n")
    place = code[0][0].document.name
    assert len(printed) == len(code) + 1, f"{place}: {''.join(printed)}"
    for (block, shown), text in zip(code, printed, strict=False):
        if shown is not None:
            assert is_as_shown(shown.text, text), f"{block.place}:\n{text}"
