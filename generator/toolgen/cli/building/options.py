"""Options of a build action, which a project has in its configuration."""

from __future__ import annotations

import argparse
import keyword
from collections.abc import MutableMapping, Sequence
from pathlib import Path

from toolgen.data.package import PackageSettings
from toolgen.data.target import Target
from toolgen.project import Cache, Project, UnableError, generator_id, load_targets

_NOWHERE = "the command line"


def settings_of(args: argparse.Namespace) -> PackageSettings:
    """Return the settings of the package. Raises `UnableError` for a name that Python cannot import."""
    default = PackageSettings()
    package = args.package or default.package
    for flag, name in (("--package", package), ("--implementations", args.implementations or "x")):
        bad = [part for part in name.split(".") if not part.isidentifier() or keyword.iskeyword(part)]
        if bad:
            raise UnableError(
                "usage",
                f"{flag} must be a name that Python can import; {bad[0]!r} cannot be",
                "as in app.tools",
            )
    if f"{args.implementations}.".startswith(f"{package}."):
        hint = "hand-written tools live in a package of their own"
        raise UnableError("usage", "--implementations is inside the generated package", hint)
    return PackageSettings(
        package,
        args.implementations,
        _shown_as(args) or default.specs,
        not args.no_coerce,
        args.server_name,
        args.server_version or default.server_version,
        args.server_instructions,
    )


def _shown_as(args: argparse.Namespace) -> str:
    parts = [part for part in (args.shown_as or "").split("/") if part not in ("", ".")]
    if not "".join(parts).isprintable() or "\\" in (args.shown_as or ""):
        raise UnableError("usage", "--shown-as must be printable, with forward slashes", "as in tools/specs")
    return "/".join(parts)


def targets_of(names: Sequence[str] | None, templates: str | None) -> tuple[Target, ...]:
    """Return the base target and the named ones, or all. Raises `UnableError` for an unknown target."""
    every = load_targets(Project(Path(), _NOWHERE, "", templates=templates), is_declared=True)
    base, *others = every
    known = [target.name for target in others]
    wanted = known if names is None else [name for name in names if name != base.name]
    for name in wanted:
        if name not in known:
            raise UnableError("usage", f"there is no target {name!r}", f"there are {', '.join(known)}")
    found = {target.name: target for target in others}
    return (base, *(found[name] for name in dict.fromkeys(wanted)))


def cache_of(folder: str | None) -> MutableMapping[str, bytes]:
    """Return the cache in `folder`; an empty one without a folder."""
    return {} if folder is None else Cache(Path(folder) / generator_id())
