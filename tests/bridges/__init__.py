"""The bridges to agent frameworks. Those with the real frameworks run in `make test-bridges`."""
