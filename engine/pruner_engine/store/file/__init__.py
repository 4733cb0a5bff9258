"""The project file as a file: who may write it, whether it is still there, what reading one takes."""
