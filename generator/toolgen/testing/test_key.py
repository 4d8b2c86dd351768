"""A key that signs approvals as a person's security key would, for tests of tools with `proof: person`.

Example:
    key = TestKey.make()
    approvers.write_text(key.entry("ann", groups=["finance"]))
    approval = await toolkit.approvals.get(id)
    await toolkit.approvals.sign(id, key.sign(approval.digest, "http://localhost:8000"))
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, ClassVar

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from toolgen.runtime.approval.approvers import Approver
from toolgen.runtime.approval.base64url import encode
from toolgen.schema.document import JsonObject

_PRESENT_AND_VERIFIED = 0x01 | 0x04  # https://www.w3.org/TR/webauthn-3/#authdata-flags


@dataclass(frozen=True, slots=True)
class TestKey:
    """A software authenticator with one key (ES256). It asks nobody: never add its entry to a real file."""

    __test__: ClassVar = False  # pytest collects classes named Test…
    private_key: ec.EllipticCurvePrivateKey
    credential_id: bytes
    rp_id: str

    @classmethod
    def make(cls, rp_id: str = "localhost") -> TestKey:
        """Return a new key for the site `rp_id`."""
        return cls(ec.generate_private_key(ec.SECP256R1()), secrets.token_bytes(16), rp_id)

    def entry(self, name: str, groups: Iterable[str] = ()) -> str:
        """Return the `[[approver]]` entry of the key, as TOML."""
        public_key = self.private_key.public_key().public_bytes(
            Encoding.DER, PublicFormat.SubjectPublicKeyInfo
        )
        credential_id, key = encode(self.credential_id), encode(public_key)
        made = Approver(name=name, groups=[*groups], id=credential_id, public_key=key, rp_id=self.rp_id)
        return made.entry()

    def sign(
        self, digest: str, origin: str, *, counter: int = 0, flags: int = _PRESENT_AND_VERIFIED, **client: Any
    ) -> JsonObject:
        """Return what a browser sends to the approval page: an `AuthenticationResponseJSON`.

        Args:
            digest: that of the act, base64url: the challenge.
            origin: of the page.
            counter: the key's counter of signatures; 0 if it has none, as passkeys.
            flags: of the authenticator data.
            **client: fields of the client data to add or replace.
        """
        made = {"type": "webauthn.get", "challenge": digest, "origin": origin, "crossOrigin": False}
        client_data = json.dumps(made | client, separators=(",", ":")).encode()
        data = sha256(self.rp_id.encode()).digest() + bytes([flags]) + counter.to_bytes(4, "big")
        signature = self.private_key.sign(data + sha256(client_data).digest(), ec.ECDSA(hashes.SHA256()))
        return {
            "id": encode(self.credential_id),
            "rawId": encode(self.credential_id),
            "type": "public-key",
            "response": {
                "authenticatorData": encode(data),
                "clientDataJSON": encode(client_data),
                "signature": encode(signature),
            },
            "clientExtensionResults": {},
        }
