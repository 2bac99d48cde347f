"""Players that are programs: each sees what its seat sees and answers with a command."""
