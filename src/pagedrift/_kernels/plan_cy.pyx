"""Which operations on the words between those that stay are cheapest? (native twin of plan_py)"""

from cpython cimport array as c_array
from libc.stdlib cimport calloc, free, malloc

from pagedrift._kernels import plan_py as _twin

cdef double ROUNDING = _twin.ROUNDING
_Places = _twin.OperationPlaces

cdef enum:
    NONE = -1

cdef struct Gap:
    int[2] start  # on the old page, on the new one
    int[2] end
    int spare_start  # of the spare places of the old page, in one list for all gaps
    int spare_end
    bint grown  # over words that stayed

cdef struct Page:
    const int* ids
    int length
    int* counts  # how often each word occurs
    int* left  # how many of each are left over
    char* replaced  # places
    char* given  # places that a ranking has given

cdef struct Ranking:  # places by what they save, as it is when they are asked for
    int side
    int start
    int end
    int at
    int tier

cdef struct Tally:  # spare words of a gap: by page, and by whether they save 1 or a
    int[2][2] count


def plan_operations(
    c_array.array old not None, c_array.array new not None, int words, gaps not None, *, double a, double b
):
    """Plan what happens to the words; see the twin."""
    cdef _Plan plan = _Plan(old, new, words, gaps, a, b)
    cdef int index
    for index in range(plan.gap_count):
        plan.replace(&plan.gaps[index])
    plan.untangle()
    plans = [plan.settle()]
    if plan.join():
        plan.untangle()
        plans.append(plan.settle())
    return plans


