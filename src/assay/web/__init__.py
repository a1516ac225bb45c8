"""Looking at runs: pages as pure functions of what lies on disk and of an address, served live or written as files."""
