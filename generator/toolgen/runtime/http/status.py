"""Error codes for HTTP statuses (https://www.rfc-editor.org/rfc/rfc9110#section-15)."""

from __future__ import annotations

from typing import Final

NAMES: Final = {
    "400": "bad_request",
    "401": "unauthorized",
    "402": "payment_required",
    "403": "forbidden",
    "404": "not_found",
    "405": "method_not_allowed",
    "406": "not_acceptable",
    "408": "request_timeout",
    "409": "conflict",
    "410": "gone",
    "411": "length_required",
    "412": "precondition_failed",
    "413": "content_too_large",
    "414": "uri_too_long",
    "415": "unsupported_media_type",
    "421": "misdirected_request",
    "422": "unprocessable_content",
    "423": "locked",
    "424": "failed_dependency",
    "425": "too_early",
    "428": "precondition_required",
    "429": "too_many_requests",
    "431": "header_fields_too_large",
    "451": "unavailable_for_legal_reasons",
    "500": "internal_server_error",
    "501": "not_supported_by_server",
    "502": "bad_gateway",
    "503": "service_unavailable",
    "504": "gateway_timeout",
    "507": "insufficient_storage",
    "4XX": "client_error",
    "5XX": "server_error",
    "DEFAULT": "http_error",
}
"""Status, or range of statuses, as an OpenAPI document writes it → code of the error."""

RETRYABLE: Final = frozenset(
    (
        "request_timeout",
        "too_early",
        "too_many_requests",
        "internal_server_error",
        "bad_gateway",
        "service_unavailable",
        "gateway_timeout",
        "server_error",
    )
)
"""Codes of temporary errors: the same call may succeed later."""
