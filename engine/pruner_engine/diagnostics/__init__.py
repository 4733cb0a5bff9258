"""What is wrong: checks of an installation, and reports of the product's own errors."""
