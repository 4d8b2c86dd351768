"""Receipts: a line of JSON for each signature, written and synced before the signature counts.

Each has all that is needed to verify it without this package. It proves that a person approved, neither that
the act was done nor that no line is missing.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

from pydantic import BaseModel, ValidationError

from .signature import NotVerifiedError, Signature, digest_of, verify


class Receipt(Signature, frozen=True):
    """A signature, and the act that it is under."""

    act: str
    digest: str


class ReceiptAct(BaseModel, strict=True):
    """The parts of an act that its receipts are compared with."""

    tool: str
    approvers: list[str]
    quorum: int
    rp_id: str
    expires: float


def append_receipt(path: Path, act: str, signature: Signature) -> None:
    """Append a receipt, and return when it is on the disk. Raises OSError."""
    line = json.dumps({"act": act, "digest": digest_of(act), **signature.model_dump()}) + "\n"
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
    with open(descriptor, "r+b", buffering=0) as file:
        size = file.seek(0, os.SEEK_END)
        # a process that died may have written a part of a line
        begins = size == 0 or os.pread(descriptor, 1, size - 1) == b"\n"
        data = (line if begins else f"\n{line}").encode()
        if file.write(data) != len(data):
            raise OSError(f"{path} is full")
        os.fsync(descriptor)


def read_receipt(line: bytes) -> tuple[Receipt, ReceiptAct]:
    """Return a receipt that verifies, and its act. Raises NotVerifiedError."""
    try:
        receipt = Receipt.model_validate_json(line)
        act = ReceiptAct.model_validate_json(receipt.act)
    except ValidationError as error:
        fault = error.errors(include_input=False)[0]
        where = ".".join(map(str, fault["loc"]))
        raise NotVerifiedError(f"this is not a receipt: {where or 'the line'}: {fault['msg']}") from None
    if digest_of(receipt.act) != receipt.digest:
        raise NotVerifiedError("the digest is not that of the act")
    if receipt.approver not in act.approvers:
        raise NotVerifiedError(f"{receipt.approver} is none of the approvers of the act")
    if receipt.time >= act.expires:
        raise NotVerifiedError("it was signed after the approval had expired")
    verify(receipt.act, receipt)
    return receipt, act
