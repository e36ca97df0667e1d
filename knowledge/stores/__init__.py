"""Where learned records are kept: in the database, or in this process alone."""
