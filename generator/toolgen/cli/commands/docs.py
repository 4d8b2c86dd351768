"""Make a page about the tools, for people who review, try and share them. Runs no code of the project.

The page shows each tool as models read it: parameters, examples, errors, consent with its question, sizes,
what each provider's dialect loses, and with --against what changed. With --out it is written as files that
need no server and no network.
"""

from __future__ import annotations

import argparse

from toolgen.cli.output import say
from toolgen.suggestions import count


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--out", metavar="DIR", help="write the page to this folder, which is created")
    parser.add_argument(
        "--against",
        metavar="REF|DIR|FILE|URL|COMMAND",
        help="show what changed since this version, as `toolgen breaking` finds it",
    )


def run(args: argparse.Namespace) -> bool:
    from toolgen.cli.today import today
    from toolgen.documenting.output import write_site
    from toolgen.documenting.project_catalogue import read_catalogue
    from toolgen.documenting.site import static_site
    from toolgen.project import UnableError

    if args.out is None:
        raise UnableError("usage", "nothing to do", "toolgen docs --out DIR writes the page")
    found = read_catalogue(args.start, against=args.against, today=today())
    say(*(f"toolgen: {note}" for note in found.notes))
    write_site(args.out, args.start, static_site(found.document))
    say(f"wrote {args.out}: {count(len(found.document['tools']), 'tool')}; open {args.out}/index.html")
    return True
