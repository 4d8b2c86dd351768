"""The people who may approve calls, and their public keys: a reviewed file of `[[approver]]` tables."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from typing import Annotated, TypeAlias

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, EllipticCurvePublicKey
from cryptography.hazmat.primitives.serialization import load_der_public_key
from pydantic import AfterValidator, BaseModel, Field

from toolgen.runtime.operator_file import read_operator_file
from toolgen.runtime.settings import SettingError

from .base64url import Base64Url, decode

_Name: TypeAlias = Annotated[str, Field(pattern=r"\S")]


def public_key_of(text: str) -> EllipticCurvePublicKey:
    """Return the key in a SubjectPublicKeyInfo in base64url. Raises ValueError if it is no ES256 key."""
    try:
        key = load_der_public_key(decode(text))
    except (ValueError, UnsupportedAlgorithm):
        raise ValueError("not a SubjectPublicKeyInfo in DER, as base64url") from None
    if not isinstance(key, EllipticCurvePublicKey) or not isinstance(key.curve, SECP256R1):
        raise ValueError("not a key for ES256 (P-256)")
    return key


def _checked(text: str) -> str:
    public_key_of(text)
    return text


class Approver(BaseModel, extra="forbid", strict=True, frozen=True):
    """One key of a person: a table of the file. Bytes are base64url, as WebAuthn writes them."""

    name: _Name  # one name is one person, however many keys
    groups: list[_Name] = []
    id: Base64Url = Field(min_length=1)  # of the credential
    public_key: Annotated[str, AfterValidator(_checked)]  # SubjectPublicKeyInfo in DER (RFC 5280, 4.1.2.7)
    rp_id: str = Field(min_length=1)  # the host of the pages that the key signs for

    def entry(self) -> str:
        """Return the table of the file, as TOML."""
        # a basic string of TOML is one of JSON, apart from DEL
        lines = (
            f"{name} = {json.dumps(value, ensure_ascii=False)}\n" for name, value in self.model_dump().items()
        )
        return "[[approver]]\n" + "".join(lines).replace("\x7f", "\\u007f")


class _Tables(BaseModel, extra="forbid"):
    approver: list[Approver] = []


@dataclass(frozen=True, slots=True)
class Approvers:
    """The keys of a file, as it was when it was read."""

    entries: Collection[Approver] = ()  # one for each key
    sha256: str | None = None  # of the file, hexadecimal; None if there is no file

    @classmethod
    def read(cls, path: str) -> Approvers:
        """Read a file of approvers. Raises SettingError."""
        tables, _, data = read_operator_file("--approvers", path, _Tables)
        entries = tables.approver
        twice = [each for each, count in Counter(entry.id for entry in entries).items() if count > 1]
        if twice:
            raise SettingError(f"--approvers: {path} has the key {twice[0]} twice")
        groups = {group for entry in entries for group in entry.groups}
        if both := sorted(groups & {entry.name for entry in entries}):
            raise SettingError(f"--approvers: in {path}, {both[0]!r} is a name and a group")
        return cls(entries, hashlib.sha256(data).hexdigest())

    def eligible(self, wanted: Collection[str], rp_id: str) -> list[Approver]:
        """Return the keys for pages of a host, of the people and groups in `wanted`; empty: of all."""
        return [
            entry
            for entry in self.entries
            if entry.rp_id == rp_id
            and (not wanted or not set(wanted).isdisjoint([entry.name, *entry.groups]))
        ]
