import sys
from pathlib import Path

from tests.does_it_matter.golden import write

write(Path(sys.argv[1]))