cdef class _Plan:
    cdef Page[2] pages
    cdef Gap* gaps
    cdef int gap_count, words
    cdef double a, b, exchange, least
    cdef double[3] tiers
    cdef int tier_count
    cdef int* spare  # old places of all gaps, those of a gap together
    cdef int* spare_new
    cdef int* goal_head  # of each word: the new place that is asked first, then the next ones
    cdef int* goal_next
    cdef int* goal_gap
    cdef char* memory
    cdef object old, new  # keep the arrays alive

    def __cinit__(self, c_array.array old, c_array.array new, int words, gaps, double a, double b):
        cdef int index
        self.old, self.new, self.words, self.a, self.b = old, new, words, a, b
        self.exchange = min(b, 2 * a)
        self.least = self.exchange - a
        for index, tier in enumerate(sorted({1.0, a, self.least}, reverse=True)):
            self.tiers[index] = tier
            self.tier_count = index + 1
        self.gap_count = len(gaps)
        self.allocate(len(old), len(new))
        self.pages[0].ids, self.pages[1].ids = old.data.as_ints, new.data.as_ints
        self.open(gaps)

    def __dealloc__(self):
        free(self.gaps)
        free(self.memory)

    cdef int allocate(self, int old, int new) except -1:
        cdef int side, length
        cdef int* ints
        cdef char* flags
        self.gaps = <Gap*>malloc(max(1, self.gap_count) * sizeof(Gap))
        self.memory = <char*>calloc(
            1, (5 * <size_t>self.words + old + 3 * <size_t>new) * sizeof(int) + 2 * (<size_t>old + new) + 1
        )
        if self.gaps == NULL or self.memory == NULL:
            raise MemoryError
        ints = <int*>self.memory
        for side, length in enumerate((old, new)):
            self.pages[side].length = length
            self.pages[side].counts, self.pages[side].left = ints, ints + self.words
            ints += 2 * self.words
        self.goal_head = ints
        self.spare = ints + self.words
        self.spare_new = self.spare + old
        self.goal_next = self.spare_new + new
        self.goal_gap = self.goal_next + new
        flags = <char*>(self.goal_gap + new)
        for side, length in enumerate((old, new)):
            self.pages[side].replaced, self.pages[side].given = flags, flags + length
            flags += 2 * length
        return 0

    cdef int open(self, gaps) except -1:
        cdef int side, place, index
        cdef Page* page
        for side in range(2):
            page = &self.pages[side]
            for place in range(page.length):
                page.counts[page.ids[place]] += 1
        for index, gap in enumerate(gaps):
            self.gaps[index].start[0], self.gaps[index].end[0] = gap[0], gap[1]
            self.gaps[index].start[1], self.gaps[index].end[1] = gap[2], gap[3]
            for side in range(2):
                self.leave(side, self.gaps[index].start[side], self.gaps[index].end[side])
        return 0

    cdef void leave(self, int side, int start, int end) noexcept:
        cdef int place
        for place in range(start, end):
            self.pages[side].left[self.pages[side].ids[place]] += 1

    cdef inline void take(self, int side, int place) noexcept:
        self.pages[side].replaced[place] = 1
        self.pages[side].left[self.pages[side].ids[place]] -= 1

    cdef inline double saving(self, int side, int place) noexcept:
        # What it saves to leave over one less of a word.
        cdef Page* page = &self.pages[side]
        cdef Page* other = &self.pages[1 - side]
        cdef int word = page.ids[place]
        if not other.counts[word]:
            return 1.0 if page.left[word] == page.counts[word] else self.a
        return self.a if page.left[word] > other.left[word] else self.least

    cdef Ranking rank(self, int side, Gap* gap) noexcept:
        cdef Ranking ranking
        cdef Page* page = &self.pages[side]
        cdef int place
        for place in range(gap.start[side], gap.end[side]):
            page.given[place] = page.replaced[place]
        ranking.side, ranking.start, ranking.end = side, gap.start[side], gap.end[side]
        ranking.at, ranking.tier = ranking.start, 0
        return ranking

    cdef int next_of(self, Ranking* ranking) noexcept:
        cdef Page* page = &self.pages[ranking.side]
        cdef int place
        while ranking.tier < self.tier_count:
            while ranking.at < ranking.end:
                place = ranking.at
                ranking.at += 1
                if not page.given[place] and self.saving(ranking.side, place) >= self.tiers[ranking.tier]:
                    page.given[place] = 1
                    return place
            ranking.tier += 1
            ranking.at = ranking.start
        return NONE

    cdef bint has_rest(self, int side, Gap* gap) noexcept:
        cdef int place
        for place in range(gap.start[side], gap.end[side]):
            if not self.pages[side].replaced[place]:
                return True
        return False

    cdef void replace(self, Gap* gap) noexcept:
        # Replace words within a gap while two operations cost more than one.
        cdef Ranking old, new
        cdef int i, j
        if not self.has_rest(0, gap) or not self.has_rest(1, gap):
            return
        old, new = self.rank(0, gap), self.rank(1, gap)
        while True:
            i = self.next_of(&old)
            if i == NONE:
                return
            j = self.next_of(&new)
            if j == NONE or self.saving(0, i) + self.saving(1, j) <= 1 + ROUNDING:
                return
            self.take(0, i)
            self.take(1, j)

    cdef int find_spare(self, int side, Gap* gap, int* found) noexcept:
        # Find the places whose words are not moves, the most expensive last; return how many.
        cdef int count = 0, place, tier
        for tier in range(self.tier_count - 1, -1, -1):
            if self.tiers[tier] <= self.least:
                continue
            for place in range(gap.end[side] - 1, gap.start[side] - 1, -1):
                if not self.pages[side].replaced[place] and self.saving(side, place) == self.tiers[tier]:
                    found[count] = place
                    count += 1
        return count

    cdef void untangle(self) noexcept:
        # Replace a word where it goes and where it comes from, if both places need a partner.
        cdef int index, spare, i
        cdef Gap* gap
        if not self.find_goals():
            return
        for index in range(self.gap_count):
            gap = &self.gaps[index]
            spare = self.find_spare(1, gap, self.spare_new)
            if not spare:
                continue
            # Those that are not replaced now, whatever becomes of them meanwhile.
            for i in range(gap.start[0], gap.end[0]):
                self.pages[0].given[i] = self.pages[0].replaced[i]
            for i in range(gap.start[0], gap.end[0]):
                if not self.pages[0].given[i]:
                    spare = self.swap(i, spare)

    cdef bint find_goals(self) noexcept:
        cdef int index, word, j, used = 0
        cdef bint found = False
        cdef Gap* gap
        for word in range(self.words):
            self.goal_head[word] = NONE
        for index in range(self.gap_count - 1, -1, -1):
            gap = &self.gaps[index]
            gap.spare_start = used
            gap.spare_end = used = used + self.find_spare(0, gap, self.spare + used)
            if gap.spare_end == gap.spare_start:
                continue
            for j in range(gap.start[1], gap.end[1]):
                if not self.pages[1].replaced[j]:
                    word = self.pages[1].ids[j]
                    self.goal_next[j] = self.goal_head[word]
                    self.goal_gap[j] = index
                    self.goal_head[word] = j
                    found = True
        return found

    cdef int swap(self, int i, int spare) noexcept:
        # Replace the word at i by a spare new one, and a spare old one by the same word; return how many are left.
        cdef int word = self.pages[0].ids[i], j
        cdef Gap* gap
        cdef double saved
        while self.goal_head[word] != NONE and spare:
            j = self.goal_head[word]
            gap = &self.gaps[self.goal_gap[j]]
            if gap.spare_end == gap.spare_start or self.pages[1].replaced[j]:
                self.goal_head[word] = self.goal_next[j]
                continue
            saved = self.saving(0, self.spare[gap.spare_end - 1]) + self.saving(1, self.spare_new[spare - 1])
            if self.saving(0, i) == self.least and self.exchange + saved > 2 + ROUNDING:
                self.goal_head[word] = self.goal_next[j]
                gap.spare_end -= 1
                spare -= 1
                self.take(0, i)
                self.take(0, self.spare[gap.spare_end])
                self.take(1, j)
                self.take(1, self.spare_new[spare])
            break
        return spare

    cdef bint join(self) noexcept:
        # Move the words that stay between two gaps where that lets them replace more.
        cdef int index, side, last = 0
        cdef Tally spares, here, both
        cdef double saved
        cdef Gap* gap
        cdef Gap* before
        cdef bint grown = False
        for index in range(self.gap_count):
            self.gaps[index].grown = False
        if self.gap_count:
            spares = self.tally(&self.gaps[0])
        for index in range(1, self.gap_count):
            gap, before = &self.gaps[index], &self.gaps[last]
            here = both = self.tally(gap)
            for side in range(2):
                both.count[side][0] += spares.count[side][0]
                both.count[side][1] += spares.count[side][1]
            saved = self.match(&both)
            if saved > (gap.start[0] - before.end[0]) * self.exchange + ROUNDING:
                for side in range(2):
                    self.leave(side, before.end[side], gap.start[side])
                    before.end[side] = gap.end[side]
                before.grown = grown = True
                spares = both
            else:
                last += 1
                self.gaps[last] = gap[0]
                spares = here
        self.gap_count = last + 1 if self.gap_count else 0
        for index in range(self.gap_count):
            if self.gaps[index].grown:
                self.replace(&self.gaps[index])
        return grown

    cdef Tally tally(self, Gap* gap) noexcept:
        cdef Tally found
        cdef int side, place
        cdef double saved
        for side in range(2):
            found.count[side][0] = found.count[side][1] = 0
            for place in range(gap.start[side], gap.end[side]):
                if self.pages[side].replaced[place]:
                    continue
                saved = self.saving(side, place)
                if saved > self.least:
                    found.count[side][0 if saved == 1.0 else 1] += 1
        return found

    cdef double match(self, Tally* spare) noexcept:
        # What replacing among a number of words saves; they are taken away.
        cdef double saved = 0.0
        cdef double[2] worth
        cdef int one, other, many
        worth[0], worth[1] = 1.0, self.a
        for one in range(2):
            for other in range(2):
                many = min(spare.count[0][one], spare.count[1][other])
                if many and worth[one] + worth[other] > 1:
                    saved += many * (worth[one] + worth[other] - 1)
                    spare.count[0][one] -= many
                    spare.count[1][other] -= many
        return saved

    def settle(self):
        """Say what happens to every word."""
        cdef int[2] many  # left over
        cdef int side, index, place, word, moves, kept, seen
        cdef Page* page
        cdef int* left_over = <int*>calloc(4 * <size_t>self.words + 1, sizeof(int))  # and those gone through
        if left_over == NULL:
            raise MemoryError
        # By page: moved, then dropped or added, then shrunk or copied.
        found = [([], [], []), ([], [], [])]
        try:
            for side in range(2):
                page = &self.pages[side]
                for index in range(self.gap_count):
                    for place in range(self.gaps[index].start[side], self.gaps[index].end[side]):
                        if not page.replaced[place]:
                            left_over[side * self.words + page.ids[place]] += 1
            for side in range(2):
                page = &self.pages[side]
                for index in range(self.gap_count):
                    for place in range(self.gaps[index].start[side], self.gaps[index].end[side]):
                        if page.replaced[place]:
                            continue
                        word = page.ids[place]
                        many[0], many[1] = left_over[word], left_over[self.words + word]
                        seen = left_over[(2 + side) * self.words + word]
                        left_over[(2 + side) * self.words + word] += 1
                        moves = min(many[0], many[1]) if self.b <= 2 * self.a else 0
                        # Of a word that one page does not have, one is dropped or added, or replaced.
                        kept = not self.pages[1 - side].counts[word] and many[side] == page.counts[word]
                        found[side][0 if seen < moves else 1 if seen < moves + kept else 2].append(place)
        finally:
            free(left_over)
        (_, dropped, shrunk), (moved, added, copied) = found
        return _Places(added, dropped, copied, shrunk, self.pairs(), moved)

    cdef list pairs(self):
        # The replaced words of each gap in order; two that are equal stay.
        cdef list found = []
        cdef int index, i, j
        cdef Gap* gap
        for index in range(self.gap_count):
            gap = &self.gaps[index]
            j = gap.start[1]
            for i in range(gap.start[0], gap.end[0]):
                if not self.pages[0].replaced[i]:
                    continue
                while j < gap.end[1] and not self.pages[1].replaced[j]:
                    j += 1
                if j < gap.end[1] and self.pages[0].ids[i] != self.pages[1].ids[j]:
                    found.append((i, j))
                j += 1
        return found
