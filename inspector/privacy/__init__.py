"""A person decides here what is remembered of them, takes it along, and has it erased."""
