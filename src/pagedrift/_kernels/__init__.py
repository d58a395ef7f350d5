"""The loops that must run at memory speed, each written twice: `*_py` to read, `*_cy` to run.

`PAGEDRIFT_KERNELS=python` forces the first; both give the same answers.
"""

import os
import warnings

if os.environ.get("PAGEDRIFT_KERNELS") == "python":
    NATIVE = False
else:
    try:
        from pagedrift._kernels import scan_cy as _probe  # noqa: F401

        NATIVE = True
    except ImportError:
        NATIVE = False
        warnings.warn(
            "Pagedrift runs on its Python kernels, which are some hundred times slower; for the fast ones install"
            " a C compiler (apt-get install gcc python3-dev) and then: pip install --force-reinstall --no-cache-dir"
            " --no-deps pagedrift (PAGEDRIFT_KERNELS=python silences this)",
            RuntimeWarning,
            stacklevel=2,
        )

if NATIVE:
    from pagedrift._kernels.hashing_cy import hash_bytes
    from pagedrift._kernels.scan_cy import name_id, scan
    from pagedrift._kernels.tree_cy import TreeBuilder
else:
    from pagedrift._kernels.hashing_py import hash_bytes
    from pagedrift._kernels.scan_py import name_id, scan
    from pagedrift._kernels.tree_py import TreeBuilder

__all__ = ["NATIVE", "TreeBuilder", "hash_bytes", "name_id", "scan"]
