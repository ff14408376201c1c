"""Files, and the formats of images and sound in them."""
