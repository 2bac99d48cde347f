"""Histories of finished hands, as people and programs read them: PHH and text."""
