"""The edits between two schemas, and which of them break somebody."""
