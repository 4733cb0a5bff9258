"""Products of small numbers, several to a word, by the instructions that processors have for them."""
