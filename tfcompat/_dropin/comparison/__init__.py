"""`python -m tfcompat compare`: runs a script under TensorFlow and here, and compares what both compute."""
