"""Loops of a kernel in another form, before they are lowered: parted, in registers, or fewer of them."""
