"""Fingerprints for Hypothesis: near each other, and of every length."""

from hypothesis import strategies as st

from pagedrift import Fingerprint
from pagedrift.which_template.lzw import LENGTH

# A reference leads to an earlier entry. Few different ones, so that many fingerprints are near each other.
references = st.lists(st.integers(0, 2), max_size=LENGTH).map(
    lambda numbers: bytes(min(at, number) for at, number in enumerate(numbers))
)


@st.composite
def crowds(draw: st.DrawFn) -> list[bytes]:
    """Draw fingerprints and some that are one or two edits away from them."""
    crowd = draw(st.lists(references, min_size=1, max_size=6))
    for _ in range(draw(st.integers(0, 12))):
        one = bytearray(draw(st.sampled_from(crowd)))
        at = draw(st.integers(0, max(0, len(one) - 1)))
        number = min(at, draw(st.integers(0, 3)))
        edit = draw(st.sampled_from("edit put take".split()))
        if edit == "put" and len(one) < LENGTH:
            one.insert(at, number)
        elif edit == "take":
            del one[at : at + 1]
        elif one:
            one[at] = number
        crowd.append(bytes(min(at, number) for at, number in enumerate(one)))
    return crowd


fingerprints = references.map(lambda numbers: Fingerprint("lzw", numbers))
