"""Sliding windows over images: convolutions, pooling, morphology and patches."""
