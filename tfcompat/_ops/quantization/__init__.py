"""Simulated quantization: floating-point numbers rounded to a few levels."""
