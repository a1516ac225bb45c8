"""Asking no more than is needed: runs that grow until they are sure enough, and races between candidates."""
