"""An export read back and checked, before anything is written."""
