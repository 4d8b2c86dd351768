"""`make bench`: measure toolgen and comparable tools."""
