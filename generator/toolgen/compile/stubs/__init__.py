"""The types of a catalogue of tools, printed for models that write code and for clients."""
