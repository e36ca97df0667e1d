"""The only code that talks to model APIs; knows nothing of the domain."""
