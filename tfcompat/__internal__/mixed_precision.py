"""`tf.__internal__.mixed_precision`: how optimizers are wrapped to scale the loss."""

from tfcompat._keras.registration import register_loss_scale_wrapper

__all__ = ["register_loss_scale_wrapper"]
