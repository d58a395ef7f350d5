"""Does a change matter: should an archive keep this version, should a person be alerted?"""

from pagedrift.does_it_matter.judge import Judgement, judge

__all__ = ["Judgement", "judge"]
