"""What a turn teaches: two lanes of candidates, each judged by the gate, after the answer is stored."""
