"""Bring a project's generated code up to date before its tools run."""

from __future__ import annotations

import argparse
import os
from dataclasses import replace

from toolgen.base.files import FileKind, WritableFolder
from toolgen.base.suggestions import count
from toolgen.cli.exit_codes import users_error
from toolgen.cli.generated_package import edited_specs, warn_of_edited_specs
from toolgen.cli.output import command_line, say
from toolgen.cli.parser import Options, add_flag
from toolgen.language.diagnostic import SpecErrors
from toolgen.project import Project, UnableError, kind_of


def add_frozen(parser: Options) -> None:
    """Add the flag `--frozen`, for a command that generates what is out of date."""
    about = "generate nothing; exit 2 if the generated code is out of date (or TOOLGEN_FROZEN=1)"
    add_flag(parser, "--frozen", about)


def is_frozen(args: argparse.Namespace) -> bool:
    """True if nothing may be generated."""
    variable = os.environ.get("TOOLGEN_FROZEN", "").lower()
    return getattr(args, "frozen", False) or variable not in ("", "0", "false", "no", "off")


def bring_up_to_date(project: Project, args: argparse.Namespace, *, serves: bool = False) -> None:
    """Generate what is out of date, as `toolgen generate` does; files that were edited are left as they are.

    If nothing may be generated, raise `UnableError` instead. Without the generator, without specs, or if a
    server (`serves`) cannot write, warn of specs that changed.
    """
    try:
        if kind_of(project.root, project.specs, links=True) is not FileKind.FOLDER:
            return  # a deployment
        _bring_up_to_date(project, args)
    except ModuleNotFoundError as error:
        unable = users_error(error)
        if unable is None:
            raise
        if is_frozen(args) and edited_specs(project):
            raise _stale(args) from error
        warn_of_edited_specs(project)
    except (UnableError, SpecErrors) as error:
        if not serves or is_frozen(args):
            raise
        from toolgen.cli.diagnostics import show_error

        show_error(error, argparse.Namespace(start=args.start))
        warn_of_edited_specs(project)


def _bring_up_to_date(project: Project, args: argparse.Namespace) -> None:
    from toolgen.project import read_project
    from toolgen.project.cache.freshness import find_up_to_date

    read = read_project(str(project.root))
    if find_up_to_date(read):
        return
    from toolgen.cli.progress import plan_output
    from toolgen.language.changes import ChangeKind
    from toolgen.project.building.project_build import compare_output, write_output

    # not the lock of the output folder, which `write_output` takes
    with WritableFolder(project.root).locked():
        if find_up_to_date(read):  # another process has generated it
            return
        plan = plan_output(read)
        if compare_output(plan).clean:
            return
        if is_frozen(args):
            raise _stale(args)
        edited = [each.path for each in plan.changes if each.kind is ChangeKind.EDITED]
        changes = tuple(each for each in plan.changes if each.path not in edited)
        try:
            done = write_output(replace(plan, changes=changes))
        except UnableError as error:
            hint = "run `toolgen generate` where this can be written, and use --frozen here"
            raise UnableError(error.code, error.message, hint) from error
    for path in edited:
        say(
            f"warning: {project.output}/{path} was edited, and is left as it is: see `toolgen check`",
            always=True,
        )
    if done.written or done.removed or not edited:
        say(f"generated {count(max(len(done.written), 1), 'file')}")


def _stale(args: argparse.Namespace) -> UnableError:
    hint = f"run `{command_line(args, 'generate')}`, or leave out --frozen and TOOLGEN_FROZEN"
    return UnableError("not-generated", "the generated code is not what the specs describe", hint)
