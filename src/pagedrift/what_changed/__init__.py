"""What changed between two versions of a page?"""

from pagedrift.what_changed.patch import patch, patch_tree
from pagedrift.what_changed.script import diff, diff_trees

__all__ = ["diff", "diff_trees", "patch", "patch_tree"]
