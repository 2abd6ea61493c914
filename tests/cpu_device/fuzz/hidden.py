# SPDX-License-Identifier: Apache-2.0
"""Unusual forms, part 2: barriers where few look for them."""
from body import statement
from functions import plain_arrays
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
        top += ["__device__ unsigned %s(unsigned t, unsigned y) {" % name, "  __shared__ unsigned s[%d];" % n,
                "  for (unsigned q = t; q < %du; q += blockDim.x * blockDim.y * blockDim.z) s[q] = q;" % n,
                "  __syncthreads();"] + body + ["  return z;", "}"]
        result(b, "%s(t, %s)" % (name, v))
    else:
        top += ["__device__ unsigned in_%s(unsigned *s, unsigned t, unsigned y) {" % name] + body + ["  return z;", "}",
                "__device__ unsigned %s(unsigned *s, unsigned t, unsigned y) {" % name,
                "  if (y == 0u) y = 1u;", "  unsigned x = in_%s(s, t, y) + y;" % name, "  return in_%s(s, t, x) ^ y;" % name, "}"]
        result(b, "%s(%s, t, %s)" % (name, s, v))
    b.memory.barrier()
    return True
