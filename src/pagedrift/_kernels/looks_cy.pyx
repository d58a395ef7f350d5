"""The figures by which elements are taken for the one that was looked for (native twin of looks_py)."""

from array import array

from cpython cimport array as c_array
from libc.math cimport exp, fabs, log1p
from libc.stdint cimport int32_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc

from pagedrift._kernels.hashing_cy cimport SEED, step
from pagedrift._kernels.page_cy cimport ints

from pagedrift._kernels.groups_py import Lists
from pagedrift._kernels.looks_py import FIGURES

cdef extern from *:
    """
    #if defined(_MSC_VER)
    #include <intrin.h>
    #define PAGEDRIFT_BITS(bits) ((int)__popcnt(bits))
    #else
    #define PAGEDRIFT_BITS(bits) __builtin_popcount(bits)
    #endif
    """
    int count_bits "PAGEDRIFT_BITS"(uint32_t bits) noexcept nogil

cdef enum:
    NAME = 1
    ABOVE = 2
    TEXT = 4
    LABEL = 8
    AROUND = 16
    ENTRY = 32
    MAX_ENTRIES = 30
    LABEL_WORDS = 3
    AROUND_WORDS = 6
    BEGINNING_WORDS = 16
    CLUE_WORDS = 8
    EMPTY = 2
    PLAIN = 3
    SHAPES = 10
    COLUMNS = 30
    WORDS = 28

cdef int SIZE = len(FIGURES)
cdef c_array.array INTS = array("i"), DOUBLES = array("d")


cdef struct Looks:  # LooksColumns
    const int32_t* tag
    const int32_t* variety
    const int32_t* chain
    const int32_t* span
    const int32_t* place
    const int32_t* link
    const int32_t* tip
    const int32_t* heading
    const int32_t* part
    const int32_t* depth
    const int32_t* first
    const int32_t* last
    const int32_t* kind
    const int32_t* names
    const int32_t* meanings
    const int32_t* signature
    const int32_t* above
    const int32_t* above_meanings
    const int32_t* beginning
    const int32_t* text
    const int32_t* shape
    const int32_t* own
    const int32_t* address
    const int32_t* link_kind
    const int32_t* target
    const int32_t* alike
    const int32_t* meant
    const int32_t* values
    const int32_t* words
    const int32_t* linked_before
    const double* title_share
    double best_share
    const int32_t* set_starts
    const int32_t* set_words
    int32_t main, picture, title_start, title_stop, word_count


cdef struct Wanted:  # Sought
    int32_t tag, kind, shape, heading, part, link, address, meanings, above_meanings, said, target, named
    int32_t words, alike, depth, count, main, titles_most, known_text, on_new_page
    int32_t entries, matched_count, doing
    int32_t[6] sizes
    double place, title_share, linked, uniform, gap
    bint placed  # gap is known
    const unsigned char* marks
    const unsigned char* entry_marks
    const unsigned char* on_old_page
    const unsigned char* matched


cdef struct Stamps:  # which words and beginnings were counted for the candidate of this number
    int32_t* words
    int32_t* beginnings
    int32_t now


cdef int open_looks(Looks* looks, page) except -1:
    # In the order of LooksColumns, which must outlive it.
    cdef c_array.array title_share = page[COLUMNS]
    cdef const int32_t** columns = &looks.tag
    cdef int at
    for at in range(COLUMNS):
        columns[at] = ints(page[at])
    looks.title_share = title_share.data.as_doubles
    looks.best_share, looks.main, looks.picture = page.best_share, page.main, page.picture
    looks.title_start, looks.title_stop = page.title
    looks.word_count = <int32_t>len(page[WORDS])
    looks.set_starts, looks.set_words = ints(page.sets[0]), ints(page.sets[1])
    return 0


cdef int32_t said(Looks* looks, int32_t node) noexcept nogil:
    cdef int32_t found = looks.own[looks.place[node]] | looks.tip[node], at
    for at in range(max(0, looks.first[node] - LABEL_WORDS), looks.first[node]):
        found |= looks.meant[looks.words[at]]
    return found


