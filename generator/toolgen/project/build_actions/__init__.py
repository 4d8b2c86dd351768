"""Single actions of a build system: the files that they declare, and the pieces that they exchange."""
