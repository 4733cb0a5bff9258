"""What a program takes and gives: its inputs, their open sizes, its state, its results."""
