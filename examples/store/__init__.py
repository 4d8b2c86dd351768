"""What the gallery's tools do, in plain functions: no generated code, no toolgen, tested by themselves."""
