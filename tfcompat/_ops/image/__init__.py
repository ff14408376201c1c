"""Images: their colours, sizes, boxes and parts."""
