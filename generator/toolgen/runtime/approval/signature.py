"""A person's signature under an act: the JSON text of what is approved, written once, never serialised again.

The signature is an assertion of WebAuthn whose challenge is the SHA-256 of the act's text. The library
`webauthn` verifies it. It accepts frames of other origins and lenient base64, and lets errors of its parsers
through: these are refused here. https://www.w3.org/TR/webauthn-3/#sctn-verifying-assertion
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, Field
from webauthn import verify_authentication_response
from webauthn.helpers import encode_cbor
from webauthn.helpers.structs import AuthenticationCredential, AuthenticatorAssertionResponse

from .approvers import Approver, public_key_of
from .base64url import Base64Url, decode, encode


class NotVerifiedError(Exception):
    """A signature does not verify. The message is one sentence, without values of the signature."""


class Signature(BaseModel, extra="forbid", strict=True, frozen=True):
    """A signature of one person, with all that is needed to verify it."""

    approver: str
    credential_id: Base64Url
    public_key: Base64Url  # SubjectPublicKeyInfo in DER
    authenticator_data: Base64Url
    client_data_json: Base64Url
    signature: Base64Url
    time: float = Field(ge=0, le=253_402_300_799)  # seconds since the epoch, before the year 10000

    @classmethod
    def of(cls, credential: Mapping[str, Any], key: Approver) -> Signature:
        """Return the signature in an AuthenticationResponseJSON. Raises ValueError if there is none."""
        response = credential.get("response")
        given = response if isinstance(response, Mapping) else {}
        return cls.model_validate(
            {
                "approver": key.name,
                "credential_id": key.id,
                "public_key": key.public_key,
                "authenticator_data": given.get("authenticatorData"),
                "client_data_json": given.get("clientDataJSON"),
                "signature": given.get("signature"),
                "time": time.time(),
            }
        )


def digest_of(act: str) -> str:
    """Return SHA-256 of an act's text in UTF-8, as base64url: the challenge."""
    return encode(hashlib.sha256(act.encode()).digest())


def verify(act: str, signature: Signature) -> int:
    """Return the authenticator's counter of signatures; 0 if it does not count.

    Raises NotVerifiedError unless the key signed exactly this act, for its origin, after the device had
    checked who holds it. Whether the key may sign is not checked here.
    """
    try:
        content = json.loads(act)
        numbers = public_key_of(signature.public_key).public_numbers()
        # COSE_Key of ES256 (RFC 9053, sections 2.1 and 7.1.1); a coordinate of P-256 has 32 bytes
        key = {1: 2, 3: -7, -1: 1, -2: numbers.x.to_bytes(32), -3: numbers.y.to_bytes(32)}
        client_data, raw_id = decode(signature.client_data_json), decode(signature.credential_id)
        data = json.loads(client_data)
        if data.get("crossOrigin", False) is not False or "topOrigin" in data:
            raise ValueError("it was made in a frame of another site")
        made = AuthenticatorAssertionResponse(
            client_data, decode(signature.authenticator_data), decode(signature.signature)
        )
        verified = verify_authentication_response(
            credential=AuthenticationCredential(signature.credential_id, raw_id, made),
            expected_challenge=decode(digest_of(act)),
            expected_rp_id=content["rp_id"],
            expected_origin=content["origin"],
            credential_public_key=encode_cbor(key),
            credential_current_sign_count=0,  # `Approvals` compares it with that of earlier signatures
            require_user_verification=True,
        )
    except Exception as error:  # the library raises what its parsers do
        reason = "" if "malformed" in str(error) else f": {error}"
        raise NotVerifiedError(f"it does not verify{reason}") from error
    return verified.new_sign_count
