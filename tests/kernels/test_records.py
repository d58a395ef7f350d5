"""Values made by their fields are those that their classes make."""

from dataclasses import FrozenInstanceError, dataclass

import pytest

from pagedrift._kernels import records_py

records_cy = pytest.importorskip("pagedrift._kernels.records_cy", reason="the native kernels are not built")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fee:
    """A value of two fields."""

    name: str
    amount: int


@pytest.mark.parametrize("twin", [records_py, records_cy])
def test_a_value_made_by_its_fields_is_the_one_that_its_class_makes(twin) -> None:
    made = twin.make_record(Fee, ("name", "amount"), ("Fence", 40))

    assert (made, repr(made)) == (Fee(name="Fence", amount=40), "Fee(name='Fence', amount=40)")
    with pytest.raises(FrozenInstanceError):
        made.amount = 45


@pytest.mark.parametrize("twin", [records_py, records_cy])
def test_every_field_needs_a_value(twin) -> None:
    with pytest.raises(ValueError, match=r"value|argument"):
        twin.make_record(Fee, ("name", "amount"), ("Fence",))
