"""Which template was a page made from?"""

from pagedrift.which_template.budget import TemplateBudget, TemplateCount
from pagedrift.which_template.classify import Conflict, TemplateClassifier, TemplateMatch
from pagedrift.which_template.cluster import Cluster, TemplateClusterer
from pagedrift.which_template.fingerprint import (
    DEFAULT,
    FINGERPRINTS,
    Algorithm,
    Fingerprint,
    fingerprint,
    same_template,
)
from pagedrift.which_template.frame import Frame, FrameChange, FrameNode, frame
from pagedrift.which_template.index import KnownFingerprint, TemplateIndex
from pagedrift.which_template.similarity import SIMILARITIES, Similarity, SimilarityClassifier

__all__ = [
    "DEFAULT",
    "FINGERPRINTS",
    "SIMILARITIES",
    "Algorithm",
    "Cluster",
    "Conflict",
    "Fingerprint",
    "Frame",
    "FrameChange",
    "FrameNode",
    "KnownFingerprint",
    "Similarity",
    "SimilarityClassifier",
    "TemplateBudget",
    "TemplateClassifier",
    "TemplateClusterer",
    "TemplateCount",
    "TemplateIndex",
    "TemplateMatch",
    "fingerprint",
    "frame",
    "same_template",
]
