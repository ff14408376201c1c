"""`tf.__internal__.saved_model`: classes of objects in SavedModels."""

from tfcompat.__internal__.saved_model import load

__all__ = ["load"]
