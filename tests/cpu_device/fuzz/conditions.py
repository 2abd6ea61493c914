# SPDX-License-Identifier: Apache-2.0
"""Unusual forms, part 4: conditions that wait, odd loops, and odd uses of shared memory."""
from body import statement
from functions import plain_arrays
from hidden import own_array, result
from values import Place


def broadcast_function(b):
    """A function that gives all threads thread 0's value, and its array; or None."""
    found = own_array(b)
    if not found:
        return None
    s, _, _ = found
    name = b.kernel.file_name(b.rng.choice(["share", "make_same", "__hall", "uniform_"]))
    b.kernel.top += ["__device__ unsigned %s(unsigned *s, unsigned t, unsigned v) {" % name, "  __syncthreads();",
                     "  if (t == 0u) s[0] = v;", "  __syncthreads();", "  unsigned r = s[0];", "  __syncthreads();", "  return r;", "}"]
    return "%s(%s, t, %%s)" % (name, s)


@statement("block", weight=3, unusual=True)
def condition_waits(b):
    """A barrier in a condition, a bound, an index or a declaration of a branch."""
    if b.depth >= 3 or b.kernel.exited:
        return False
    call = broadcast_function(b)
    if not call:
        return False
    b.memory.barrier()
    v = lambda: call % b.value(1)
    form = b.rng.randrange(9)
    before = b.memory.snapshot()
    if form == 0:
        with b.block("if (%s & 1u)" % v()):
            b.inner(1, 3)
        b.memory.meet(before)
    elif form == 1:
        name = b.fresh("x")
        with b.block("if (unsigned %s = %s; %s %% 3u != 0u)" % (name, v(), name)):
            b.scope.uniforms.append(name)
            b.inner(1, 3)
        b.memory.meet(before)
    elif form == 2:
        i, e = b.fresh("i"), b.fresh("e")
        with b.loop_memory(), b.block("for (unsigned %s = 0, %s = %s %% 3u; %s < %s; ++%s)" % (i, e, v(), i, e, i)):
            b.inner(1, 3)
    elif form == 3:
        with b.block("switch (%s %% 3u)" % v()), b.changed(in_switch=True):
            with b.block("case 0u:"):
                b.inner(1, 2)
            b.emit("break;")
            after = b.memory.snapshot()
            b.memory.restore(before)
            with b.block("case 1u:"):
                b.inner(1, 2)
            b.emit("break;")
        b.memory.meet(after)
        b.memory.meet(before)
    elif form == 4:
        result(b, "%s > 90u ? %s : 8u" % (v(), v()))
    elif form == 5:
        with b.block("if (%s && %s)" % (v(), v())):
            b.inner(1, 2)
        b.memory.meet(before)
    elif form == 6:
        name = b.fresh("arr")
        b.emit("unsigned %s[2] = {%s, %s};" % (name, v(), v()))
        b.scope.places += [Place("%s[%d]" % (name, i), names=[name]) for i in range(2)]
    elif form == 7:
        left = b.fresh("left")
        b.emit("unsigned %s = %s %% 4u;" % (left, b.value(1)))
        with b.loop_memory(), b.block("while (__syncthreads_or(%s != 0u))" % left):
            b.emit("if (%s != 0u) --%s;" % (left, left))
            b.inner(1, 2)
    else:
        i = b.fresh("i")
        with b.loop_memory(), b.block("for (unsigned %s = 0; %s < 2u; ++%s, __syncthreads())" % (i, i, i)):
            b.inner(1, 2)
    return True


@statement("block", weight=2, unusual=True)
def endless_loop(b):
    if b.depth >= 3:
        return False
    name = b.fresh("i")
    b.emit("unsigned %s = 0;" % name)
    with b.loop_memory():
        with b.block(b.rng.choice(["for (;;)", "while (true)", "while (1)"])), b.changed(loop="block", in_switch=False):
            b.scope.uniforms.append(name)
            with b.changed(loop=None):  # a continue here would go on for ever
                b.inner(1, 2)
            b.emit("if (++%s >= %du) break;" % (name, b.rng.randint(1, 3)))
            b.inner(1, 2)
            b.left_loop = True
    return True


@statement("block", weight=1, unusual=True)
def loop_in_switch(b):
    """A switch that jumps into a loop."""
    found = own_array(b)
    if not found or b.depth >= 3:
        return False
    s, n, shift = found
    left, target = b.fresh("left"), b.plain_place().text
    before = b.memory.snapshot()
    b.emit("unsigned %s = 2u;" % left)
    b.emit("switch (%s %% 3u) {" % b.uniform(1))
    b.emit("  do {")
    b.emit("  case 0u:")
    b.emit("    %s[t] = %s; __syncthreads();" % (s, b.value(1)))
    b.emit("    %s ^= %s[(t + %du) %% %du]; __syncthreads();" % (target, s, shift, n))
    b.emit("  case 1u:")
    b.emit("    %s += 3u;" % target)
    b.emit("  } while (--%s > 0u);" % left)
    b.emit("}")
    b.memory.barrier()
    b.memory.meet(before)  # where no case is taken, no barrier is passed
    return True


