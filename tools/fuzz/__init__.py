"""`make fuzz`: hostile input for every door of toolgen. The parts are in `PARTS` of `__main__`."""
