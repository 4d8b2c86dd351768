"""The steps of the compiler, in packages in their order; no step imports another."""
