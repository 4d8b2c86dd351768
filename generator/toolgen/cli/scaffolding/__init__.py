"""What `init` and `new` write: starting texts, parameters, the pinned requirement."""
