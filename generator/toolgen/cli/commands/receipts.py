"""Verify the receipts of calls that people signed (`proof: person`), offline: exit 1 if one does not verify.

FILE has a line for each signature, as servers write it (TOOLGEN_RECEIPTS). A receipt proves that a key signed
an act; --approvers FILE, the reviewed one, says whose keys count. Prints a line for each act, and each fault.
"""

from __future__ import annotations

import argparse
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from toolgen.base.files import read_named
from toolgen.cli.output import emit, emit_json, say
from toolgen.cli.parser import add_format
from toolgen.project.files.reading import file_errors


@dataclass(slots=True)
class _SignedAct:
    """An act, and what its receipts say."""

    tool: str
    digest: str
    quorum: int
    line: int  # of its first receipt
    people: dict[str, str] = field(default_factory=dict)  # name → public key
    time: str = ""  # of the last signature

    @property
    def signers(self) -> int:
        """How many different people signed: one key under two names is one person."""
        return len(set(self.people.values()))


def arguments(parser: argparse.ArgumentParser) -> None:
    kinds = parser.add_subparsers(dest="kind", metavar="verify", required=True, prog=parser.prog)
    verify = kinds.add_parser("verify", help="verify receipts", description=__doc__)
    verify.add_argument("file", metavar="FILE", help="the receipts")
    verify.add_argument("--approvers", metavar="FILE", help="the people whose keys count, as reviewed")
    add_format(verify)
    parser.set_defaults(kinds={"verify": verify})


def run(args: argparse.Namespace) -> bool:
    with file_errors(Path(args.start), "read", args.file):
        acts, faults = _verify(
            Path(args.start, args.file), args.approvers and Path(args.start, args.approvers)
        )
    if args.format == "json":
        emit_json({"acts": [asdict(each) for each in acts], "faults": faults})
    else:
        for each in acts:
            emit(f"{each.tool}: signed by {', '.join(each.people)}, {each.time}, act {each.digest}")
        emit(*(f"{args.file}:{fault['line']}: {fault['message']}" for fault in faults))
    if args.approvers is None:
        say("the keys are not compared with reviewed ones: --approvers FILE does", always=True)
    return not faults


def _verify(path: Path, approvers_path: Path | None) -> tuple[list[_SignedAct], list[dict[str, str | int]]]:
    """Return the acts with signatures that verify, and the faults. Raises OSError and SettingError."""
    from toolgen.runtime.approval.approvers import Approvers  # of the extra `approval`
    from toolgen.runtime.approval.receipts import read_receipt
    from toolgen.runtime.approval.signature import NotVerifiedError

    entries = None if approvers_path is None else Approvers.read(str(approvers_path)).entries
    keys = {(each.id, each.name, each.public_key, each.rp_id) for each in entries or ()}
    acts: dict[str, _SignedAct] = {}
    faults: list[dict[str, str | int]] = []
    for line, text in enumerate(read_named(str(path)).splitlines(), 1):
        try:
            found, act = read_receipt(text)
            key = (found.credential_id, found.approver, found.public_key, act.rp_id)
            if entries is not None and key not in keys:
                raise NotVerifiedError(f"{found.approver} has no such key in {approvers_path}")
        except NotVerifiedError as error:
            faults.append({"line": line, "message": str(error)})
            continue
        signed = acts.setdefault(found.digest, _SignedAct(act.tool, found.digest, act.quorum, line))
        signed.people[found.approver] = found.public_key
        signed.time = datetime.fromtimestamp(found.time, UTC).isoformat(timespec="seconds")
    for each in acts.values():
        if each.signers < each.quorum:
            message = f"{each.tool} was signed by {each.signers} of the {each.quorum} people it needs"
            faults.append({"line": each.line, "message": message})
    return [*acts.values()], faults
