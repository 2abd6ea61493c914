# SPDX-License-Identifier: Apache-2.0
"""Ordinary and unusual spellings of what the other modules write: barriers without braces, several
warp operations in a statement, names that mean something elsewhere."""
from body import statement
from functions import plain_arrays
from values import Place
from warps import mask_text


@statement("block", weight=2)
def barrier_without_braces(b):
    form = b.rng.randrange(5)
    i = b.fresh("i")
    b.emit(["if (%s) __syncthreads();" % b.condition(uniform=True),
            "if (%s) __syncthreads(); else %s += 3u;" % (b.condition(uniform=True), b.plain_place().text),
            "for (int %s = 0; %s < 2; ++%s) __syncthreads();" % (i, i, i),
            ";;{ __syncthreads(); }", "do __syncthreads(); while (false);"][form])
    if form >= 2:
        b.memory.barrier()


@statement("block", weight=2)
def return_uniform(b):
    """All threads of a block leave together."""
    if b.in_function or b.kernel.kind != "plain" or b.loop == "lane":
        return False
    b.emit("if (%s %% 7u == 3u) return;" % b.uniform(1))
    return True


@statement(weight=3)
def read_input(b):
    """Reads of global memory."""
    if b.in_function:
        return False
    text = b.rng.choice(["in[%s]", "__ldg(&in[%s])", "*(in + (%s))"]) % b.index(1024)
    b.emit(b.place().update(b.rng, text))
    return True


@statement(weight=1)
def own_atomic(b):
    """Atomic operations on a slot that only this thread uses: what was there before is known."""
    arrays = b.usable_arrays()
    if not arrays:
        return False
    array, v = b.rng.choice(arrays), b.value(1)
    if not b.ready(array, ("own", "own")):
        return False
    slot = array.at("t")
    call = b.rng.choice(["atomicAdd(&%s, %s)", "atomicExch(&%s, %s)", "atomicMax(&%s, %s)", "atomicInc(&%s, %s)",
                         "atomicDec(&%s, %s)", "atomicSub(&%s, %s)", "atomicCAS(&%s, 5u, %s)", "atomicAnd(&%s, %s)"]) % (slot, v)
    b.emit(b.place().update(b.rng, call))
    return True


@statement("block", weight=2)
def warp_exchange(b):
    """Through shared memory within a warp, with __syncwarp between."""
    arrays = plain_arrays(b)
    if not arrays or b.in_function or b.kernel.exited:
        return False
    array, mask = b.rng.choice(arrays), b.mask
    b.ready(array, ("own", "own"))
    lanes = "32u" if b.mask == "FULL" else "(unsigned)__popc(%s)" % mask
    b.emit("%s[t] = %s;" % (array.pointer, b.value()))
    b.emit("__syncwarp(%s);" % mask_text(b))
    b.emit(b.place().update(b.rng, "%s[(t & ~31u) + (%s) %% %s]" % (array.pointer, b.value(1), lanes)))
    b.emit("__syncwarp(%s);" % mask_text(b))
    return True


@statement("block warp", weight=3)
def several_shuffles(b):
    """More than one warp operation in a statement."""
    if b.mask != "FULL":
        return False
    place, m, v, w = b.plain_place(), mask_text(b), b.value(1), b.value(1)
    x, y = b.fresh("x"), b.fresh("y")
    form = b.rng.randrange(7)
    if form == 0:
        b.emit("%s += __shfl_xor_sync(%s, %s, 1) * __shfl_down_sync(%s, %s, 3u);" % (place.text, m, v, m, w))
    elif form == 1:
        b.emit("%s ^= __shfl_sync(%s, __shfl_up_sync(%s, %s, 2u), 7);" % (place.text, m, m, v))
    elif form == 2:
        b.emit("unsigned %s = __shfl_xor_sync(%s, %s, 2), %s = %s + __shfl_sync(%s, %s, 5);" % (x, m, v, y, x, m, x))
        b.scope.places += [Place(x), Place(y)]
    elif form == 3:
        b.emit("%s = __ballot_sync(%s, __shfl_xor_sync(%s, %s, 4) > %s);" % (place.text, m, m, v, w))
    elif form == 4:
        b.emit("if (__any_sync(%s, %s) && __all_sync(%s, %s)) %s += 9u;" % (m, b.condition(), m, b.condition(), place.text))
    elif form == 5:
        b.emit("unsigned %s = 1u;" % x)
        b.emit("%s = (%s += __shfl_sync(%s, %s, 1), %s * 3u);" % (place.text, x, m, w, x))
    else:
        b.emit("unsigned %s[2] = {__shfl_xor_sync(%s, %s, 8), __shfl_xor_sync(%s, %s, 16)};" % (x, m, v, m, w))
        b.scope.places += [Place(x + "[0]", names=[x]), Place(x + "[1]", names=[x])]
    return True


