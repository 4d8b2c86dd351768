"""Results of earlier runs, and the identity of the generator, on which they depend."""
