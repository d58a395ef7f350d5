"""Build the native kernels where a C compiler is present; install without them where none is."""

from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

kernels = [
    Extension(
        "pagedrift._kernels." + path.stem,
        [str(path)],
        depends=[str(header) for header in sorted(path.parent.glob("*.h"))],
        optional=True,  # a failed compile leaves the Python twin, which is slower and gives the same answers
    )
    for path in sorted(Path("src/pagedrift/_kernels").glob("*_cy.pyx"))
]
setup(
    ext_modules=cythonize(
        kernels,
        compiler_directives={
            "language_level": "3",
            "boundscheck": False,
            "wraparound": False,
            "cdivision": True,
            "initializedcheck": False,
            "binding": False,  # plain built-in functions, which are cheaper to call
        },
    )
)
