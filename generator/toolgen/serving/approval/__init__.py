"""The pages where people approve calls, and the addresses at which they are served (docs/approval.md)."""
