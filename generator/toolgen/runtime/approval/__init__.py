"""Approvals: calls that people sign with a passkey or a security key (docs/approval.md)."""
