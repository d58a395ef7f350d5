"""Collections too large for one machine: the same questions, asked by Spark."""
