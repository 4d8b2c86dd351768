"""Recorded outcomes: how calls end beyond what a spec says, in reviewed files beside the fixtures."""
