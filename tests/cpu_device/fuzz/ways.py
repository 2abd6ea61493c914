# SPDX-License-Identifier: Apache-2.0
"""Branches, loops, switches and returns, taken by all threads alike or by each as it likes."""
from body import statement
from values import Place


@statement(weight=3)
def if_lane(b):
    """Threads part ways."""
    condition = b.condition()
    ways = b.memory.snapshot()
    with b.changed(level="lane"):
        with b.block("if (%s)" % condition, "}"):
            b.inner(1, 3)
        if b.rng.random() < 0.5:
            if b.rng.random() < 0.3:
                with b.block("else if (%s)" % b.condition()):
                    b.inner(1, 2)
            with b.block("else"):
                b.inner(1, 3)
    b.memory.meet(ways)


@statement("block", weight=4)
def first_threads(b):
    """An if of its own between barriers, which the first threads of a row pass, or one of them."""
    b.barrier()
    x = "threadIdx.x"
    if b.rng.random() < 0.4:
        x = b.fresh("x")
        b.emit("%s %s = threadIdx.x;" % (b.rng.choice(["const int", "const unsigned", "unsigned", "const auto", "size_t",
                                                       "unsigned char", "short"]), x))
    bound = b.rng.choice(["blockDim.x / 2u", "%s %% 40u" % b.uniform(1), "(int)(%s %% 60u) - 20" % b.uniform(1),
                          "%s" % b.uniform(1), "%du" % b.rng.choice([0, 1, 31, 32, 33, 500])])
    also = " && %s" % b.condition() if b.rng.random() < 0.3 else ""
    before = b.memory.snapshot()
    with b.changed(level="lane"), b.block("if (%s %s %s%s)" % (x, b.rng.choice(["<", "<", "<", "=="]), bound, also)):
        b.inner(1, 2)
    b.memory.meet(before)
    b.barrier()
    return True


@statement("block", weight=4)
def if_uniform(b):
    before = b.memory.snapshot()
    with b.block("if (%s)" % b.condition(uniform=True)):
        b.inner(1, 4)
    after = b.memory.snapshot()
    b.memory.restore(before)
    if b.rng.random() < 0.4:
        with b.block("else"):
            b.inner(1, 3)
    b.memory.meet(after)


def loop_head(b, name, bound):
    """The head of a loop that counts to `bound`, upwards or downwards, and what counts."""
    form = b.rng.randrange(6)
    if form == 0:
        return "for (unsigned %s = 0; %s < %s; ++%s)" % (name, name, bound, name)
    if form == 1:
        return "for (unsigned %s = 0; %s < %s; %s += 1u)" % (name, name, bound, name)
    if form == 2:
        return "for (int %s = 0; %s < (int)(%s); %s++)" % (name, name, bound, name)
    if form == 3:
        return "for (unsigned %s = %s; %s > 0u; --%s)" % (name, bound, name, name)
    if form == 4:
        return "for (unsigned %s = 1; %s <= (1u << (%s)); %s <<= 1)" % (name, name, bound, name)
    return "for (unsigned %s = 1u << (%s); %s; %s >>= 1)" % (name, bound, name, name)


def counter(b, name, uniform):
    text = "(unsigned)%s" % name
    if uniform:
        b.scope.uniforms.append(text)
    else:
        b.scope.places.append(Place(text, names=[name], writable=False))


@statement("block", weight=5)
def loop_uniform(b):
    if b.depth >= 3:
        return False
    bound = b.rng.choice(["%du" % b.rng.randint(1, 3), "(%s) %% 3u + 1u" % b.uniform(1)])
    name = b.common("i")
    with b.loop_memory():
        with b.block(loop_head(b, name, bound)), b.changed(loop="block", in_switch=False):
            counter(b, name, True)
            b.inner(1, 4)
    b.scope.taken.discard(name)
    return True


@statement("block", weight=2)
def while_uniform(b):
    if b.depth >= 3:
        return False
    name = b.fresh("n")
    b.emit("unsigned %s = %s %% 3u + 1u;" % (name, b.uniform(1)))
    with b.loop_memory():
        do = b.rng.random() < 0.5
        with b.block("do" if do else "while (%s-- > 0u)" % name,
                     "} while (--%s > 0u);" % name if do else "}"), b.changed(loop="block", in_switch=False):
            b.scope.uniforms.append(name)
            b.inner(1, 4)
    return True


@statement("block", weight=1)
def leave_uniform(b):
    """break or continue that all threads take alike."""
    if b.loop != "block" or b.in_switch or b.level != "block":
        return False
    b.emit("if (%s) %s;" % (b.condition(uniform=True), b.rng.choice(["break", "continue"])))
    b.left_loop = True
    return True


