"""Rules about names and types of generated code, which importers of it depend on."""
