"""Windows that slide over images: convolutions, pooling, morphology and patches."""