cdef inline bint titles_most(Looks* looks, int32_t node) noexcept nogil:
    return 0 < looks.title_share[node] and looks.title_share[node] >= looks.best_share


cdef int32_t values_of(Looks* looks, int32_t node) noexcept nogil:
    cdef int32_t found = looks.values[looks.shape[looks.place[node]]]
    if titles_most(looks, node):
        found |= looks.values[SHAPES]
    if node == looks.main:
        found |= looks.values[SHAPES + 1]
    if looks.tag[node] == looks.picture:
        found |= looks.values[SHAPES + 2]
    return found


cdef int open_wanted(Wanted* wanted, sought) except -1:
    (
        wanted.tag, wanted.kind, wanted.shape, wanted.heading, wanted.part, wanted.link, wanted.address,
        wanted.meanings, wanted.above_meanings, wanted.said, wanted.target, wanted.named, wanted.words,
        wanted.alike, wanted.depth, wanted.count, wanted.main, wanted.titles_most, wanted.known_text,
        wanted.on_new_page, wanted.place, wanted.title_share, wanted.linked, wanted.uniform,
    ) = sought[:24]
    wanted.placed = sought.gap is not None
    wanted.gap = sought.gap if wanted.placed else 0.0
    cdef int at
    for at in range(6):
        wanted.sizes[at] = sought.sizes[at]
    wanted.marks, wanted.entry_marks = <bytes>sought.marks, <bytes>sought.entry_marks
    wanted.on_old_page, wanted.matched = <bytes>sought.on_old_page, <bytes>sought.matched
    wanted.entries, wanted.matched_count, wanted.doing = sought.entries, sought.matched_count, sought.doing
    return 0


cdef inline double shared(int32_t common, int32_t one, int32_t other) noexcept nogil:
    return <double>common / (one + other - common) if common else 0.0


cdef inline double close(double one, double other) noexcept nogil:
    return 1 / (1 + fabs(one - other))


cdef inline double bits(uint32_t one, uint32_t other) noexcept nogil:
    return shared(count_bits(one & other), count_bits(one), count_bits(other))


cdef inline int sign(double value) noexcept nogil:
    return (value > 0) - (value < 0)


cdef int32_t common(Wanted* wanted, int32_t mark, const int32_t* words, int32_t count) noexcept nogil:
    cdef int32_t at, found = 0
    for at in range(count):
        found += (wanted.marks[words[at]] & mark) != 0
    return found


cdef double in_set(Wanted* wanted, Looks* looks, int32_t mark, int32_t size, int32_t number) noexcept nogil:
    cdef int32_t start = looks.set_starts[number], count = looks.set_starts[number + 1] - start
    return shared(common(wanted, mark, looks.set_words + start, count), size, count)


cdef int32_t add_new(
    int32_t* found, int32_t count, const int32_t* words, int32_t start, int32_t stop
) noexcept nogil:
    cdef int32_t at, other
    for at in range(start, stop):
        for other in range(count):
            if found[other] == words[at]:
                break
        else:
            found[count] = words[at]
            count += 1
    return count


cdef void names(Wanted* wanted, Looks* looks, int32_t node, double* out) noexcept nogil:
    out[0] = in_set(wanted, looks, NAME, wanted.sizes[0], looks.names[looks.variety[node]])
    out[1] = bits(wanted.meanings, looks.meanings[looks.variety[node]])
    out[2] = in_set(wanted, looks, ABOVE, wanted.sizes[1], looks.above[looks.chain[node]])
    out[3] = bits(wanted.above_meanings, looks.above_meanings[looks.chain[node]])
    out[4] = wanted.tag == looks.tag[node]
    out[5] = wanted.kind == looks.kind[looks.tag[node]]
    out[6] = (wanted.heading > 0) == (looks.heading[node] > 0)
    out[7] = looks.heading[node] > 0 and wanted.heading == looks.heading[node]


