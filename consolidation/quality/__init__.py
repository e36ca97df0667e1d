"""How well memory serves: daily measures and their charts."""
