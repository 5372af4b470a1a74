"""Measuring: requests of a wanted length, times and peaks, where a forward's time goes, what the chip could do."""
