"""Tests of `toolgen test`, its checks and its pytest plugin."""
