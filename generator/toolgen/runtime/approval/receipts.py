"""Receipts: a line of JSON for each signature, written and synced before the signature counts.

Each has all that is needed to verify it without this package. It proves that a person approved, neither that
the act was done nor that no line is missing.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from toolgen.base.files import read_named

from .signature import Act, NotVerifiedError, Signature, verify


def append_receipt(path: Path, act: Act, signature: Signature) -> None:
    """Append a receipt, and return when it is on the disk. Raises OSError."""
    line = json.dumps({"act": act.text, "digest": act.digest, **asdict(signature)}) + "\n"
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


def read_receipts(path: Path) -> Iterator[tuple[int, Act, Signature | NotVerifiedError]]:
    """Yield the lines of a file of receipts, with their numbers: the act, and its signature if it verifies.

    Raises OSError.
    """
    for number, line in enumerate(read_named(str(path)).splitlines(), 1):
        act = Act("{}")
        try:
            fields = json.loads(line)
            act, digest = Act(fields.pop("act")), fields.pop("digest")
            signature = Signature(**fields)
            if act.digest != digest:
                raise NotVerifiedError("the digest is not that of the act")
            content = act.content
            if signature.approver not in content["approvers"]:
                raise NotVerifiedError(f"{signature.approver} is none of the approvers of the act")
            if signature.time >= content["expires"]:
                raise NotVerifiedError("it was signed after the approval had expired")
            verify(act, signature)
            yield number, act, signature
        except NotVerifiedError as error:
            yield number, act, error
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            what = re.sub(r"^\w+\.__init__\(\) ", "", str(error))
            yield number, act, NotVerifiedError(f"this is not a receipt: {what}")
