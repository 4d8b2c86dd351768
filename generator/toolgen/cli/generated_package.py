"""Find the generated package of a command that runs tools, and bring it up to date with the specs."""

from __future__ import annotations

import argparse
import os
import re
import sys
from contextlib import AbstractContextManager, chdir
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from toolgen.base.files import FileKind, WritableFolder
from toolgen.base.suggestions import count
from toolgen.cli.exit_codes import users_error
from toolgen.cli.output import command_line, say
from toolgen.cli.parser import Options
from toolgen.compile.output_changes import digest
from toolgen.language.changes import ChangeKind
from toolgen.language.diagnostic import SpecErrors
from toolgen.project import (
    Project,
    UnableError,
    find_configuration,
    find_project,
    find_root,
    kind_of,
    read_project,
    read_specs,
    read_text,
)
from toolgen.project.cache.freshness import find_up_to_date
from toolgen.project.output.manifest import MAX_MANIFEST, NAME, parse_manifest

_PACKAGE = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")

_MAX_COMPARED = 200  # specs, which take about 4 ms; a command that runs tools should not wait for more

SERVER_HINT = (
    "run `toolgen generate` with the target mcp, or name the generated package: toolgen serve PACKAGE"
)


class GeneratedPackage(NamedTuple):
    """A generated package, and the folder that it is imported from."""

    name: str
    folder: Path

    def module(self, name: str, hint: str) -> Any:
        """Import a module of the package. Raises `UnableError` with a hint if there is none."""
        full_name = f"{self.name}.{name}"
        try:
            found = _PACKAGE.fullmatch(self.name) is not None and find_spec(full_name) is not None
        except (ModuleNotFoundError, ValueError) as error:
            # another module that is missing is an error of the code, and keeps its traceback
            if isinstance(error, ModuleNotFoundError) and not f"{full_name}.".startswith(f"{error.name}."):
                raise
            found = False
        if not found:
            raise UnableError("not-generated", f"there is no module {full_name} in {self.folder}", hint)
        return import_module(full_name)


def add_package(parser: argparse.ArgumentParser) -> None:
    """Add the argument PACKAGE."""
    about = "the generated package, for example shop.generated (default: the project's)"
    parser.add_argument("package", nargs="?", metavar="PACKAGE", help=about)


def add_frozen(parser: Options) -> None:
    """Add `--frozen`, whose default is TOOLGEN_FROZEN, for a command that generates what is out of date."""
    is_frozen = os.environ.get("TOOLGEN_FROZEN", "").lower() not in ("", "0", "false", "no", "off")
    about = "generate nothing; exit 2 if the generated code is out of date (or TOOLGEN_FROZEN=1)"
    parser.add_argument("--frozen", action="store_true", default=is_frozen, help=about)


def find_package(args: argparse.Namespace, *, generates: bool = False) -> GeneratedPackage:
    """Return the package of the arguments, or that of the project, and let it be imported.

    With `generates`, bring the project's package up to date, for a server. Raises `UnableError`.
    """
    folder, name = Path(os.path.realpath(args.start)), args.package
    if not folder.is_dir():
        raise UnableError("usage", f"{args.start} is not a folder")
    # a deployment may hold only the generated package and its implementations
    if name is None or find_configuration(find_root(folder)):
        project = find_project(folder)
        if name in (None, project.package):
            if generates:
                bring_up_to_date(project, args, serves=True)
            else:
                warn_of_edited_specs(project)
        name, folder = name or project.package, project.import_root
    sys.path.insert(0, str(folder))
    return GeneratedPackage(name, folder)


def bring_up_to_date(project: Project, args: argparse.Namespace, *, serves: bool = False) -> None:
    """Generate what is out of date, as `toolgen generate` does; files that were edited are left as they are.

    If nothing may be generated, raise `UnableError` instead. Without the generator, without specs, or if a
    server (`serves`) cannot write, warn of specs that changed.
    """
    try:
        if kind_of(project.root, project.specs, links=True) is FileKind.FOLDER:  # deployments have none
            _bring_up_to_date(project, args)
        return
    except ModuleNotFoundError as error:
        if users_error(error) is None:
            raise
        if args.frozen and edited_specs(project):
            raise _stale(args) from error
    except (UnableError, SpecErrors):
        if not serves or args.frozen:
            raise
    warn_of_edited_specs(project)


def _bring_up_to_date(project: Project, args: argparse.Namespace) -> None:
    read = read_project(str(project.root))
    if find_up_to_date(read):
        return
    from toolgen.cli.progress import plan_output  # whatever compiles specs, which servers may not have
    from toolgen.project.building.project_build import compare_output, write_output

    # not the lock of the output folder, which `write_output` takes
    with WritableFolder(project.root).locked():
        if find_up_to_date(read):  # another process has generated it
            return
        plan = plan_output(read)
        if compare_output(plan).clean:
            return
        if args.frozen:
            raise _stale(args)
        edited = [each.path for each in plan.changes if each.kind is ChangeKind.EDITED]
        changes = tuple(each for each in plan.changes if each.path not in edited)
        try:
            done = write_output(replace(plan, changes=changes))
        except UnableError as error:
            hint = "run `toolgen generate` where this can be written, and use --frozen here"
            raise UnableError(error.code, error.message, hint) from error
    for path in edited:
        say(f"warning: {project.output}/{path} was edited, and is kept: see `toolgen check`", always=True)
    if done.written or done.removed or not edited:
        say(f"generated {count(max(len(done.written), 1), 'file')}")


def _stale(args: argparse.Namespace) -> UnableError:
    hint = f"run `{command_line(args, 'generate')}`, or leave out --frozen and TOOLGEN_FROZEN"
    return UnableError("not-generated", "the generated code is not what the specs describe", hint)


def warn_of_edited_specs(project: Project) -> None:
    """Warn if the code that will run was generated from other specs than those in the folder.

    Says nothing of a project without specs or manifest, such as a deployment, or with very many specs.
    """
    if edited := edited_specs(project):
        what, them = (edited[0], "it") if len(edited) == 1 else (count(len(edited), "spec"), "them")
        say(f"warning: {what} changed after `toolgen generate`: run that again to use {them}", always=True)


def edited_specs(project: Project) -> list[str]:
    """Return the specs that changed since the code was generated; none, if that is not known."""
    try:
        if kind_of(project.root, project.specs, links=True) is not FileKind.FOLDER:
            return []
        text = read_text(project.root, f"{project.output}/{NAME}", limit=MAX_MANIFEST)
        manifest = parse_manifest(text or "")
        if manifest is None or len(manifest.inputs) > _MAX_COMPARED:
            return []
        found = read_specs(project)
    except (UnableError, SpecErrors):
        return []
    recorded = manifest.inputs
    present = {f"{project.specs}/{path}": digest(content) for path, content in found.items()}
    return sorted(path for path in {*recorded, *present} if recorded.get(path) != present.get(path))


def working_folder(args: argparse.Namespace) -> AbstractContextManager[None]:
    """Return the context in which the project's code runs: the folder of `-C`, as if started there."""
    return chdir(args.start)
