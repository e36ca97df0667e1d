"""What an export holds, made part of a person's memory."""
