# SPDX-License-Identifier: Apache-2.0
"""Unusual forms, part 2: barriers where few look for them."""
from body import statement
from functions import plain_arrays
from memory import CLEAN
from unusual import swap
from values import Place


def own_array(b):
    """(pointer, length, shift) of an array in which thread t may write slot t; or None."""
    arrays = plain_arrays(b)
    if not arrays:
        return None
    array = b.rng.choice(arrays)
    b.ready(array, ("own", "own"))
    return array.pointer, array.length, b.rng.randrange(1, 40)


def turn_lines(s, n, shift, v="y"):
    """A whole exchange: slot t is written, another one is returned, and all have read."""
    return ["%s[t] = %s;" % (s, v), "__syncthreads();", "unsigned z = %s[(t + %du) %% %du];" % (s, shift, n),
            "__syncthreads();"]


def result(b, text):
    """Takes the value of something that waited: into a new variable, or an old one."""
    form = b.rng.randrange(3)
    if form == 0:
        b.emit("%s = %s;" % (simple(b), text))
        return
    name = b.fresh("v")
    if form == 1:
        b.emit("unsigned %s = %s;" % (name, text))
    else:
        b.emit("const unsigned %s = (%s) ^ (%s);" % (name, b.value(1), text))
    b.declare(name, writable=form == 1)


def simple(b):
    """The name of an unsigned variable."""
    names = [p.text for p in b.places() if p.plain and p.text.isidentifier()]
    return b.rng.choice(names) if names else b.plain_place().text


@statement("block", weight=2, unusual=True)
def macro_exchange(b):
    found = own_array(b)
    if not found:
        return False
    s, n, shift = found
    name, target = b.kernel.file_name("EXCHANGE"), b.plain_place().text
    form = b.rng.randrange(4)
    if form == 0:
        b.kernel.top.append("#define %s(s, v) do { s[t] = v; __syncthreads(); v = s[(t + %du) %% %du]; __syncthreads(); } while (0)"
                            % (name, shift, n))
        b.emit("%s(%s, %s);" % (name, s, target))
    elif form == 1:
        b.kernel.top += ["#define %s(s, v, to) \\" % name, "  s[t] = (v); \\", "  __syncthreads(); \\",
                         "  to += s[(t + %du) %% %du]; \\" % (shift, n), "  __syncthreads()"]
        b.emit("%s(%s, %s, %s);" % (name, s, b.value(1), target))
    elif form == 2:
        fresh = b.fresh("v")
        b.kernel.top.append("#define %s(name, s, v) s[t] = v; __syncthreads(); unsigned name = s[(t + %du) %% %du]; __syncthreads();"
                            % (name, shift, n))
        b.emit("%s(%s, %s, %s)" % (name, fresh, s, b.value(1)))
        b.declare(fresh)
    else:
        b.kernel.top.append("#define %s(i, count) for (unsigned i = 0; i < (count); ++i)" % name)
        i = b.fresh("i")
        with b.block("%s(%s, %du)" % (name, i, b.rng.randint(1, 3))):
            for line in turn_lines(s, n, shift, "%s + %s" % (i, b.value(1))):
                b.emit(line)
            b.emit("%s ^= z;" % target)
    b.memory.barrier()
    return True


@statement("block", weight=2, unusual=True)
def lambda_waits(b):
    found = own_array(b)
    if not found:
        return False
    s, n, shift = found
    place, name = b.plain_place(), b.fresh("turn")
    form = b.rng.randrange(4)
    body = " ".join(turn_lines(s, n, shift))
    if form == 0:
        b.emit("auto %s = [&](unsigned y) { %s return z; };" % (name, body))
        result(b, "%s(%s)" % (name, b.value(1)))
    elif form == 1:
        b.emit("auto %s = [&](unsigned y) { %s %s += z; };" % (name, body, place.text))
        b.emit("%s(%s);" % (name, b.value(1)))
        if b.rng.random() < 0.5:
            b.emit("%s(%s);" % (name, b.value(1)))
    elif form == 2:
        b.emit("[&] { unsigned y = %s; %s %s ^= z; }();" % (b.value(1), body, place.text))
    else:
        function = b.kernel.file_name("twice")
        b.kernel.top += ["template <class F>", "__device__ void %s(F f) {" % function, "  f(3u);", "  __syncthreads();",
                         "  f(5u);", "}"]
        b.emit("%s([&](unsigned y) { %s %s += z; });" % (function, body, place.text))
    b.memory.barrier()
    return True


