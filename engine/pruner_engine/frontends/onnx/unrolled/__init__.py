"""Steps of ONNX files written out one by one: loops, recurrent layers, and the sequences that they fill."""
