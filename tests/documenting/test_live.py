"""A page follows the specs: it shows each change, keeps what was valid, and says what was found."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from toolgen.cli.commands.dev import LivePage
from toolgen.documents.pages import DocsPages

SPEC = "name: ping\ndescription: {}\ninput_schema: {{type: object}}\n"


class ShownPages(DocsPages):
    """Notes what is shown."""

    def __init__(self) -> None:
        super().__init__("the mock", scopes=(), reloads=True)
        self.shown: list[tuple[str, tuple[str, ...]]] = []
        self.changed = threading.Condition()

    def show(self, document: Mapping[str, Any], news: Mapping[str, Any]) -> None:
        with self.changed:
            self.shown.append((document["tools"][0]["description"], tuple(news["lines"])))
            self.changed.notify_all()

    def wait(self, is_there: Callable[[str, Sequence[str]], bool]) -> None:
        with self.changed:
            assert self.changed.wait_for(lambda: bool(self.shown) and is_there(*self.shown[-1]), 60)


class Followed:
    """A project whose page follows it."""

    def __init__(self, root: Path) -> None:
        self.spec = root / "specs/ping.yaml"
        self.spec.parent.mkdir()
        self.spec.write_text(SPEC.format("First."))
        (root / "toolgen.toml").write_text('specs = "specs"\noutput = "generated"\n')
        self.pages = ShownPages()
        self.page = LivePage(
            str(root),
            self.pages,
            followers=[lambda: ["a finding"] if "Second" in self.spec.read_text() else []],
        )


@pytest.fixture
def followed(tmp_path: Path) -> Iterator[Followed]:
    followed, stop = Followed(tmp_path), threading.Event()
    thread = threading.Thread(target=followed.page.follow, args=(stop,))
    thread.start()
    yield followed
    stop.set()
    thread.join(60)
    assert not thread.is_alive()


def test_a_change_is_shown_and_then_what_was_found(followed: Followed) -> None:
    followed.spec.write_text(SPEC.format("Second."))
    followed.pages.wait(lambda text, lines: text == "Second." and lines == ("a finding",))
    at = followed.pages.shown.index(("Second.", ()))  # the page does not wait for the findings
    assert ("Second.", ("a finding",)) in followed.pages.shown[at:]


def test_specs_with_faults_keep_the_last_page(followed: Followed, capsys: pytest.CaptureFixture[str]) -> None:
    followed.spec.write_text("name: [")
    followed.pages.wait(lambda text, lines: "error[yaml-syntax]" in "".join(lines))
    assert followed.pages.shown[-1][0] == "First."
    followed.spec.write_text(SPEC.format("Third."))
    followed.pages.wait(lambda text, lines: text == "Third." and not lines)
    assert capsys.readouterr().err.count("error[yaml-syntax]") == 1
