"""`tf.__internal__.dispatch`: handlers of libraries for the arguments that functions refuse."""

from tfcompat._keras.dispatcher import GlobalOpDispatcher, OpDispatcher, add_dispatch_support

__all__ = ["GlobalOpDispatcher", "OpDispatcher", "add_dispatch_support"]
