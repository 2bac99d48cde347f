"""The arena: matches between bots, recorded block by block and spread over Ray workers."""
