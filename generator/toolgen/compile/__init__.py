"""Verbs: one pure public function per file; no step imports another."""
