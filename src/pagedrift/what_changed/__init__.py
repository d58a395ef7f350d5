"""What changed between two versions of a page, or in all its versions?"""

from pagedrift.what_changed.actions import EditScript
from pagedrift.what_changed.history import history
from pagedrift.what_changed.introduced import introduced
from pagedrift.what_changed.noise import Noise
from pagedrift.what_changed.patch import patch, patch_tree
from pagedrift.what_changed.script import MATCHERS, diff, diff_trees

__all__ = [
    "MATCHERS",
    "EditScript",
    "Noise",
    "diff",
    "diff_trees",
    "history",
    "introduced",
    "patch",
    "patch_tree",
]
