"""Typed clients of published servers, run and checked: `make clients`."""
