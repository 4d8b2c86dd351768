"""`make docs`: build the documentation as a site in build/site, and check every link in it.

The pages are those of docs/, and three files of the root. Links to other files of the repository lead to the
repository that `REPOSITORY` names.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

import yaml

ROOT: Final = Path(__file__).parent.parent
PAGES: Final = ROOT / "build/site-pages"
SITE: Final = ROOT / "build/site"

REPOSITORY: Final = "https://example.invalid/OWNER/toolgen/blob/main/"
"""A placeholder: toolgen has no public repository yet."""

_OF_THE_ROOT: Final = {name: f"{name.lower()}" for name in ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")}
_LINK: Final = re.compile(r"(?<=\]\()(?P<target>[^)#:]+)(?P<anchor>#[^)]*)?(?=\))")
_CODE: Final = re.compile(r"(^```.*?^```$|`[^`\n]+`)", re.MULTILINE | re.DOTALL)


def main() -> int:
    """Build the site. Return 1 if a page is in no menu, or a link leads nowhere."""
    lay_out(PAGES)
    built = subprocess.run([sys.executable, "-m", "zensical", "build", "--clean", "--strict"], cwd=ROOT)
    faults = [*unlisted_pages(PAGES), *broken_links(SITE)]
    print(*faults, sep="\n", file=sys.stderr) if faults else print(f"site: {SITE.relative_to(ROOT)}")
    return 1 if built.returncode or faults else 0


def lay_out(folder: Path) -> None:
    """Write the pages of the site into `folder`, which is emptied first."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(ROOT / "docs", folder)
    for name, page in _OF_THE_ROOT.items():
        (folder / page).write_text(_with_links(ROOT / name), "utf-8")
    for document in (ROOT / "docs").rglob("*.md"):
        (folder / document.relative_to(ROOT / "docs")).write_text(_with_links(document), "utf-8")


def _with_links(document: Path) -> str:
    """Return the text of a document, whose links lead to pages of the site or to the repository."""
    docs = ROOT / "docs"
    start = document.parent if document.is_relative_to(docs) else docs

    def link(found: re.Match[str]) -> str:
        path = (document.parent / found["target"]).resolve()
        anchor, inside = found["anchor"] or "", path.relative_to(ROOT).as_posix()
        if inside not in _OF_THE_ROOT and not (path.is_relative_to(docs) and path.is_file()):
            return REPOSITORY + inside + anchor
        page = docs / _OF_THE_ROOT.get(inside, path.relative_to(docs) if path.is_relative_to(docs) else "")
        return Path(os.path.relpath(page, start)).as_posix() + anchor

    # every second part is code, in which brackets are no links
    parts = _CODE.split(document.read_text("utf-8"))
    return "".join(part if at % 2 else _LINK.sub(link, part) for at, part in enumerate(parts))


def unlisted_pages(pages: Path) -> Iterator[str]:
    """Yield a line for each page that no menu of mkdocs.yml has."""

    def names(entry: object) -> Iterator[str]:
        inner = entry.values() if isinstance(entry, Mapping) else entry if isinstance(entry, list) else ()
        yield from (name for each in inner for name in names(each))
        if isinstance(entry, str):
            yield entry

    listed = set(names(yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))["nav"]))
    for page in sorted(path.relative_to(pages).as_posix() for path in pages.rglob("*.md")):
        if page not in listed:
            yield f"mkdocs.yml: nav has no entry for {page}"


class _Page(HTMLParser):
    """The links of a page, and the ids to which links of other pages can lead."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.links += [value for name in ("href", "src") if (value := found.get(name))]
        self.ids |= {value for name in ("id", "name") if (value := found.get(name))}


def broken_links(site: Path) -> Iterator[str]:
    """Yield a line for each link within the site that leads nowhere."""

    @cache
    def page(path: Path) -> _Page:
        return _Page(path.read_text("utf-8"))

    for path in sorted(site.rglob("*.html")):
        if path.name == "404.html":  # its links begin at the root of the server
            continue
        for link in dict.fromkeys(page(path).links):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if target.is_dir():
                target /= "index.html"
            anchor = unquote(parts.fragment)
            is_anchor_known = not anchor or target.suffix != ".html" or anchor in page(target).ids
            if not target.is_file() or not is_anchor_known:
                yield f"{path.relative_to(site)}: {link} leads nowhere"


if __name__ == "__main__":
    sys.exit(main())
