"""Other systems' results, read and compared."""
