"""What changed between two schemas, and which of it breaks somebody."""
