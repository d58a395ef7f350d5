"""How much of a page changed?"""

from pagedrift.how_much.compared_words import MetricOptions
from pagedrift.how_much.cosine import Frequencies
from pagedrift.how_much.extended import Extended
from pagedrift.how_much.metrics import METRICS, Measures, measure

__all__ = ["METRICS", "Extended", "Frequencies", "Measures", "MetricOptions", "measure"]
