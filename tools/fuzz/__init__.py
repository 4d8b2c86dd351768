"""`make fuzz`: hostile input for every entry point of toolgen."""
