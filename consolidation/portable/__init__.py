"""All that is known of a person, as files that they can read and take along."""
