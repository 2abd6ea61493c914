# SPDX-License-Identifier: Apache-2.0
"""Which accesses to memory that threads share are free of races, decided as the text is written.

Between two barriers of the block an array is used in one way only:
  ("own", slots)   each thread reads and writes its own slot, by one fixed map of threads to slots
  "read"           any thread reads any slot
  ("atomic", op)   any thread applies one commutative atomic operation to any slot
CLEAN means that a barrier has just passed, so that any way may be chosen; DIRTY that the way is
not known (a loop's second round may follow another one), so that a barrier has to come first.
"""

CLEAN = "clean"
DIRTY = "dirty"


def join(a, b):
    """What is known where two ways of control meet."""
    if a == b or b == CLEAN:
        return a
    return b if a == CLEAN else DIRTY


class SharedArray:
    """An array of `length` unsigned numbers that a block's threads share; every slot is written.

    at(i) is the text of slot i. Its length is at least the number of the block's threads.
    """

    def __init__(self, name, length, at=None, is_shared=True):
        self.name, self.length, self.is_shared = name, length, is_shared
        self.at = at or (lambda index: "%s[%s]" % (name, index))
        # Where it may be passed as a plain pointer to its first slot.
        self.pointer = None if at else name


class MemoryState:
    """The way in which each array is used at the current place of the text."""

    def __init__(self):
        self.ways = {}

    def snapshot(self):
        return dict(self.ways)

    def restore(self, ways):
        self.ways = dict(ways)

    def barrier(self):
        self.ways = {array: CLEAN for array in self.ways}

    def forget(self):
        self.ways = {array: DIRTY for array in self.ways}

    def meet(self, ways):
        self.ways = {array: join(way, ways.get(array, way)) for array, way in self.ways.items()}

    def allows(self, array, way):
        return self.ways[array] in (CLEAN, way)

    def use(self, array, way):
        assert self.allows(array, way), (array.name, self.ways[array], way)
        self.ways[array] = way
