"""The picture of a person and the notes about them, for that person to read and change."""
