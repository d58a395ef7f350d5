"""Build the native kernels where a C compiler is present; install without them where none is."""

import os
import sys
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

DIRECTIVES = {
    "language_level": "3",
    "boundscheck": False,
    "wraparound": False,
    "cdivision": True,
    "initializedcheck": False,
    "binding": False,  # plain built-in functions, which are cheaper to call
}


class BuildWhatCanBe(build_ext):
    """A kernel that does not compile leaves its Python twin, which is slower and gives the same answers."""

    def finalize_options(self) -> None:
        """Compile as many at once as there are processors."""
        super().finalize_options()
        self.parallel = self.parallel or os.cpu_count()

    def run(self) -> None:
        """Write the C now, and not where only the sources or the metadata are asked for."""
        processes = (os.cpu_count() or 0) if sys.platform == "linux" else 0  # elsewhere they are not forked
        written = cythonize(self.extensions, nthreads=processes, compiler_directives=DIRECTIVES)
        for kernel, with_c in zip(self.extensions, written, strict=True):
            kernel.sources = with_c.sources
        super().run()

    def build_extension(self, ext: Extension) -> None:
        """Compile one kernel, or say that it was left out; the package itself warns when it is used."""
        try:
            super().build_extension(ext)
        except Exception as error:  # compilers fail in every way
            self.warn(f"{ext.name} is left out: {error}")
            ext.optional = True  # what was not built need not be copied


kernels = [
    Extension(
        "pagedrift._kernels." + path.stem,
        [str(path)],
        extra_compile_args=[] if sys.platform == "win32" else ["-g0"],  # symbols of a debugger are most of the size
        depends=[str(header) for header in sorted(path.parent.glob("*.h"))],
    )
    for path in sorted(Path("src/pagedrift/_kernels").glob("*_cy.pyx"))
]
setup(cmdclass={"build_ext": BuildWhatCanBe}, ext_modules=kernels)
