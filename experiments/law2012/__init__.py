"""Structural and Visual Similarity Learning for Web Page Archiving (Law et al. 2012), beside ours."""
