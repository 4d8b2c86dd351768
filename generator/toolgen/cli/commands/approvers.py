"""Make the keys of people who approve calls (`proof: person`): the entry that a page shows, for review.

`add` opens a page on this machine, for keys of localhost, and prints the entry. `invite` prints the address
of the server's own page, for keys of its host. Neither gives power: an entry counts once it is in the
server's file of approvers, which the server's agents must not be able to write.
"""

from __future__ import annotations

import argparse
import asyncio
from typing import Any
from urllib.parse import quote, urlencode

from toolgen.cli.output import emit, say
from toolgen.cli.parser import add_repeated
from toolgen.project import UnableError
from toolgen.runtime.settings import Settings, parse_setting


def arguments(parser: argparse.ArgumentParser) -> None:
    kinds = parser.add_subparsers(dest="kind", metavar="add|invite", required=True, prog=parser.prog)
    add = kinds.add_parser("add", help="make a key on this machine", description=__doc__)
    invite = kinds.add_parser("invite", help="print where somebody makes a key", description=__doc__)
    for each in (add, invite):
        each.add_argument("name", metavar="NAME", help="of the person: one name, however many keys")
        add_repeated(each, "--group", "GROUP", "a group of the person")
    invite.add_argument("--approval-url", metavar="URL", help="as of the server (TOOLGEN_APPROVAL_URL)")
    parser.set_defaults(kinds={"add": add, "invite": invite})


def run(args: argparse.Namespace) -> bool:
    if not all(each.strip() and each.isprintable() for each in (args.name, *args.group)):
        raise UnableError(
            "usage", "NAME and GROUP must be text in one line", "for example: add ann --group finance"
        )
    if args.name in args.group:
        raise UnableError("usage", f"{args.name!r} cannot be a name and a group")
    if args.kind == "invite":
        emit(_address(args))
        say("whoever opens it makes a key, and sends you the entry that the page shows: review and commit it")
        return True
    from toolgen.serving.approval.listener import make_key  # of the extra `approval`

    def announce(url: str) -> None:
        say(f"open {url} to make a key", always=True)

    made: Any = asyncio.run(make_key(args.name, args.group, announce))
    emit(*made.entry().splitlines())
    say("add it to approvers.toml, and let somebody review it: it counts once the server has read it")
    return True


def _address(args: argparse.Namespace) -> str:
    given = args.approval_url
    url = parse_setting("approval_url", given, source="--approval-url") if given else None
    url = url or Settings.from_environment().approval_url
    if url is None:
        hint = "give --approval-url, or TOOLGEN_APPROVAL_URL, as the server has it"
        raise UnableError("usage", "where people open the pages of the server is not known", hint)
    query = [("name", args.name), *(("group", each) for each in args.group)]
    return f"{url}/approvals/enrol?{urlencode(query, quote_via=quote)}"
