"""Surfaces translate and decide nothing."""
