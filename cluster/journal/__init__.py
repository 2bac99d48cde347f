"""The salons' logs: what a log is, and the one that Redis keeps."""
