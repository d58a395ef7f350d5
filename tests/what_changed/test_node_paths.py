"""Paths are written when they are asked for, and are values all the same."""

import copy
import pickle
from dataclasses import asdict

from pagedrift.facets.tree import read_tree
from pagedrift.what_changed import diff_trees
from pagedrift.what_changed.actions import Path

OLD = "<main id=m><section class='fees wide'><table><tr><td>1<td>2<tr><td>3<td>4</table></section><p>a<p>b</main>"


def first_step():
    (step,) = diff_trees(read_tree(OLD), read_tree(OLD.replace("4", "5")))
    return step


def test_a_path_tells_where_a_node_stands() -> None:
    assert first_step().new == Path(
        "main#m › section.fees › table › tr[2] › td[2]",
        "/html[1]/body[1]/main[1]/section[1]/table[1]/tbody[1]/tr[2]/td[2]/text()[1]",
    )


def test_paths_are_equal_hashed_and_shown_by_what_they_say() -> None:
    path = first_step().new
    written = Path(path.readable, path.exact)

    assert path == written == first_step().new
    assert hash(path) == hash(written)
    assert repr(path) == repr(written)
    assert path != Path(path.readable, "/")


def test_steps_can_be_copied_pickled_and_made_dictionaries() -> None:
    step = first_step()

    assert pickle.loads(pickle.dumps(step)) == step == copy.deepcopy(step)
    assert asdict(step)["new"] == {"readable": step.new.readable, "exact": step.new.exact}


def test_the_same_change_has_the_same_id_whatever_else_changes() -> None:
    (step,) = diff_trees(read_tree(OLD), read_tree(OLD.replace("4", "5")))
    both = diff_trees(read_tree(OLD), read_tree(OLD.replace("4", "5").replace("<p>b", "<p>c")))

    assert step.id in {other.id for other in both}
    assert len({other.id for other in both}) == len(both) == 2


def test_a_readable_path_begins_at_the_nearest_id_that_is_there_once() -> None:
    page = "<div class=a><main id=m><p>a<p id=x>b<i>{}</i></main></div><p id=twice>c<p id=twice><b>{}</b>"
    steps = diff_trees(read_tree(page.format(1, 2)), read_tree(page.format(3, 4)))

    assert [step.new.readable for step in steps] == ["p#x › i", "p#twice[2] › b"]
