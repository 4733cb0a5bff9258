"""Products of small numbers as products of the words that hold several of them."""
