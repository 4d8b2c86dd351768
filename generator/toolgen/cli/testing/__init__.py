"""`toolgen test`: run the tests of implementations, and update what is expected."""
