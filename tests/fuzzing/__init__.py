"""Every parser of what stands on a shelf or comes from outside, and inputs that are bad for them."""
