"""The steps of the compiler: one public function per module; no step imports another."""
