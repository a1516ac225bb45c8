"""From measurements to a choice that can be signed: profiles, constraints, trade-offs, records."""
