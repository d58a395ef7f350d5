"""Was the site redesigned?"""

from pagedrift.redesigned.base import DetectorError
from pagedrift.redesigned.detectors import DETECTORS, RedesignDetector
from pagedrift.redesigned.events import Redesign, TemplateEdit

__all__ = ["DETECTORS", "DetectorError", "Redesign", "RedesignDetector", "TemplateEdit"]
