"""References between schemas: resolved to definitions of shared files, and bundled."""
