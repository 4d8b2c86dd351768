"""The fuzzer of `make fuzz`: a short run of it, its corpus, and holes that it must find."""
