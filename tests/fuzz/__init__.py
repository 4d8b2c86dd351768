"""Tests of the fuzzer (`make fuzz`): a short run, its corpus, and planted bugs that it must find."""