@statement("block", weight=2)
def shared_bound(b):
    """A loop or branch that depends on a number in shared memory, which nobody writes meanwhile."""
    if b.depth >= 3 or b.kernel.exited:
        return False
    name, i = b.fresh("bound"), b.fresh("i")
    b.emit("__shared__ unsigned %s;" % name)
    b.barrier()
    b.emit("if (t == 0u) %s = %s %% 3u + 1u;" % (name, b.value(1)))
    b.barrier()
    head = b.rng.choice(["for (unsigned {i} = 0; {i} < {n}; ++{i})", "for (int {i} = (int){n}; {i} > 0; --{i})",
                         "if ({n} > 1u)"]).format(i=i, n=name)
    before = b.memory.snapshot()
    if head.startswith("if"):
        with b.block(head):
            b.inner(1, 3)
        b.memory.meet(before)
    else:
        with b.loop_memory(), b.block(head), b.changed(loop="block", in_switch=False):
            b.scope.uniforms.append("(unsigned)" + i)
            b.inner(1, 3)
    return True


@statement("block", weight=1)
def input_bound(b):
    """The same with a number of the input, which is alike for all."""
    if b.depth >= 3 or b.in_function:
        return False
    i = b.fresh("i")
    with b.loop_memory():
        with b.block("for (unsigned %s = 0; %s < in[%du] %% 3u; ++%s)" % (i, i, b.rng.randrange(1024), i)), b.changed(
                loop="block", in_switch=False):
            b.scope.uniforms.append(i)
            b.inner(1, 3)
    return True


@statement("block", weight=1)
def unrolled(b):
    if b.depth >= 3:
        return False
    i = b.fresh("i")
    with b.loop_memory():
        b.emit(b.rng.choice(["#pragma unroll", "#pragma unroll 2", "_Pragma(\"unroll\")"]))
        with b.block("for (int %s = 0; %s < 3; ++%s)" % (i, i, i)), b.changed(loop="block", in_switch=False):
            b.scope.uniforms.append("(unsigned)" + i)
            b.inner(1, 3)
    return True


@statement("block", weight=2)
def counts_in_expression(b):
    if b.kernel.exited:
        return False
    call = b.rng.choice(["__syncthreads_count", "__syncthreads_or", "__syncthreads_and"])
    b.emit(b.plain_place().update(b.rng, "(unsigned)%s(%s) * %s" % (call, b.condition(), b.rng.choice(["3u", "n", "k"])
                                                                  if not b.in_function else "3u")))
    b.memory.barrier()
    return True


KNOWN_NAMES = ["min_", "abs", "sync", "size", "count", "fill", "copy", "swap_", "index", "rank", "y0", "step", "data", "mask", "div",
               "time", "warpSize_", "block", "grid", "thread", "shared", "kernel", "launch", "B", "S", "A", "P", "T", "exp2", "log2f"]


@statement(weight=2, unusual=True)
def known_name(b):
    """A local by the name of something that is known elsewhere."""
    name = b.rng.choice(KNOWN_NAMES)
    if b.scope.knows(name) or name in b.kernel.taken or b.in_function:
        return False
    b.kernel.taken.add(name)
    b.scope.taken.add(name)
    b.emit("unsigned %s = %s;" % (name, b.value()))
    b.declare(name)
    return True


@statement("block", weight=2, unusual=True)
def known_function(b):
    """The program's own function by the name of one that is known, with a barrier in it."""
    arrays = plain_arrays(b)
    if not arrays or b.in_function:
        return False
    array = b.rng.choice(arrays)
    b.ready(array, ("own", "own"))
    kind = b.kernel.file_name("Word")
    name = b.rng.choice(["__popc", "atomicAdd", "max", "__ldg", "__brev", "sqrtf", "__threadfence", "abs", "make_uint2", "__shfl_sync",
                         "__syncwarp", "printf", "__umulhi", "min", "curand", "__hadd"])
    b.kernel.top += ["struct %s { unsigned *s, t, v; };" % kind, "__device__ unsigned %s(%s w) {" % (name, kind),
                     "  w.s[w.t] = w.v;", "  __syncthreads();", "  unsigned r = w.s[(w.t + %du) %% %du];" % (
                         b.rng.randrange(1, 9), array.length), "  __syncthreads();", "  return r;", "}"]
    fresh = b.fresh("v")
    b.emit("unsigned %s = %s(%s{%s, t, %s});" % (fresh, name, kind, array.pointer, b.value(1)))
    b.declare(fresh)
    b.memory.barrier()
    return True


@statement("block", weight=2, unusual=True)
def macro_names(b):
    """A barrier by another name."""
    name = b.kernel.file_name(b.rng.choice(["WAIT", "__ldcg_", "barrier", "min_"]))
    form = b.rng.randrange(3)
    if form == 0:
        b.kernel.top.append("#define %s __syncthreads" % name)
        b.emit("%s();" % name)
    elif form == 1:
        b.kernel.top.append("#define %s(x) ((x), __syncthreads())" % name)
        b.emit("%s(%s += 3u);" % (name, b.plain_place().text))
    else:
        b.kernel.top.append("__device__ inline void %s() { __syncthreads(); }" % name)
        b.emit("%s();" % name)
    b.memory.barrier()
