"""The trials of a run as pages show them: found, searched, read in full, and every text made fit to be seen."""
