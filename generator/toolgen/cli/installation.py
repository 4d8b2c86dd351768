"""Find out whether an error comes from the installation: a part that is missing or of another version."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires, version

from toolgen.project.errors import UnableError

_INSTALL = "pip install 'toolgen[cli]'"
_EXTRAS = {
    "cli": "argcomplete griffe griffelib jinja2 markupsafe packaging platformdirs ruff tomlkit yaml",
    "lsp": "attr attrs cattrs lsprotocol pygls",
    "mcp": "anyio mcp mcp_types starlette uvicorn",
}
"""Extra → the top-level modules of its packages, and of those that they need."""

_PARTS = {"cli": "toolgen's generator", "lsp": "the language server", "mcp": "the server of MCP"}


def explain(error: Exception) -> UnableError | None:
    """Return the fault in the installation that explains an unexpected error; None if there is none."""
    if isinstance(error, ModuleNotFoundError):
        module = (error.name or "").partition(".")[0]
        for extra, modules in _EXTRAS.items():
            if module in modules.split():
                message = f"{_PARTS[extra]} is not installed ({error.name} is missing)"
                return UnableError("not-installed", message, f"pip install 'toolgen[{extra}]'")
    unsupported = "; ".join(_unsupported())
    if not unsupported:
        return None
    message = f"{unsupported}, and the command failed with {type(error).__name__}"
    return UnableError("unsupported-version", message, _INSTALL)


def _unsupported() -> Iterator[str]:
    """Yield a message for each required distribution that is missing or of an unsupported version."""
    try:
        # packaging is itself of the extra, and toolgen may run from a checkout that is not installed
        from packaging.requirements import Requirement

        needed = requires("toolgen") or []
    except ModuleNotFoundError:
        return
    for each in map(Requirement, needed):
        if each.name == "toolgen" or each.marker is None or not each.marker.evaluate({"extra": "cli"}):
            continue
        try:
            installed = version(each.name)
        except PackageNotFoundError:
            yield f"{each.name} is not installed; this toolgen works with {each.specifier}"
            continue
        if not each.specifier.contains(installed, prereleases=True):
            yield f"{each.name} {installed} is installed; this toolgen works with {each.specifier}"
