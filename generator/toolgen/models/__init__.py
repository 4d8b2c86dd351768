"""What the model engine is given, and how what it prints is held to that."""
