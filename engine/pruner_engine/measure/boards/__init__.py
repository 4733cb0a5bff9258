"""Other machines that measure: how they are found, asked, and served."""
