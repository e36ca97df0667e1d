"""What an operator sees and does: health, work, vectors, agents, money, and what was learned."""
