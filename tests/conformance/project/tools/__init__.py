"""What the conformance suite calls."""
