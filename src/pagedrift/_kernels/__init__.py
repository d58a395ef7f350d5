"""The loops that must run at memory speed, each written twice: `*_py` to read, `*_cy` to run.

`PAGEDRIFT_KERNELS=python` forces the first; both give the same answers.
"""

import importlib
import os
import warnings
from typing import TYPE_CHECKING


def _is_native() -> bool:
    """Return whether the compiled kernels are there and wanted; say how to get them where they are missing."""
    if os.environ.get("PAGEDRIFT_KERNELS") == "python":
        return False
    try:
        importlib.import_module("pagedrift._kernels.scan_cy")
    except ImportError:
        warnings.warn(
            "Pagedrift runs on its Python kernels, which are much slower. For the fast ones install a C compiler"
            " (on Debian: apt-get install gcc python3-dev) and install Pagedrift again: make clean run in a"
            " checkout, or pip install --force-reinstall --no-cache-dir --no-deps pagedrift."
            " PAGEDRIFT_KERNELS=python silences this",
            RuntimeWarning,
            stacklevel=2,
        )
        return False
    return True


NATIVE = _is_native()

if NATIVE and not TYPE_CHECKING:
    from pagedrift._kernels.attributes_cy import number_attributes
    from pagedrift._kernels.glimpses_cy import glimpse_members, glimpse_starts
    from pagedrift._kernels.groups_cy import group_elements, look_around
    from pagedrift._kernels.hashing_cy import hash_bytes, step_id
    from pagedrift._kernels.inflate_cy import unpack_member, unpack_start
    from pagedrift._kernels.lcs_cy import intern_words, lcs_places, unique_runs
    from pagedrift._kernels.looks_cy import (
        compare_candidates,
        find_same_words,
        index_clues,
        most_voted,
        rank_candidates,
        share_odds,
        vote,
        weigh_candidates,
    )
    from pagedrift._kernels.lzw_cy import is_one_edit, lzw_references
    from pagedrift._kernels.match_cy import match_columns
    from pagedrift._kernels.numbering_cy import (
        compare_spans,
        count_before,
        count_covered,
        find_wanted,
        gather,
        nearest,
        number_pairs,
        take,
        total,
    )
    from pagedrift._kernels.operations_cy import operations
    from pagedrift._kernels.outline_cy import outline
    from pagedrift._kernels.plan_cy import plan_operations
    from pagedrift._kernels.record_head_cy import header_fields, member_end, member_size, read_head
    from pagedrift._kernels.records_cy import make_record
    from pagedrift._kernels.scan_cy import name_id, scan
    from pagedrift._kernels.shingles_cy import count_common, in_at_least, in_none_of, overlaps, partition, shingles
    from pagedrift._kernels.sketch_cy import shares_key, sketch, sketch_keys
    from pagedrift._kernels.steps_cy import find_steps, place_nodes
    from pagedrift._kernels.table_cy import PieceTable, Table
    from pagedrift._kernels.tree_cy import TreeBuilder, TreeReader
    from pagedrift._kernels.well_formed_cy import is_utf8, read_well_formed
    from pagedrift._kernels.words_cy import (
        add_words,
        find_links,
        find_texts,
        guess_shapes,
        has_text,
        join_texts,
        join_words,
        mark_triples,
        read_words,
        words_of,
    )
else:
    from pagedrift._kernels.attributes_py import number_attributes
    from pagedrift._kernels.glimpses_py import glimpse_members, glimpse_starts
    from pagedrift._kernels.groups_py import group_elements, look_around
    from pagedrift._kernels.hashing_py import hash_bytes, step_id
    from pagedrift._kernels.inflate_py import unpack_member, unpack_start
    from pagedrift._kernels.lcs_py import intern_words, lcs_places, unique_runs
    from pagedrift._kernels.looks_py import (
        compare_candidates,
        find_same_words,
        index_clues,
        most_voted,
        rank_candidates,
        share_odds,
        vote,
        weigh_candidates,
    )
    from pagedrift._kernels.lzw_py import is_one_edit, lzw_references
    from pagedrift._kernels.match_py import match_columns
    from pagedrift._kernels.numbering_py import (
        compare_spans,
        count_before,
        count_covered,
        find_wanted,
        gather,
        nearest,
        number_pairs,
        take,
        total,
    )
    from pagedrift._kernels.operations_py import operations
    from pagedrift._kernels.outline_py import outline
    from pagedrift._kernels.plan_py import plan_operations
    from pagedrift._kernels.record_head_py import header_fields, member_end, member_size, read_head
    from pagedrift._kernels.records_py import make_record
    from pagedrift._kernels.scan_py import name_id, scan
    from pagedrift._kernels.shingles_py import count_common, in_at_least, in_none_of, overlaps, partition, shingles
    from pagedrift._kernels.sketch_py import shares_key, sketch, sketch_keys
    from pagedrift._kernels.steps_py import find_steps, place_nodes
    from pagedrift._kernels.table_py import PieceTable, Table
    from pagedrift._kernels.tree_py import TreeBuilder, TreeReader, is_utf8, read_well_formed
    from pagedrift._kernels.words_py import (
        add_words,
        find_links,
        find_texts,
        guess_shapes,
        has_text,
        join_texts,
        join_words,
        mark_triples,
        read_words,
        words_of,
    )

__all__ = [
    "NATIVE",
    "PieceTable",
    "Table",
    "TreeBuilder",
    "TreeReader",
    "add_words",
    "compare_candidates",
    "compare_spans",
    "count_before",
    "count_common",
    "count_covered",
    "find_links",
    "find_same_words",
    "find_steps",
    "find_texts",
    "find_wanted",
    "gather",
    "glimpse_members",
    "glimpse_starts",
    "group_elements",
    "guess_shapes",
    "has_text",
    "hash_bytes",
    "header_fields",
    "in_at_least",
    "in_none_of",
    "index_clues",
    "intern_words",
    "is_one_edit",
    "is_utf8",
    "join_texts",
    "join_words",
    "lcs_places",
    "look_around",
    "lzw_references",
    "make_record",
    "mark_triples",
    "match_columns",
    "member_end",
    "member_size",
    "most_voted",
    "name_id",
    "nearest",
    "number_attributes",
    "number_pairs",
    "operations",
    "outline",
    "overlaps",
    "partition",
    "place_nodes",
    "plan_operations",
    "rank_candidates",
    "read_head",
    "read_well_formed",
    "read_words",
    "scan",
    "share_odds",
    "shares_key",
    "shingles",
    "sketch",
    "sketch_keys",
    "step_id",
    "take",
    "total",
    "unique_runs",
    "unpack_member",
    "unpack_start",
    "vote",
    "weigh_candidates",
    "words_of",
]
