"""The five systems that toolgen unites: one module each, each claim a named test."""
