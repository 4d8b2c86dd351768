"""What the gallery's tools do, in plain functions without generated code and without toolgen."""
