"""The tuning loop: which task next, which candidates to measure, what to learn from them."""
