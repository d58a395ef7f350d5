"""Which template was a page made from?"""

from pagedrift.which_template.classify import Conflict, Match, TemplateClassifier
from pagedrift.which_template.cluster import Cluster, TemplateClusterer
from pagedrift.which_template.fingerprint import (
    DEFAULT,
    FINGERPRINTS,
    Algorithm,
    Fingerprint,
    fingerprint,
    same_template,
)
from pagedrift.which_template.index import Known, TemplateIndex

__all__ = [
    "DEFAULT",
    "FINGERPRINTS",
    "Algorithm",
    "Cluster",
    "Conflict",
    "Fingerprint",
    "Known",
    "Match",
    "TemplateClassifier",
    "TemplateClusterer",
    "TemplateIndex",
    "fingerprint",
    "same_template",
]
