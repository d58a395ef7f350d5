"""The law: a script that is applied to the old page gives the new one."""

import gzip

from hypothesis import given
from hypothesis import strategies as st

from pagedrift import PageVersion
from pagedrift.facets.tree import read_tree
from pagedrift.what_changed import diff_trees, patch_tree
from tests.strategies import pages

BLOCKS = st.sampled_from(
    [
        "<p>A permit costs <b>$120</b> and takes a week",
        "<p>a</p>",
        "<p>b</p>",
        "<ul><li>one<li>two<li>three</ul>",
        "<div class=card id=c1><h2>Roof</h2><a href=/roof>More about roofs</a></div>",
        "<div class=card><h2>Fence</h2><a href=/fence>More about fences</a></div>",
        "<table><tr><td>1<td>2<tr><td>3<td>4</table>",
        "<img src=a.png alt=A>",
        "<!-- note -->",
        "text ",
        "<section>",
        "</section>",
        "<div>",
        "</div>",
        "<svg><path d=M0/></svg>",
    ]
)
sources = st.one_of(
    st.lists(BLOCKS, max_size=12).map("".join), pages.map(lambda page: page.decode("utf-8", "replace"))
)


@given(sources, sources)
def test_a_script_rebuilds_the_new_page(one: str, other: str) -> None:
    old, new = read_tree(one), read_tree(other)

    assert patch_tree(old, diff_trees(old, new)) == new


@given(sources)
def test_a_page_compared_with_itself_has_an_empty_script(source: str) -> None:
    assert len(diff_trees(read_tree(source), read_tree(source))) == 0


@given(sources, sources)
def test_the_same_pages_give_the_same_script(one: str, other: str) -> None:
    old, new = read_tree(one), read_tree(other)

    assert diff_trees(old, new) == diff_trees(read_tree(one), read_tree(other))


def test_scripts_between_real_versions_rebuild_the_new_ones(data) -> None:
    for folder in sorted((data / "pairs").iterdir()):
        if not folder.is_dir():
            continue
        old, new = (
            PageVersion("https://a.example/", gzip.decompress((folder / f"{side}.html.gz").read_bytes())).tree
            for side in "ab"
        )
        assert patch_tree(old, diff_trees(old, new)) == new, folder.name
