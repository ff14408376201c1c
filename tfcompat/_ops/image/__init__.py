"""Images: colours, sizes, boxes and parts."""
