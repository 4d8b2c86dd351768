"""Make a page about the tools, for people who review, try and share them.

The page shows each tool as models read it: parameters, examples, errors, consent with its question, sizes,
what each provider's dialect loses, and with --against what changed. Its files need no server and no network;
`toolgen dev` serves it with calls of the tools, and follows the specs. The target `docs` writes Markdown.
"""

from __future__ import annotations

import argparse

from toolgen.base.suggestions import count
from toolgen.cli.output import say
from toolgen.cli.parser import add_against
from toolgen.cli.today import today
from toolgen.documents.catalogue import ProjectCatalogue
from toolgen.documents.site import INDEX, write_site


def arguments(parser: argparse.ArgumentParser) -> None:
    about = "write the page to this folder, which is created"
    parser.add_argument("--out", metavar="DIR", required=True, help=about)
    add_against(parser, "show what changed since this version, as `toolgen breaking` finds it")


def run(args: argparse.Namespace) -> bool:
    catalogue = ProjectCatalogue(args.start)
    if args.against is not None:
        say(*(f"toolgen: {note}" for note in catalogue.compare(args.against, today()).notes))
    document = catalogue.read()
    write_site(args.out, args.start, document)
    say(f"wrote {args.out}: {count(len(document['tools']), 'tool')}; open {args.out}/{INDEX}")
    return True
