# SPDX-License-Identifier: Apache-2.0
"""Statements with warp operations, each with a mask of exactly the lanes that come to it."""
from body import statement
from values import Place


def mask_text(b):
    """The mask, and for all 32 lanes one of its spellings."""
    if b.mask == "FULL":
        return b.rng.choice(["0xffffffffu", "0xffffffff", "~0u", "FULL", "(unsigned)-1"])
    return b.mask


def source_taken(b, source):
    """A condition under which lane `source` is among those that come; nothing to ask if all are."""
    return None if b.mask == "FULL" else "(%s >> (%s)) & 1u" % (b.mask, source)


def take(b, value, source):
    """Updates a place with a shuffle's value, where its source came to it."""
    taken = source_taken(b, source)
    target = b.place()
    if taken is None:
        b.emit(target.update(b.rng, value))
        return
    name = b.fresh("x")
    b.emit("const unsigned %s = %s;" % (name, value))
    b.emit("if (%s) %s" % (taken, target.update(b.rng, name)))


@statement("block warp", weight=5)
def shuffle(b):
    mask, value = mask_text(b), b.value(1)
    form = b.rng.randrange(5)
    width = b.rng.choice([32, 32, 16, 8, 4, 2])
    tail = "" if width == 32 else ", %d" % width
    low = "(lane & ~%du)" % (width - 1)
    if form == 0:
        lane = b.index(32)
        take(b, "__shfl_sync(%s, %s, (int)(%s)%s)" % (mask, value, lane, tail),
             "%s + ((%s) & %du)" % (low, lane, width - 1))
    elif form == 1:
        take(b, "__shfl_sync(%s, %s, pick(%s, %s))" % (mask, value, b.mask, b.value(1)), "lane")
    elif form == 2:
        d = b.rng.randrange(1, 32)
        take(b, "__shfl_xor_sync(%s, %s, %d%s)" % (mask, value, d % width or 1, tail), "lane ^ %du" % (d % width or 1))
    elif form == 3:
        d = b.rng.randrange(1, 16)
        take(b, "__shfl_up_sync(%s, %s, %du%s)" % (mask, value, d, tail),
             "(lane & %du) >= %du ? lane - %du : lane" % (width - 1, d, d))
    else:
        d = b.rng.randrange(1, 16)
        take(b, "__shfl_down_sync(%s, %s, %d%s)" % (mask, value, d, tail),
             "(lane & %du) + %du < %du ? lane + %du : lane" % (width - 1, d, width, d))


@statement("block warp", weight=3)
def warp_sum(b):
    """The textbook's loop of shuffles."""
    if b.mask != "FULL":
        return False
    place = b.plain_place()
    step = b.fresh("o")
    how = b.rng.randrange(3)
    if how == 0:
        b.emit("for (int %s = 16; %s > 0; %s /= 2) %s += __shfl_down_sync(%s, %s, %s);"
               % (step, step, step, place.text, mask_text(b), place.text, step))
    elif how == 1:
        b.emit("for (int %s = 1; %s < 32; %s <<= 1) %s ^= __shfl_xor_sync(%s, %s, %s) + 1u;"
               % (step, step, step, place.text, mask_text(b), place.text, step))
    else:
        other = b.fresh("n")
        with b.block("for (unsigned %s = 1; %s < 32u; %s <<= 1)" % (step, step, step)):
            b.emit("const unsigned %s = __shfl_up_sync(%s, %s, %s);" % (other, mask_text(b), place.text, step))
            b.emit("if (lane >= %s) %s += %s;" % (step, place.text, other))
    return True


@statement("block warp", weight=3)
def vote(b):
    call = b.rng.choice(["__ballot_sync", "(unsigned)__any_sync", "(unsigned)__all_sync"])
    b.emit(b.place().update(b.rng, "%s(%s, %s)" % (call, mask_text(b), b.condition())))


@statement("block warp", weight=2)
def match(b):
    if b.rng.random() < 0.6:
        b.emit(b.place().update(b.rng, "__match_any_sync(%s, %s & %du)" % (mask_text(b), b.value(1), b.rng.choice([1, 3, 7]))))
        return
    name = b.fresh("all")
    b.emit("int %s = 0;" % name)
    b.emit(b.place().update(b.rng, "__match_all_sync(%s, %s & 1u, &%s)" % (mask_text(b), b.value(1), name)))
    b.scope.places.append(Place(name, "int"))


@statement("block warp", weight=2)
def warp_reduce(b):
    call = b.rng.choice(["add", "min", "max", "and", "or", "xor"])
    b.emit(b.place().update(b.rng, "__reduce_%s_sync(%s, %s)" % (call, mask_text(b), b.value(1))))


@statement("block warp", weight=1)
def syncwarp(b):
    b.emit("__syncwarp();" if b.mask == "FULL" and b.rng.random() < 0.5 else "__syncwarp(%s);" % mask_text(b))


@statement("block warp", weight=3)
def if_masked(b):
    """A divergent branch whose lanes are known by a ballot: warp operations among them."""
    if b.depth >= 4:
        return False
    here, there = b.fresh("yes"), b.fresh("m")
    b.emit("const bool %s = %s;" % (here, b.condition()))
    b.emit("const unsigned %s = __ballot_sync(%s, %s);" % (there, mask_text(b), here))
    before = b.mask
    ways = b.memory.snapshot()
    with b.changed(level="warp", mask=there, loop=None):
        with b.block("if (%s)" % here):
            b.inner(1, 3)
        if b.rng.random() < 0.5:
            rest = b.fresh("m")
            with b.block("else"):
                b.emit("const unsigned %s = %s & ~%s;" % (rest, "0xffffffffu" if before == "FULL" else before, there))
                with b.changed(mask=rest):
                    b.inner(1, 3)
    b.memory.meet(ways)
    return True


@statement("block warp", weight=2)
def if_warp(b):
    """A branch that whole warps take."""
    condition = b.rng.choice(["(t / 32u) % 2u == 0u", "t < 32u", "__any_sync(%s, %s)" % (mask_text(b), b.condition()),
                              "__all_sync(%s, %s)" % (mask_text(b), b.condition())])
    ways = b.memory.snapshot()
    with b.changed(level="warp", loop=None), b.block("if (%s)" % condition):
        b.inner(1, 3)
    b.memory.meet(ways)


@statement("block warp", weight=2)
def loop_warp(b):
    """A loop that whole warps leave together."""
    if b.depth >= 3:
        return False
    name = b.fresh("r")
    b.emit("unsigned %s = %s %% 4u;" % (name, b.value(1)))
    with b.changed(level="warp", loop=None):
        with b.block("while (__any_sync(%s, %s > 0u))" % (mask_text(b), name)):
            b.emit("if (%s > 0u) --%s;" % (name, name))
            b.inner(1, 2)
    return True
