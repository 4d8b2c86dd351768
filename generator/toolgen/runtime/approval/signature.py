"""What is approved, the act, and a person's signature under it.

The signature is an assertion of WebAuthn whose challenge is the SHA-256 of the act's text. The library
`webauthn` verifies it. It accepts frames of other origins and lenient base64, and lets errors of its parsers
through: these are refused here. https://www.w3.org/TR/webauthn-3/#sctn-verifying-assertion
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .approvers import public_key_of
from .base64url import decode, encode


class NotVerifiedError(Exception):
    """A signature does not verify. The message is one sentence, without values of the signature."""


@dataclass(frozen=True, slots=True)
class Act:
    """What a person approves.

    `text` is JSON of id, tool, contract, arguments, question, preview, principal, approvers, quorum, origin,
    rp_id and expires. It is written once, and never serialised again.
    """

    text: str

    @classmethod
    def write(cls, content: Mapping[str, Any]) -> Act:
        """Return an act with its text."""
        return cls(json.dumps(content, ensure_ascii=False, separators=(",", ":")))

    @property
    def content(self) -> dict[str, Any]:
        """The act as data."""
        content: dict[str, Any] = json.loads(self.text)
        return content

    @property
    def challenge(self) -> bytes:
        """SHA-256 of the text in UTF-8."""
        return hashlib.sha256(self.text.encode()).digest()

    @property
    def digest(self) -> str:
        """The challenge in base64url."""
        return encode(self.challenge)


@dataclass(frozen=True, slots=True)
class Signature:
    """A signature of one person, with all that is needed to verify it. Bytes are base64url."""

    approver: str
    credential_id: str
    public_key: str  # SubjectPublicKeyInfo in DER
    authenticator_data: str
    client_data_json: str
    signature: str
    time: float  # seconds since the epoch

    @classmethod
    def of(cls, credential: Mapping[str, Any], approver: str, public_key: str) -> Signature:
        """Return the signature in an AuthenticationResponseJSON. Raises ValueError if there is none."""
        response = credential.get("response")
        if not isinstance(response, Mapping) or credential.get("type") != "public-key":
            raise ValueError("the credential is no public key with a response")

        def text(value: Any) -> str:
            if not isinstance(value, str):
                raise ValueError("a part of it is missing")
            decode(value)
            return value

        return cls(
            approver,
            text(credential.get("id")),
            public_key,
            text(response.get("authenticatorData")),
            text(response.get("clientDataJSON")),
            text(response.get("signature")),
            time.time(),
        )


def verify(act: Act, signature: Signature) -> int:
    """Return the authenticator's counter of signatures; 0 if it does not count.

    Raises NotVerifiedError unless the key signed exactly this act, for its origin, after the device had
    checked who holds it. Whether the key may sign is not checked here.
    """
    from webauthn import verify_authentication_response
    from webauthn.helpers import encode_cbor
    from webauthn.helpers.structs import AuthenticationCredential, AuthenticatorAssertionResponse

    content = act.content
    try:
        numbers = public_key_of(signature.public_key).public_numbers()
        # COSE_Key of ES256 (RFC 9053, sections 2.1 and 7.1.1); a coordinate of P-256 has 32 bytes
        key = {1: 2, 3: -7, -1: 1, -2: numbers.x.to_bytes(32), -3: numbers.y.to_bytes(32)}
        client_data = decode(signature.client_data_json)
        data = json.loads(client_data)
        if data.get("crossOrigin", False) is not False or "topOrigin" in data:
            raise NotVerifiedError("it was made in a frame of another site")
        raw_id, response = decode(signature.credential_id), decode(signature.signature)
        made = AuthenticatorAssertionResponse(client_data, decode(signature.authenticator_data), response)
        verified = verify_authentication_response(
            credential=AuthenticationCredential(signature.credential_id, raw_id, made),
            expected_challenge=act.challenge,
            expected_rp_id=content["rp_id"],
            expected_origin=content["origin"],
            credential_public_key=encode_cbor(key),
            credential_current_sign_count=0,  # `Approvals` compares it with that of earlier signatures
            require_user_verification=True,
        )
    except NotVerifiedError:
        raise
    except Exception as error:  # the library raises what its parsers do
        reason = "" if "malformed" in str(error) else f": {error}"
        raise NotVerifiedError(f"it does not verify{reason}") from error
    return verified.new_sign_count
