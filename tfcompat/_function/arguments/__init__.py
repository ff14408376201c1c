"""Arguments of decorated functions: their types, the keys of traces, the sizes that they leave open."""