cdef void texts(Wanted* wanted, Looks* looks, int32_t node, double* out) noexcept nogil:
    cdef int32_t old = wanted.shape, new = looks.shape[looks.place[node]], text = looks.text[looks.place[node]]
    cdef int32_t start = looks.set_starts[text], size = looks.set_starts[text + 1] - start
    cdef int32_t meant = said(looks, node), same
    cdef int32_t first = looks.first[node], last = looks.last[node], count
    cdef double share = looks.title_share[node]
    cdef int32_t[LABEL_WORDS] label
    out[0] = out[1] = out[12] = 0
    if wanted.count == 1:
        same = common(wanted, TEXT, looks.set_words + start, size)
        out[0] = shared(same, wanted.sizes[2], size)
        out[1] = <double>same / wanted.sizes[2] if wanted.sizes[2] else 0
        count = add_new(label, 0, looks.words, max(0, first - LABEL_WORDS), first)
        out[12] = shared(common(wanted, LABEL, label, count), wanted.sizes[3], count)
    out[2] = bits(wanted.said, meant)
    out[3] = bits(wanted.said | wanted.meanings, meant | looks.meanings[looks.variety[node]])
    out[4] = old == new
    out[5] = old == new and new >= PLAIN
    out[6] = old < PLAIN or old == new
    out[7] = new < PLAIN or old == new
    out[8] = close(log1p(wanted.words), log1p(last - first))
    out[9] = 1 - fabs(wanted.title_share - share) if wanted.title_share > 0 and share > 0 else 0
    out[10] = wanted.titles_most and titles_most(looks, node)
    out[11] = (wanted.title_share > 0) == (share > 0)


cdef void places(Wanted* wanted, Looks* looks, int32_t node, double* out) noexcept nogil:
    cdef int32_t first = looks.first[node], last = looks.last[node], count
    cdef int32_t alike = looks.alike[looks.signature[looks.variety[node]]], link = looks.link[node]
    cdef int32_t start = looks.title_start, stop = looks.title_stop
    cdef bint main = node == looks.main
    cdef double gap = 0
    cdef int32_t[2 * AROUND_WORDS] around
    out[0] = 1 - fabs(wanted.place - <double>first / max(1, looks.word_count))
    out[1] = wanted.part == looks.part[node]
    out[2] = wanted.link == looks.link_kind[link]
    out[3] = bits(wanted.target, looks.target[link])
    out[4] = wanted.count == 1 and looks.address[link] >= 0 and wanted.address == looks.address[link]
    out[5] = wanted.main and main
    out[6] = wanted.main == main
    out[7] = close(log1p(wanted.alike), log1p(alike))
    out[8] = wanted.alike == 1 and alike == 1
    out[9] = 1 / (1 + fabs(wanted.depth - looks.depth[node]) / 4)
    out[10] = out[11] = out[12] = 0
    if wanted.count == 1:
        count = add_new(around, 0, looks.words, max(0, first - AROUND_WORDS), first)
        count = add_new(around, count, looks.words, last, min(last + AROUND_WORDS, looks.word_count))
        out[10] = shared(common(wanted, AROUND, around, count), wanted.sizes[4], count)
    if wanted.placed and stop > start:
        if first >= stop:
            gap = log1p(first - stop)
        elif last <= start:
            gap = -log1p(start - last)
        out[11] = close(wanted.gap, gap)
        out[12] = sign(wanted.gap) == sign(gap)
    out[13] = 1 - fabs(
        wanted.linked - <double>(looks.linked_before[last] - looks.linked_before[first]) / max(1, last - first)
    )


cdef void entries(
    Wanted* wanted, Looks* looks, const int32_t* nodes, int32_t count, Stamps* stamps, double* out
) noexcept nogil:
    cdef int32_t at, place, first, word, kept = 0, different = 0, said = 0, words = 0
    out[0] = close(log1p(wanted.count), log1p(count))
    out[1] = (wanted.count > 1) == (count > 1)
    out[2] = out[3] = out[4] = 0
    if wanted.entries == 0 or count < 2:
        return
    stamps.now += 1
    for at in range(min(count, MAX_ENTRIES)):
        word = looks.beginning[looks.span[nodes[at]]]
        if stamps.beginnings[word] != stamps.now:
            stamps.beginnings[word] = stamps.now
            different += 1
            kept += wanted.entry_marks[word]
        first = looks.first[nodes[at]]
        for place in range(first, min(looks.last[nodes[at]], first + BEGINNING_WORDS)):
            word = looks.words[place]
            if stamps.words[word] != stamps.now:
                stamps.words[word] = stamps.now
                words += 1
                said += (wanted.marks[word] & ENTRY) != 0
    out[2] = shared(kept, wanted.entries, different)
    out[3] = shared(said, wanted.sizes[5], words)
    out[4] = <double>kept / min(wanted.count, MAX_ENTRIES)


