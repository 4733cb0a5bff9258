"""Graphs of programs in a form that TVM's importer has right."""
