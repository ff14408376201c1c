"""Signals: transforms, frames and spectra."""
