"""The proof that verdicts of `toolgen breaking` hold: pairs of schemas for every edit, attacked by values."""