@statement(weight=3)
def loop_lane(b):
    """A loop that each thread leaves when it likes, with break and continue."""
    if b.depth >= 3:
        return False
    bound = b.rng.choice(["(%s) %% 5u" % b.value(1), "%du" % b.rng.randint(1, 4), "((%s) & 3u)" % b.value(1)])
    name = b.common("j")
    head = loop_head(b, name, bound)
    with b.block(head), b.changed(level="lane", loop="lane", in_switch=False):
        counter(b, name, False)
        if b.rng.random() < 0.4:
            b.emit("if (%s) continue;" % b.condition())
        b.inner(1, 3)
        if b.rng.random() < 0.4:
            b.emit("if (%s) break;" % b.condition())
            b.inner(0, 2)
    b.scope.taken.discard(name)
    return True


@statement(weight=2)
def while_lane(b):
    if b.depth >= 3:
        return False
    name = b.fresh("u")
    b.emit("unsigned %s = %s %% 7u;" % (name, b.value(1)))
    form = b.rng.randrange(3)
    head, tail = [("while (%s > 0u)" % name, "}"), ("while (true)", "}"),
                  ("do", "} while (%s != 0u && %s < 7u);" % (name, name))][form]
    with b.block(head, tail), b.changed(level="lane", loop="lane", in_switch=False):
        if form == 1:
            b.emit("if (%s == 0u) break;" % name)
        b.emit("%s -= 1u;" % name)
        b.scope.places.append(Place(name, writable=False))
        b.inner(1, 3)
        if form != 2 and b.rng.random() < 0.3:
            b.emit("if (%s) continue;" % b.condition())
            b.inner(0, 2)
    return True


@statement(weight=2)
def switch_lane(b):
    count = b.rng.randint(2, 4)
    ways = b.memory.snapshot()
    with b.block("switch (%s %% %du)" % (b.value(1), count + 1)), b.changed(level="lane", in_switch=True):
        for case in range(count):
            with b.block("case %du:" % case if b.rng.random() < 0.85 else "case %du: case %du:" % (case, 90 + case)):
                b.inner(1, 2)
            if b.rng.random() < 0.75:
                b.emit("break;")
        if b.rng.random() < 0.7:
            with b.block("default:"):
                b.inner(1, 2)
    b.memory.meet(ways)


@statement("block", weight=1)
def switch_uniform(b):
    before = b.memory.snapshot()
    ends, falls = [before], None
    with b.block("switch (%s %% 4u)" % b.uniform(1)), b.changed(in_switch=True):
        for case in range(b.rng.randint(2, 3)):
            b.memory.restore(before)
            if falls is not None:
                b.memory.meet(falls)
            with b.block("case %du:" % case):
                b.inner(1, 3)
            falls = b.memory.snapshot() if b.rng.random() < 0.3 else None
            ends.append(b.memory.snapshot())
            if falls is None:
                b.emit("break;")
    for end in ends:
        b.memory.meet(end)


@statement("block", weight=1)
def early_return(b):
    """Threads, or whole blocks, that are done; only where a kernel's outermost statements are."""
    if not b.may_return or b.depth or b.kernel.exits >= 2:
        return False
    b.kernel.exits += 1
    if b.rng.random() < 0.3:
        b.emit("if (blockIdx.x == %du) return;" % b.rng.randint(1, 3))
        return True
    if b.kernel.full:
        return False
    b.kernel.exited = True
    name = b.fresh("gone")
    condition = b.rng.choice(["t >= %du" % b.rng.randint(1, max(1, b.kernel.threads - 1)), "t %% %du == %du" % (
        b.rng.randint(2, 7), b.rng.randint(0, 1)), b.condition()])
    b.emit("const bool %s = %s;" % (name, condition))
    b.emit("wm = __ballot_sync(wm, !%s);" % name)
    b.emit(b.rng.choice(["if (%s) return;", "if (%s) { out[gid * 4u] = 77u; return; }"]) % name)
    return True


@statement("block", weight=2)
def loop_with_more(b):
    """A loop whose head holds numbers of the thread's own, or whose counter lives on."""
    if b.depth >= 3:
        return False
    i, x, form = b.fresh("i"), b.fresh("x"), b.rng.randrange(4)
    if form >= 2:
        b.emit("unsigned %s%s;" % (i, " = 0u" if form == 3 else ""))
    head = ["for (unsigned {i} = 0, {x} = {v}; {i} < {n}; ++{i}, {x} += {w})", "for (unsigned {i} = {n}, {x} = {v}; {i}-- > 0u; {x} ^= {w})",
            "for ({i} = 0; {i} < {n}; {i}++)", "while ({i} < {n})"][form].format(
                i=i, x=x, n="%du" % b.rng.randint(1, 3), v=b.value(1), w=b.value(1))
    with b.loop_memory(), b.block(head), b.changed(loop=None, in_switch=False):
        if form == 3:
            b.emit("++%s;" % i)
        b.scope.uniforms.append(i)
        if form < 2:
            b.declare(x)
        b.inner(1, 3)
        if form != 3 and b.rng.random() < 0.3:
            b.emit("if (%s) ++%s;" % (b.condition(uniform=True), i) if form != 1 else "if (%s > 0u) --%s;" % (i, i))
    if form >= 2:
        b.scope.uniforms.append(i)
    return True
