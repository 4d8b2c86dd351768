"""Make a page about the tools, for people who review, try and share them.

The page shows each tool as models read it: parameters, examples, errors, consent with its question, sizes,
what each provider's dialect loses, and with --against what changed. With --out it is written as files that
need no server and no network. With --serve it calls mocks, or the project's implementations, and follows the
specs. Only --implementations runs code of the project. The target `docs` writes Markdown.
"""

from __future__ import annotations

import argparse

from toolgen.base.suggestions import count
from toolgen.cli.exit_codes import ExitCode
from toolgen.cli.output import say
from toolgen.cli.page_server import serve_page
from toolgen.cli.parser import add_against, add_flag
from toolgen.cli.today import today
from toolgen.documents.catalogue import ProjectCatalogue
from toolgen.documents.site import INDEX, write_site
from toolgen.project import UnableError


def arguments(parser: argparse.ArgumentParser) -> None:
    from toolgen.serving.command import add_server_flags

    kind = parser.add_mutually_exclusive_group(required=True)
    kind.add_argument("--out", metavar="DIR", help="write the page to this folder, which is created")
    add_flag(kind, "--serve", "serve the page with calls of the tools, until ^C")
    add_against(parser, "show what changed since this version, as `toolgen breaking` finds it")
    add_flag(parser, "--implementations", "with --serve: call the implementations, and not mocks")
    add_server_flags(parser, is_http=True)


def run(args: argparse.Namespace) -> bool | ExitCode:
    if args.serve:
        return serve_page(args, args.against, implementations=args.implementations)
    if args.implementations:
        raise UnableError("usage", "--implementations needs --serve: files call nothing")
    _write(args)
    return True


def _write(args: argparse.Namespace) -> None:
    catalogue = ProjectCatalogue(args.start)
    if args.against is not None:
        say(*(f"toolgen: {note}" for note in catalogue.compare(args.against, today()).notes))
    document = catalogue.read()
    write_site(args.out, args.start, document)
    say(f"wrote {args.out}: {count(len(document['tools']), 'tool')}; open {args.out}/{INDEX}")