@statement("block", weight=3, unusual=True)
def object_waits(b):
    """Methods, operators and constructors with barriers in them."""
    found = own_array(b)
    if not found:
        return False
    s, n, shift = found
    kind, name = b.kernel.file_name("Tile"), b.fresh("tile")
    body = ["    " + line for line in turn_lines("s", n, shift)]
    form = b.rng.randrange(8)
    heads = ["unsigned turn(unsigned y)", "unsigned operator()(unsigned y) const", "unsigned operator[](unsigned y)",
             "static unsigned turn(unsigned *s, unsigned t, unsigned y)", "unsigned operator+(unsigned y) const"]
    b.kernel.top += ["struct %s {" % kind, "  unsigned *s, t, got;"]
    if form < 5:
        b.kernel.top += ["  __device__ %s {" % heads[form]] + body + ["    return z;", "  }", "};"]
        call = ["%s.turn(%s)", "%s(%s)", "%s[%s]", None, "%s + (%s)"][form]
        if form == 3:
            result(b, "%s::turn(%s, t, %s)" % (kind, s, b.value(1)))
        else:
            b.emit("%s %s = {%s, t, 0u};" % (kind, name, s))
            result(b, call % (name, b.value(1)))
    elif form == 5:
        b.kernel.top += ["  __device__ %s(unsigned *where, unsigned own, unsigned y) : s(where), t(own) {" % kind] + body + [
            "    got = z;", "  }", "};"]
        b.emit("%s %s(%s, t, %s);" % (kind, name, s, b.value(1)))
        b.scope.places.append(Place("%s.got" % name, names=[name]))
    elif form == 6:
        b.kernel.top += ["  __device__ %s &turn(unsigned y) {" % kind] + body + ["    got += z;", "    return *this;", "  }", "};"]
        b.emit("%s %s{%s, t, %s};" % (kind, name, s, b.value(1)))
        b.emit("%s.turn(%s).turn(%s);" % (name, b.value(1), b.value(1)))
        b.scope.places.append(Place("%s.got" % name, names=[name]))
    else:
        b.kernel.top += ["  __device__ %s(unsigned *where, unsigned own) : s(where), t(own), got(own) {}" % kind,
                         "  __device__ ~%s() {" % kind, "    unsigned y = got;"] + body + ["    s[t] = z;", "    __syncthreads();",
                                                                                         "  }", "};"]
        with b.block(""):
            b.emit("%s %s(%s, t);" % (kind, name, s))
            b.emit("%s.got += %s;" % (name, b.value(1)))
    b.memory.barrier()
    return True