cdef void field(Wanted* wanted, Looks* looks, int32_t node, double* out) noexcept nogil:
    cdef int32_t named = wanted.named, own = looks.own[looks.place[node]]
    cdef int32_t meant = looks.meanings[looks.variety[node]]
    out[0] = (named & meant) != 0
    out[1] = (named & said(looks, node) & ~own) != 0
    out[2] = (named & own & wanted.doing) != 0
    out[3] = named == 0 or meant == 0 or (named & meant) != 0
    out[4] = meant == 0 and (named & looks.above_meanings[looks.chain[node]]) != 0
    out[5] = (named & values_of(looks, node)) != 0


cdef void fixed(Wanted* wanted, Looks* looks, const int32_t* nodes, int32_t count, double* out) noexcept nogil:
    cdef bint known = wanted.known_text and looks.shape[looks.place[nodes[0]]] != EMPTY
    cdef bint now = wanted.on_old_page[looks.beginning[looks.span[nodes[0]]]]
    cdef int32_t at, matched = 0, alike = 0, looked = min(count, MAX_ENTRIES)
    if wanted.matched_count:
        for at in range(count):
            matched += wanted.matched[nodes[at]]
    for at in range(looked):
        alike += looks.signature[looks.variety[nodes[at]]] == looks.signature[looks.variety[nodes[0]]]
    out[0] = known and wanted.on_new_page and now
    out[1] = known and not wanted.on_new_page and not now
    out[2] = shared(matched, wanted.matched_count, count)
    out[3] = 1 - fabs(wanted.uniform - <double>alike / looked)


def compare_candidates(sought, page, lists, c_array.array chosen):
    """Give the figures of each chosen candidate, end to end, in the order of FIGURES; more is more alike."""
    cdef Looks looks
    cdef Wanted wanted
    cdef Stamps stamps
    open_looks(&looks, page)
    open_wanted(&wanted, sought)
    cdef const int32_t* starts = ints(lists[0])
    cdef const int32_t* every = ints(lists[1])
    cdef const int32_t* nodes
    cdef Py_ssize_t at, total = len(chosen)
    cdef int32_t count
    cdef c_array.array found = c_array.clone(DOUBLES, total * SIZE, zero=True)
    cdef double* out = found.data.as_doubles
    stamps.now = 0
    stamps.words = <int32_t*>calloc(len(sought.marks) + 1, sizeof(int32_t))
    stamps.beginnings = <int32_t*>calloc(len(sought.entry_marks) + 1, sizeof(int32_t))
    if stamps.words == NULL or stamps.beginnings == NULL:
        free(stamps.words)
        free(stamps.beginnings)
        raise MemoryError
    for at in range(total):
        nodes = every + starts[chosen.data.as_ints[at]]
        count = starts[chosen.data.as_ints[at] + 1] - starts[chosen.data.as_ints[at]]
        names(&wanted, &looks, nodes[0], out)
        texts(&wanted, &looks, nodes[0], out + 8)
        places(&wanted, &looks, nodes[0], out + 21)
        entries(&wanted, &looks, nodes, count, &stamps, out + 35)
        field(&wanted, &looks, nodes[0], out + 40)
        fixed(&wanted, &looks, nodes, count, out + 46)
        out += SIZE
    free(stamps.words)
    free(stamps.beginnings)
    return found


def weigh_candidates(c_array.array figures, c_array.array weights):
    """Give the score of each candidate, by what each figure counts."""
    cdef Py_ssize_t size = len(weights), count = len(figures) // size if size else 0, at, figure
    cdef const double* values = figures.data.as_doubles
    cdef c_array.array found = c_array.clone(DOUBLES, count, zero=True)
    cdef double total
    for at in range(count):
        total = 0
        for figure in range(size):
            total += weights.data.as_doubles[figure] * values[figure]
        found.data.as_doubles[at] = total
        values += size
    return found


