"""Boosters that maximise the margin, most of them by weighing all members anew every round."""
