"""Values and definitions pass through toolgen unchanged: a part of `make corpus`."""