cdef bint say_the_same(Looks* looks, const int32_t* one, const int32_t* other, int32_t count) noexcept nogil:
    cdef int32_t at
    for at in range(count):
        if looks.first[one[at]] != looks.first[other[at]] or looks.last[one[at]] != looks.last[other[at]]:
            return False
        if looks.first[one[at]] == looks.last[one[at]] and one[at] != other[at]:
            return False
    return True


cdef uint64_t hash_words(Looks* looks, const int32_t* nodes, int32_t count) noexcept nogil:
    cdef uint64_t state = SEED
    cdef int32_t at, node
    for at in range(count):
        node = nodes[at]
        if looks.first[node] < looks.last[node]:
            state = step(step(state, looks.first[node]), looks.last[node])
        else:
            state = step(state, -<uint64_t>node)
    return state


def find_same_words(page, lists, c_array.array chosen):
    """Give candidates with the same words, or without words the same elements, the place of the first one."""
    cdef Looks looks
    open_looks(&looks, page)
    cdef const int32_t* starts = ints(lists[0])
    cdef const int32_t* nodes = ints(lists[1])
    cdef Py_ssize_t at, other, total = len(chosen)
    cdef int32_t index, before, count
    cdef c_array.array found = c_array.clone(INTS, total, zero=True)
    cdef uint64_t* hashes = <uint64_t*>malloc((total + 1) * sizeof(uint64_t))
    if hashes == NULL:
        raise MemoryError
    for at in range(total):
        index = chosen.data.as_ints[at]
        count = starts[index + 1] - starts[index]
        hashes[at] = hash_words(&looks, nodes + starts[index], count)
        found.data.as_ints[at] = <int32_t>at
        for other in range(at):
            before = chosen.data.as_ints[other]
            if hashes[other] == hashes[at] and starts[before + 1] - starts[before] == count:
                if say_the_same(&looks, nodes + starts[before], nodes + starts[index], count):
                    found.data.as_ints[at] = found.data.as_ints[other]
                    break
    free(hashes)
    return found


cdef int32_t first_clues(Looks* looks, int32_t node, int32_t* found) noexcept nogil:
    return add_new(found, 0, looks.words, looks.first[node], min(looks.last[node], looks.first[node] + CLUE_WORDS))


def index_clues(page, c_array.array elements):
    """Give for each word of a page the elements that have it among their first ones."""
    cdef Looks looks
    open_looks(&looks, page)
    cdef Py_ssize_t at, size = len(page.meant), total = len(elements)
    cdef int32_t[CLUE_WORDS] clues
    cdef int32_t clue, count
    cdef c_array.array starts = c_array.clone(INTS, size + 1, zero=True)
    cdef int32_t* ends = <int32_t*>starts.data.as_ints
    for at in range(total):
        count = first_clues(&looks, elements.data.as_ints[at], clues)
        for clue in range(count):
            ends[clues[clue] + 1] += 1
    for at in range(size):
        ends[at + 1] += ends[at]
    cdef c_array.array nodes = c_array.clone(INTS, ends[size], zero=False)
    for at in range(total - 1, -1, -1):  # from the end of each on, so that its start is left
        count = first_clues(&looks, elements.data.as_ints[at], clues)
        for clue in range(count):
            ends[clues[clue] + 1] -= 1
            nodes.data.as_ints[ends[clues[clue] + 1]] = elements.data.as_ints[at]
    # What was the end of one is now its start: move them one back.
    for at in range(size):
        ends[at] = ends[at + 1]
    ends[size] = <int32_t>len(nodes)
    return Lists(starts, nodes)


