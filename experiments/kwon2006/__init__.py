"""S. Y. Kwon, S. H. Lee, S. J. Kim: A Precise Metric for Measuring How Much Web Pages Change (2006)."""
