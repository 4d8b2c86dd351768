"""The pytest plugin: one test for each example and each property, wherever a test asks for `toolgen_case`.

    @pytest.mark.toolgen("search_items")  # without a name: all tools
    def test_search_items(toolgen_case: ToolCase) -> None:
        toolgen_case.check()

It does nothing in projects whose tests do not use it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from toolgen.runtime import Toolkit
    from toolgen.testing.cases import ProjectCases, ToolCase
    from toolgen.testing.subject import Subject

_CASES: pytest.StashKey[ProjectCases] = pytest.StashKey()
_DEFAULT = "_toolgen_default"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("toolgen", "contracts of tools")
    group.addoption("--toolgen-seed", default="0", help="decides which generated requests are made")
    group.addoption(
        "--toolgen-max-calls", type=int, default=100, metavar="N", help="make about N calls of each tool"
    )
    group.addoption(
        "--toolgen-all-calls",
        action="store_true",
        help="also make calls that may change or destroy data, of tools without a toolkit for tests",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker."""
    config.addinivalue_line(
        "markers",
        "toolgen(*tools, implemented=True): the tools that `toolgen_case` tests; implemented=False expects "
        "that they are stubs, and calls nothing",
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make a test of each example and each property."""
    if "toolgen_case" not in metafunc.fixturenames:
        return
    marker = metafunc.definition.get_closest_marker("toolgen")
    names = marker.args if marker else ()
    implemented = marker.kwargs.get("implemented", True) if marker else True
    cases = _cases(metafunc.config).select(names, implemented=implemented)
    metafunc.parametrize("toolgen_case", cases, ids=[case.id for case in cases], indirect=True)


@pytest.fixture
def toolgen_case(
    request: pytest.FixtureRequest, toolgen_toolkit: Toolkit, toolgen_state: Callable[[], Any] | None
) -> ToolCase:
    """One example or property of one tool; `check()` tests it."""
    subject: Subject | None = None
    own_state = toolgen_state is not None and not getattr(toolgen_state, _DEFAULT, False)
    own_toolkit = not getattr(toolgen_toolkit, _DEFAULT, False)
    if own_state or own_toolkit:
        from toolgen.testing.toolkit_subject import GivenSubject

        is_for_tests = own_toolkit or _cases(request.config).fixtures.make_toolkit is not None
        subject = GivenSubject(toolgen_toolkit, toolgen_state, is_for_tests=is_for_tests)
    case: ToolCase = request.param
    return replace(case, subject=subject)


@pytest.fixture
def toolgen_toolkit(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Toolkit]:
    """The project's tools: with data of their own, if the project has fixtures for `toolgen test`."""
    toolkit = _cases(request.config).fixtures.toolkit(tmp_path)
    setattr(toolkit, _DEFAULT, True)
    yield toolkit
    toolkit.close_sync()


@pytest.fixture
def toolgen_state(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], Any] | None:
    """A function that returns a snapshot of the data of `toolgen_toolkit`; None if there is none."""
    fixtures = _cases(request.config).fixtures
    if fixtures.take_snapshot is None:
        return None

    def snapshot() -> Any:
        return fixtures.snapshot(tmp_path)

    setattr(snapshot, _DEFAULT, True)
    return snapshot


def _cases(config: pytest.Config) -> ProjectCases:
    """Return the project's tests, read when the first test asks for them."""
    if _CASES not in config.stash:
        from toolgen.base.escaping.places import terminal_lines
        from toolgen.language.diagnostic import SpecErrors
        from toolgen.project import UnableError, find_project
        from toolgen.testing.cases import ProjectCases
        from toolgen.testing.runner import RunOptions

        options = RunOptions(
            config.getoption("--toolgen-seed"),
            config.getoption("--toolgen-max-calls"),
            all_calls=config.getoption("--toolgen-all-calls"),
        )
        try:
            project = find_project(config.rootpath)
            config.stash[_CASES] = ProjectCases.read(project, options)
        except (UnableError, SpecErrors) as error:
            raise pytest.UsageError("\n".join(terminal_lines(f"toolgen: {error}"))) from error
        for folder in (str(project.root), str(project.import_root)):
            if folder not in sys.path:
                sys.path.insert(0, folder)
    return config.stash[_CASES]