def vote(c_array.array elements, profiles, clues, c_array.array words):
    """Count for each node how many clues it shares with what is looked for; rare ones count more."""
    cdef c_array.array profile = profiles[0], totals = profiles[1]
    cdef const int32_t* starts = ints(clues[0])
    cdef const int32_t* nodes = ints(clues[1])
    cdef Py_ssize_t at, total = len(elements), count = len(words)
    cdef int32_t place, word, node
    cdef double weight
    cdef c_array.array found = c_array.clone(DOUBLES, len(profile), zero=True)
    cdef double* votes = found.data.as_doubles
    for at in range(total):
        node = elements.data.as_ints[at]
        votes[node] = totals.data.as_doubles[profile.data.as_ints[node]]
    for at in range(count):
        word = words.data.as_ints[at]
        weight = 1 / (1 + log1p(starts[word + 1] - starts[word]))
        for place in range(starts[word], starts[word + 1]):
            votes[nodes[place]] += weight
    return found


def most_voted(c_array.array votes, lists, Py_ssize_t most):
    """Choose the candidates whose first element has most votes, of equal ones the first."""
    cdef const int32_t* starts = ints(lists[0])
    cdef const int32_t* nodes = ints(lists[1])
    cdef Py_ssize_t index, at, kept = 0, total = len(lists[0]) - 1
    most = min(most, total)
    cdef c_array.array found = c_array.clone(INTS, most, zero=True)
    cdef c_array.array votes_of = c_array.clone(DOUBLES, most, zero=True)
    cdef int32_t* best = <int32_t*>found.data.as_ints
    cdef double* had = votes_of.data.as_doubles
    cdef double own
    for index in range(total if most else 0):
        own = votes.data.as_doubles[nodes[starts[index]]]
        if kept == most and own <= had[most - 1]:
            continue
        at = kept if kept < most else most - 1
        kept = min(kept + 1, most)
        while at > 0 and had[at - 1] < own:
            best[at], had[at] = best[at - 1], had[at - 1]
            at -= 1
        best[at], had[at] = <int32_t>index, own
    return found


def rank_candidates(c_array.array scores, lists, c_array.array chosen):
    """Put candidates in order: of equal ones the first of the page, and one element before a list from there on."""
    cdef const int32_t* starts = ints(lists[0])
    cdef const int32_t* nodes = ints(lists[1])
    cdef const int32_t* index = ints(chosen)
    cdef const double* score = scores.data.as_doubles
    cdef Py_ssize_t count = len(chosen), number, at
    cdef c_array.array found = c_array.clone(INTS, count, zero=False)
    cdef int32_t* order = <int32_t*>found.data.as_ints
    for number in range(count):  # few: those of a short list
        at = number
        while at > 0 and comes_first(starts, nodes, index, score, number, order[at - 1]):
            order[at] = order[at - 1]
            at -= 1
        order[at] = <int32_t>number
    return found


cdef bint comes_first(const int32_t* starts, const int32_t* nodes, const int32_t* index, const double* score,
                      Py_ssize_t one, Py_ssize_t other) noexcept nogil:
    cdef int32_t a = index[one], b = index[other]
    if score[one] != score[other]:
        return score[one] > score[other]
    if nodes[starts[a]] != nodes[starts[b]]:
        return nodes[starts[a]] < nodes[starts[b]]
    if (starts[a + 1] - starts[a] > 1) != (starts[b + 1] - starts[b] > 1):
        return starts[b + 1] - starts[b] > 1
    return a < b


def share_odds(c_array.array scores, c_array.array said, c_array.array ranked):
    """Say what share of the odds of all candidates those have that say the same, at the first of these."""
    cdef const double* score = scores.data.as_doubles
    cdef const int32_t* same = ints(said)
    cdef const int32_t* order = ints(ranked)
    cdef Py_ssize_t count = len(scores), at, known = 0
    cdef c_array.array found = c_array.clone(scores, count, zero=True)
    cdef c_array.array firsts = c_array.clone(INTS, count, zero=False)  # in order of appearance
    cdef double* odds = found.data.as_doubles
    cdef double total = 0.0
    for at in range(<Py_ssize_t>len(ranked)):
        if odds[same[order[at]]] == 0.0:
            firsts.data.as_ints[known] = same[order[at]]
            known += 1
        odds[same[order[at]]] += exp(score[order[at]] - score[order[0]])
    for at in range(known):
        total += odds[firsts.data.as_ints[at]]
    for at in range(count):
        odds[at] /= total
    return found
