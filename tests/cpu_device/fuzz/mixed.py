# SPDX-License-Identifier: Apache-2.0
"""Warp operations and calls that wait in the midst of larger statements, of all types."""
from body import statement
from values import Place
from warps import mask_text

# (type, a value of it made of an unsigned one, an unsigned one made of it)
SHUFFLED = [("int", "(int)(%s)", "(unsigned)(%s)"), ("unsigned long long", "(%s) * 0x100000003ull", "(unsigned)((%s) >> 7)"),
            ("long long", "(long long)((%s) & 0xffffu)", "(unsigned)(%s)"), ("float", "(float)((%s) & 2047u)", "(unsigned)(%s)"),
            ("double", "(double)(%s)", "(unsigned)(%s)"), ("unsigned", "%s", "%s")]


def known_shuffle(b, value):
    """The text of a shuffle whose source is sure to come."""
    m = mask_text(b)
    if b.mask != "FULL":
        return "__shfl_sync(%s, %s, pick(%s, %s))" % (m, value, b.mask, b.value(1))
    return b.rng.choice(["__shfl_xor_sync(%s, %s, %d)" % (m, value, b.rng.choice([1, 2, 4, 8, 16])),
                         "__shfl_sync(%s, %s, (%s) & 31u)" % (m, value, b.value(1)),
                         "__shfl_up_sync(%s, %s, %du)" % (m, value, b.rng.randint(1, 9)),
                         "__shfl_down_sync(%s, %s, %du, 8)" % (m, value, b.rng.randint(1, 7))])


@statement("block warp", weight=3)
def shuffle_typed(b):
    kind, make, back = b.rng.choice(SHUFFLED)
    name = b.fresh("h")
    b.emit("%s %s = %s;" % (kind, name, known_shuffle(b, make % b.value(1))))
    b.emit(b.place().update(b.rng, back % name))
    return True


@statement("block warp", weight=4)
def shuffle_within(b):
    """A shuffle somewhere in a larger statement."""
    one, other, arr = b.plain_place(), b.plain_place(), b.fresh("arr")
    shuffled = known_shuffle(b, b.value(1))
    form = b.rng.randrange(11)
    if form in (0, 1, 2):
        b.emit("unsigned %s[4] = {%s, %s, 3u, 4u};" % (arr, b.value(1), b.value(1)))
        index = b.index(4)
        b.emit(["%s[%s] = %s;" % (arr, index, shuffled), "%s[%s & 3u] += %s;" % (arr, shuffled, b.value(1)),
                "%s ^= %s[%s & 3u] + %s;" % (one.text, arr, shuffled, arr + "[0]")][form])
        b.scope.places.append(Place(arr + "[1]", names=[arr]))
    elif form == 3:
        b.emit("%s = %s = %s;" % (one.text, other.text, shuffled) if one.text != other.text else "%s = %s;" % (one.text, shuffled))
    elif form == 4:
        b.emit("if (%s > %s) %s += %s; else %s ^= 5u;" % (shuffled, b.value(1), one.text, b.value(1), other.text))
    elif form == 5:
        b.emit("%s += max(%s, min(%s, %s));" % (one.text, shuffled, b.value(1), b.value(1)))
    elif form == 6:
        b.emit("%s = (%s & 1u) ? %s : %s;" % (one.text, shuffled, b.value(1), b.value(1)))
    elif form == 7:
        b.emit("{ const unsigned y = %s; %s += y * y; }" % (shuffled, one.text))
    elif form == 8:
        b.emit("unsigned %s(%s), %s_more = %s;" % (arr, shuffled, arr, b.value(1)))
        b.scope.places += [Place(arr), Place(arr + "_more")]
    elif form == 9:
        b.emit("%s -= (unsigned)(unsigned short)%s + (%s << 3);" % (one.text, shuffled, shuffled))
    else:
        name = b.kernel.file_name(b.rng.choice(["mix", "__vmix", "make_mix"]))
        b.kernel.top.append("__device__ unsigned %s(unsigned x, unsigned y) { return x * 5u ^ y; }" % name)
        b.emit("%s = %s(%s, %s);" % (one.text, name, shuffled, b.value(1)))
    return True


@statement("block warp", weight=2)
def shuffle_vector(b):
    """Parts of a vector, or members of a structure, shuffled in place."""
    name = b.fresh("q")
    if b.rng.random() < 0.5:
        b.emit("uint2 %s = make_uint2(%s, %s);" % (name, b.value(1), b.value(1)))
        parts = ["x", "y"]
    else:
        kind = b.kernel.file_name("Pair")
        b.kernel.top.append("struct %s { unsigned first; unsigned both[2]; };" % kind)
        b.emit("%s %s = {%s, {%s, 1u}};" % (kind, name, b.value(1), b.value(1)))
        parts = ["first", "both[1]"]
    for part in parts:
        b.emit("%s.%s = %s;" % (name, part, known_shuffle(b, "%s.%s" % (name, part))))
    b.scope.places += [Place("%s.%s" % (name, part), names=[name]) for part in parts]
    return True
