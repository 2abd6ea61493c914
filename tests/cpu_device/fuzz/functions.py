# SPDX-License-Identifier: Apache-2.0
"""Device functions with barriers in them, of every form, and their calls."""
from body import Body, statement
from memory import DIRTY, SharedArray
from values import Place

NAMES = ["turn", "swap_tiles", "make_tile", "curand_step", "__hmix", "__vsum", "sync_all", "syncthreads_and_add",
         "make_uint_pair", "block_reduce", "__shfl_like", "atomicMix", "warp_step", "cooperative", "dim", "tex_like"]


def function_name(kernel, ordinary_only):
    stem = kernel.rng.choice(NAMES[:2] + ["block_reduce", "warp_step"] if ordinary_only else NAMES)
    return kernel.file_name(stem + "_")


def pass_mask(b):
    return "" if b.kernel.full else ", wm"


def body_of(b, shared, parameters):
    """A body that knows its parameters and one shared array, whose way of use is not known."""
    inner = Body(b.kernel, b.mask if b.kernel.full else "wm")
    inner.in_function = True
    b.kernel.begin(inner)
    inner.scope.places += parameters
    inner.memory.ways[shared] = DIRTY
    inner.budget = b.rng.randint(3, 8)
    inner.depth = 1
    return inner


def finish(b, inner, array, shared):
    """What is known of the caller's arrays after the call."""
    b.memory.ways[array] = inner.memory.ways[shared]
    if b.rng.random() < 0.5:
        inner.barrier()
        b.memory.barrier()


def plain_arrays(b):
    return [a for a in b.usable_arrays() if a.pointer]


@statement("block", weight=4)
def call_function(b):
    """A function with a barrier: parameters by value, by reference or by pointer."""
    arrays = plain_arrays(b)
    if not arrays or b.in_function:
        return False
    array = b.rng.choice(arrays)
    shared = SharedArray("s", array.length)
    by = b.rng.choice(["value", "value", "reference", "pointer"])
    name = function_name(b.kernel, False)
    mask = "" if b.kernel.full else ", unsigned wm"
    target = b.plain_place()
    parameter = {"value": "unsigned v", "reference": "unsigned &v", "pointer": "unsigned *v"}[by]
    inner = body_of(b, shared, [Place("*v", names=["v"]) if by == "pointer" else Place("v")])
    for _ in range(2):
        exchange_in(inner, shared)
        inner.run(2)
    template = b.rng.random() < 0.25
    finish(b, inner, array, shared)
    result = by == "value" or b.rng.random() < 0.5
    if result:
        inner.emit("return %s;" % inner.value())
    qualifier = b.rng.choice(["__device__", "static __device__", "__device__ __forceinline__", "__device__ __noinline__",
                              "__device__ inline"])
    kind = "unsigned" if result else "void"
    head = "%s %s %s(unsigned *s, %s%s) {" % (qualifier, kind, name, parameter, mask)
    if template:
        head = "template <class T> " + head.replace("unsigned *s", "T *s")
    b.kernel.top += [head] + inner.lines + ["}"]
    argument = {"value": "%s", "reference": "%s", "pointer": "&%s"}[by] % (b.value(1) if by == "value" else target.text)
    call = "%s(%s, %s%s)" % (name, array.pointer, argument, pass_mask(b))
    if by == "value":
        b.kernel.functions.append((name, array.length, b.kernel.exited))
    if not result:
        b.emit(call + ";")
        return True
    fresh = b.fresh("v")
    form = b.rng.randrange(3) if by == "value" else 0
    if form == 0:
        b.emit("unsigned %s = %s;" % (fresh, call))
    elif form == 1:
        b.emit("unsigned %s = %s + %s;" % (fresh, call, b.value(1)))
    else:
        b.emit("unsigned %s = %s;" % (fresh, b.value(1)))
        b.emit("%s ^= %s;" % (fresh, call))
    b.declare(fresh)
    return True


def exchange_in(b, array):
    slots, text = b.kernel.own_slots(b.rng, array)
    b.ready(array, ("own", slots))
    b.emit("%s = %s;" % (array.at(text), b.value(1)))
    b.ready(array, "read")
    b.emit(b.place().update(b.rng, array.at(b.index(array.length))))


@statement("block", weight=1)
def call_recursive(b):
    arrays = plain_arrays(b)
    if not arrays or b.in_function:
        return False
    array, name = b.rng.choice(arrays), function_name(b.kernel, False)
    b.kernel.top += [
        "__device__ unsigned %s(unsigned *s, unsigned t, unsigned v, int left) {" % name,
        "  if (left == 0) return v;",
        "  __syncthreads();",
        "  s[t] = v;",
        "  __syncthreads();",
        "  return %s(s, t, v * 3u + s[(t + %du) %% %du], left - 1) ^ v;" % (name, b.rng.randrange(1, 9), array.length),
        "}"]
    fresh = b.fresh("v")
    b.emit("unsigned %s = %s(%s, t, %s, %d);" % (fresh, name, array.pointer, b.value(1), b.rng.randint(1, 3)))
    b.memory.ways[array] = "read"
    b.declare(fresh)
    return True


@statement("block warp", weight=2)
def warp_function(b):
    """A function with warp operations, for the lanes of a mask that it is given."""
    if b.in_function:
        return False
    name = function_name(b.kernel, False)
    by = b.rng.choice(["value", "value", "reference"])
    inner = Body(b.kernel, "wm")
    inner.in_function, inner.level, inner.depth = True, "warp", 1
    b.kernel.begin(inner)
    inner.scope.places.append(Place("v"))
    inner.budget = 4
    inner.run(3)
    inner.emit("return %s;" % inner.value())
    parameter = {"value": "unsigned v", "reference": "unsigned &v"}[by]
    qualifier = b.rng.choice(["__device__", "__device__ __forceinline__", "template <class M> __device__"])
    b.kernel.top += ["%s unsigned %s(%s wm, %s) {" % (qualifier, name, "M" if "M" in qualifier else "unsigned", parameter)]
    b.kernel.top += inner.lines + ["}"]
    fresh = b.fresh("v")
    argument = b.value(1) if by == "value" else b.plain_place().text
    mask = "0xffffffffu" if b.mask == "FULL" else b.mask
    b.emit("unsigned %s = %s(%s, %s);" % (fresh, name, mask, argument))
    b.declare(fresh)
    return True


@statement("block", weight=2)
def call_again(b):
    """Functions with barriers, called a second time: in a loop, twice in a statement, one around another."""
    found = [(f, a) for f in b.kernel.functions for a in plain_arrays(b) if a.length == f[1] and f[2] == b.kernel.exited]
    if not found or b.in_function or b.depth >= 3:
        return False
    (name, _, _), array = b.rng.choice(found)
    call = lambda value: "%s(%s, %s%s)" % (name, array.pointer, value, pass_mask(b))
    fresh, form = b.fresh("v"), b.rng.randrange(4)
    b.barrier()
    if form == 0:
        b.emit("unsigned %s = %s;" % (fresh, call(b.value(1))))
        b.emit("%s ^= %s;" % (fresh, call(b.value(1))))
    elif form == 1:
        b.emit("unsigned %s = %s;" % (fresh, call(call(b.value(1)))))
    else:
        b.emit("unsigned %s = %s;" % (fresh, b.value(1)))
        i = b.fresh("i")
        b.emit("for (int %s = 0; %s < 2; ++%s) %s += %s;" % (i, i, i, fresh, call(b.value(1))))
    b.barrier()
    b.declare(fresh)
    return True
