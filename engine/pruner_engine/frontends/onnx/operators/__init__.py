"""Operators of ONNX that TVM's importer lacks or has wrong, in others that it has right."""
