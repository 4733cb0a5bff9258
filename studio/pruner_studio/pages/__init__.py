"""One module a page; a page reads the project file and never keeps a truth of its own."""