@statement("block", weight=2, unusual=True)
def shared_pointers(b):
    """Pointers and references into shared memory, and two arrays that change places."""
    found = own_array(b)
    if not found:
        return False
    s, n, shift = found
    name, target = b.fresh("at"), b.place()
    form = b.rng.randrange(4)
    if form == 0:
        b.emit(b.rng.choice(["unsigned *%s = %s + t;", "auto %s = %s + t;", "unsigned *const %s = &%s[t];"]) % (name, s))
        b.emit("*%s = %s;" % (name, b.value(1)))
    elif form == 1:
        b.emit("unsigned &%s = %s[t];" % (name, s))
        b.emit("%s ^= %s;" % (name, b.value(1)))
    elif form == 2:
        b.emit("volatile unsigned *%s = %s;" % (name, s))
        b.emit("%s[t] = %s;" % (name, b.value(1)))
    else:
        b.emit("unsigned *%s = %s; %s += t; %s[0] = %s;" % (name, s, name, name, b.value(1)))
    b.barrier()
    b.emit(target.update(b.rng, "%s[(t + %du) %% %du]" % (s, shift, n)))
    b.barrier()
    if form == 1:
        b.emit("%s += 1u;" % name)
        b.barrier()
    return True


@statement("block", weight=1, unusual=True)
def double_buffer(b):
    arrays = plain_arrays(b)
    if len(arrays) < 2 or b.depth >= 3:
        return False
    one, two = b.rng.sample(arrays, 2)
    n = min(one.length, two.length)
    src, dst, i = b.fresh("src"), b.fresh("dst"), b.fresh("i")
    b.barrier()
    b.emit("unsigned *%s = %s, *%s = %s;" % (src, one.pointer, dst, two.pointer))
    with b.block("for (unsigned %s = 1; %s < 8u; %s *= 2u)" % (i, i, i)):
        b.emit("%s[t] = %s[t] + (t >= %s ? %s[t - %s] : %s);" % (dst, src, i, src, i, b.value(1)))
        b.emit("__syncthreads();")
        swapped = b.fresh("tmp")
        b.emit("unsigned *%s = %s; %s = %s; %s = %s;" % (swapped, src, src, dst, dst, swapped))
    b.emit(b.place().update(b.rng, "%s[(t * 3u) %% %du]" % (src, n)))
    b.barrier()
    return True


@statement("block", weight=2, unusual=True)
def shared_scalar(b):
    """One thread sets what all read."""
    name, rng = b.fresh("one"), b.rng
    form = rng.randrange(4)
    if b.in_function and form == 3:
        form = 0
    if form == 0:
        b.emit("__shared__ unsigned %s;" % name)
        text = name
    elif form == 1:
        b.emit("__shared__ struct { unsigned first, rest[3]; } %s;" % name)
        text = name + ".rest[1]"
    elif form == 2:
        b.emit("__shared__ union { unsigned u; float f; } %s;" % name)
        text = name + ".u"
    else:
        name = text = b.kernel.file_name("one")
        b.kernel.top.append("__shared__ unsigned %s;" % name)
    b.barrier()
    if b.kernel.exited:
        b.emit("if (t == 0u) %s = 3u;" % text)
        b.emit("__syncthreads();")
        b.emit("if (t == 0u) %s += 3u;" % text)
    else:
        b.emit("if (t == %du) %s = %s;" % (rng.randrange(b.kernel.threads), text, b.value(1)))
        b.barrier()
        b.emit(b.place().update(rng, text))
    b.barrier()


@statement(weight=2)
def constant_table(b):
    kind = b.rng.choice(["__constant__ unsigned", "__device__ const unsigned", "__device__ unsigned", "static __constant__ unsigned"])
    name = b.kernel.file_name("table")
    b.kernel.top.append("%s %s[8] = {%s};" % (kind, name, ", ".join(b.expressions.constant() for _ in range(8))))
    b.emit(b.place().update(b.rng, "%s[%s]" % (name, b.index(8))))


@statement("block", weight=1)
def collect(b):
    """Threads take tickets in any order; what they collect is summed up."""
    found = own_array(b)
    if not found or b.kernel.exited:
        return False
    s, n, _ = found
    count, i, total = b.fresh("count"), b.fresh("i"), b.fresh("total")
    b.emit("__shared__ unsigned %s;" % count)
    b.barrier()
    b.emit("if (t == 0u) %s = 0u;" % count)
    b.barrier()
    b.emit("if (%s) %s[atomicAdd(&%s, 1u)] = %s;" % (b.condition(), s, count, b.value(1)))
    b.barrier()
    b.emit("unsigned %s = 0;" % total)
    b.emit("for (unsigned %s = 0; %s < %s; ++%s) %s += %s[%s] * %s[%s];" % (i, i, count, i, total, s, i, s, i))
    b.barrier()
    # In which slot each number lies is not known: they are set anew.
    b.emit("for (unsigned %s = t; %s < %du; %s += %du) %s[%s] = %s;" % (i, i, n, i, b.kernel.threads, s, i, i))
    b.barrier()
    b.declare(total)
    return True
