"""The wire format of OpenAI-compatible endpoints: bodies out, responses in, and what errors mean."""
