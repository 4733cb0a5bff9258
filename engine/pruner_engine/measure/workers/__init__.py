"""The processes that build and run, and the messages by which they are told what."""
