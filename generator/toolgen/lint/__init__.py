"""Second looks: what a spec's shape cannot say. One subject per file; each yields diagnostics."""
