"""toolgen beside its peers: `make bench`."""
