"""Evidence of a change: both captures, what differs, and hashes of everything, signed, in one WACZ file."""
