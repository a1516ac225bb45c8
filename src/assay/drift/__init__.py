"""One candidate over time: what changed between its evaluations, whether that can be chance, and how old its numbers are."""
