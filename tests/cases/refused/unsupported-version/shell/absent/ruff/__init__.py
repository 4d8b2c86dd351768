"""An old version, which has no find_ruff_bin."""
