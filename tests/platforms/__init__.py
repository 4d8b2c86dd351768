"""What Windows and macOS do otherwise, simulated here as far as that can be done."""
