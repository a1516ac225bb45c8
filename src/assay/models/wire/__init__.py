"""Wire formats of endpoints: bodies out, responses in, and what errors mean."""
