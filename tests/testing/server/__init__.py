"""Tests of `toolgen test --against`."""
