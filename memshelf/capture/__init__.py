"""What comes in from the programs that people talk to."""
