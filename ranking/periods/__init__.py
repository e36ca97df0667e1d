"""Time in a question: the periods it names, the events it names instead, and how close they are."""
