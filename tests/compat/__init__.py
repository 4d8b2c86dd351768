"""Tests of comparing contracts."""
