"""A salon and the host that runs it: plain classes that know neither Ray nor Redis."""