@statement("block", weight=3, unusual=True)
def function_forms(b):
    """Functions with barriers: templates, overloads, namespaces, pointers to them, structures."""
    found = own_array(b)
    if not found:
        return False
    s, n, shift = found
    top, rng = b.kernel.top, b.rng
    name = b.kernel.file_name(rng.choice(["turn", "make_pair_of", "curand_mix", "__hadd_like", "__vadd_", "sync_tile", "abs_", "tile_sync"]))
    body = ["  " + line for line in turn_lines("s", n, shift)]
    form = rng.randrange(11)
    v = b.value(1)
    if form == 0:
        top += ["template <int N, class T>", "__device__ T %s(T *s, unsigned t, T y) {" % name] + body + ["  return z + N;", "}"]
        result(b, "%s<%d>(%s, t, %s)" % (name, rng.randrange(9), s, v))
    elif form == 1:
        top += ["__device__ unsigned %s(unsigned y) { return y * 3u; }" % name,
                "__device__ unsigned %s(unsigned *s, unsigned t, unsigned y) {" % name] + body + ["  return z;", "}"]
        result(b, "%s(%s, t, %s(%s))" % (name, s, name, v))
    elif form == 2:
        top += ["namespace in_%s {" % name, "__device__ unsigned %s(unsigned *s, unsigned t, unsigned y) {" % name] + body + [
            "  return z;", "}", "}"]
        if rng.random() < 0.5:
            b.emit(rng.choice(["using in_%s::%s;" % (name, name), "using namespace in_%s;" % name]))
            result(b, "%s(%s, t, %s)" % (name, s, v))
        else:
            result(b, "in_%s::%s(%s, t, %s)" % (name, name, s, v))
    elif form == 3:
        top += ["__device__ unsigned %s(unsigned *s, unsigned t, unsigned y) {" % name] + body + ["  return z;", "}"]
        pointer = b.fresh("fp")
        b.emit(rng.choice(["unsigned (*%s)(unsigned *, unsigned, unsigned) = %s;", "auto %s = &%s;", "auto *%s = %s;"]) % (pointer, name))
        result(b, "%s(%s, t, %s)" % (pointer, s, v))
    elif form == 4:
        kind = b.kernel.file_name("Both")
        top += ["struct %s { unsigned x, y[2]; };" % kind,
                "__device__ %s %s(unsigned *s, unsigned t, unsigned y) {" % (kind, name)] + body + ["  return {z, {y, z ^ y}};", "}"]
        pair = b.fresh("pair")
        b.emit("%s %s = %s(%s, t, %s);" % (kind, pair, name, s, v))
        b.scope.places += [Place(pair + ".x", names=[pair]), Place(pair + ".y[1]", names=[pair])]
    elif form == 5:
        kind, pair = b.kernel.file_name("Both"), b.fresh("pair")
        top += ["struct %s { unsigned x, y[2]; };" % kind,
                "__device__ void %s(unsigned *s, unsigned t, %s &p) {" % (name, kind), "  unsigned *q = p.y, y = p.x;"] + body + [
                    "  q[1] += z;", "  p.x = q[0];", "}"]
        b.emit("%s %s = {%s, {%s, 4u}};" % (kind, pair, v, b.value(1)))
        b.emit("%s(%s, t, %s);" % (name, s, pair))
        b.scope.places += [Place(pair + ".x", names=[pair]), Place(pair + ".y[1]", names=[pair])]
    elif form == 6:
        top += ["__device__ unsigned %s(unsigned *s, unsigned t, unsigned y = 7u, unsigned more = 2u) {" % name] + body + [
            "  return z + more;", "}"]
        result(b, "%s(%s, t%s)" % (name, s, rng.choice(["", ", " + v])))
    elif form == 7:
        top += ["__device__ unsigned &%s(unsigned *s, unsigned t, unsigned &y) {" % name] + body + ["  y += z;", "  return y;", "}"]
        b.emit("%s(%s, t, %s) ^= 5u;" % (name, s, b.plain_place().text))
    elif form == 8:
        top += ["__device__ unsigned %s(unsigned *s, unsigned t, unsigned (&a)[3]) {" % name, "  unsigned y = a[1];"] + body + [
            "  a[2] ^= z;", "  return a[0];", "}"]
        arr = b.fresh("arr")
        b.emit("unsigned %s[3] = {%s, %s, 5u};" % (arr, v, b.value(1)))
        result(b, "%s(%s, t, %s)" % (name, s, arr))
        b.scope.places.append(Place(arr + "[2]", names=[arr]))
    elif form == 9:
        top += ["__device__ unsigned %s(unsigned t, unsigned y) {" % name, "  __shared__ unsigned s[%d];" % n] + body + [
            "  return z;", "}"]
        result(b, "%s(t, %s)" % (name, v))
    else:
        top += ["__device__ unsigned in_%s(unsigned *s, unsigned t, unsigned y) {" % name] + body + ["  return z;", "}",
                "__device__ unsigned %s(unsigned *s, unsigned t, unsigned y) {" % name,
                "  if (y == 0u) y = 1u;", "  unsigned x = in_%s(s, t, y) + y;" % name, "  return in_%s(s, t, x) ^ y;" % name, "}"]
        result(b, "%s(%s, t, %s)" % (name, s, v))
    b.memory.barrier()
    return True


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
