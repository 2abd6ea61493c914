# SPDX-License-Identifier: Apache-2.0
"""Unusual forms, part 3: ways by which the address of a thread's own variable gets somewhere."""
from body import statement
from unusual import swap
from values import Place


def simple_place(b):
    return b.plain_place().text


@statement("block", weight=3, unusual=True)
def address_returned(b):
    """A function gives back an address, or a reference, that it was given."""
    top, rng = b.kernel.top, b.rng
    function, name, one, other = b.kernel.file_name("same"), b.fresh("p"), simple_place(b), simple_place(b)
    form = rng.randrange(6)
    qualifier = rng.choice(["__device__", "__device__ __forceinline__", "static __device__", "__host__ __device__"])
    if form == 0:
        top.append("%s unsigned *%s(unsigned *x, unsigned *y, bool first) { return first ? x : y; }" % (qualifier, function))
        b.emit("unsigned *%s = %s(&%s, &%s, %s);" % (name, function, one, other, b.condition()))
        text = "*" + name
    elif form == 1:
        top.append("%s unsigned &%s(unsigned &x) { return x; }" % (qualifier, function))
        b.emit("%s &%s = %s(%s);" % (rng.choice(["unsigned", "auto"]), name, function, one))
        text = name
    elif form == 2:
        kind = b.kernel.file_name("View")
        top += ["struct %s { unsigned *at; unsigned count; };" % kind,
                "%s %s %s(unsigned *x) { return {x, 1u}; }" % (qualifier, kind, function)]
        b.emit("%s %s = %s(&%s);" % (rng.choice([kind, "auto", "const " + kind]), name, function, one))
        text = "%s.at[0]" % name
    elif form == 3:
        top += ["template <class T>", "%s T *%s(T &x) { return &x; }" % (qualifier, function)]
        b.emit("auto %s = %s(%s);" % (name, function, one))
        text = "*" + name
    elif form == 4:
        top.append("%s void %s(unsigned **to, unsigned *x) { *to = x; }" % (qualifier, function))
        b.emit("unsigned *%s; %s(&%s, &%s);" % (name, function, name, one))
        text = "*" + name
    else:
        top.append("%s void %s(unsigned *&to, unsigned &x) { to = &x; }" % (qualifier, function))
        b.emit("unsigned *%s = nullptr;" % name)
        b.emit("%s(%s, %s);" % (function, name, one))
        text = "*" + name
    b.scope.places.append(Place(text, names=[name]))
    swap(b)
    b.emit("%s += %s;" % (text, b.value(1)))
    return True


@statement("block", weight=3, unusual=True)
def address_hidden(b):
    """An address in a structure, a number, a union, an array or in shared memory."""
    top, rng = b.kernel.top, b.rng
    kind, name, one = b.kernel.file_name("Holder"), b.fresh("h"), simple_place(b)
    form = rng.randrange(9)
    if form == 0:
        top.append("struct %s { unsigned &to; unsigned by; };" % kind)
        b.emit("%s %s = {%s, %s};" % (kind, name, one, b.value(1)))
        text = name + ".to"
    elif form == 1:
        b.emit("unsigned long long %s = (unsigned long long)&%s;" % (name, one))
        text = "*(unsigned *)%s" % name
    elif form == 2:
        b.emit("union { unsigned *p; unsigned long long number; } %s;" % name)
        b.emit("%s.p = &%s;" % (name, one))
        text = "*%s.p" % name
    elif form == 3:
        b.emit("__shared__ unsigned *%s[%d];" % (name, b.kernel.threads))
        b.emit("%s[t] = &%s;" % (name, one))
        text = "*%s[t]" % name
    elif form == 4:
        arr = b.fresh("arr")
        top.append("struct %s { unsigned *first, *last; };" % kind)
        b.emit("unsigned %s[4] = {%s, %s, 3u, 4u};" % (arr, b.value(1), b.value(1)))
        b.emit("%s %s = {%s, %s + 4};" % (kind, name, arr, arr))
        text = "%s.last[-1]" % name
    elif form == 5:
        top += ["struct %s {" % kind, "  unsigned v;", "  __device__ unsigned &get() { return v; }",
                "  __device__ %s *self() { return this; }" % kind, "};"]
        at = b.fresh("at")
        b.emit("%s %s = {%s};" % (kind, name, b.value(1)))
        b.emit(rng.choice(["unsigned &%s = %s.get();", "unsigned &%s = %s.self()->v;"]) % (at, name))
        b.scope.places.append(Place(name + ".v", names=[name]))
        name = text = at
    elif form == 6:
        top += ["template <class T, int N>", "struct %s {" % kind, "  T x[N];",
                "  __device__ T &operator[](unsigned i) { return x[i %% N]; }".replace("%%", "%"),
                "  __device__ T *begin() { return x; }", "  __device__ T *end() { return x + N; }", "};"]
        at = b.fresh("at")
        b.emit("%s<unsigned, 3> %s = {{%s, %s, 5u}};" % (kind, name, b.value(1), b.value(1)))
        b.emit(rng.choice(["unsigned *%s = &%s[1];", "auto %s = %s.begin();", "auto *%s = %s.x;"]) % (at, name))
        if b.depth < 3 and rng.random() < 0.4:
            with b.loop_memory(), b.block("for (unsigned &each : %s)" % name), b.changed(loop="block", in_switch=False):
                swap(b)
                b.emit("each += %s;" % b.value(1))
        b.scope.places.append(Place("%s[2]" % name, names=[name]))
        name, text = at, "*" + at
    elif form == 7:
        b.emit("void *%s = &%s;" % (name, one))
        text = rng.choice(["*(unsigned *)%s", "*static_cast<unsigned *>(%s)", "((unsigned *)%s)[0]"]) % name
    else:
        b.emit("unsigned char *%s = (unsigned char *)&%s;" % (name, one))
        text = "*(unsigned *)%s" % name
    b.scope.places.append(Place(text, names=[name]))
    swap(b)
    b.emit("%s ^= %s;" % (text, b.value(1)))
    return True


@statement("block", weight=2, unusual=True)
def address_walks(b):
    """A pointer that walks over a local array while threads wait for one another."""
    if b.depth >= 3:
        return False
    arr, p = b.fresh("arr"), b.fresh("p")
    b.emit("unsigned %s[4] = {%s, %s, 7u, 9u};" % (arr, b.value(1), b.value(1)))
    head = b.rng.choice(["for (unsigned *{p} = {a}; {p} != {a} + 4; ++{p})", "for (unsigned *{p} = {a}, *e{p} = {a} + 3; {p} < e{p}; {p}++)",
                         "for (auto {p} = {a} + 1; {p} - {a} < 4; {p} += 2)"]).format(p=p, a=arr)
    with b.loop_memory(), b.block(head), b.changed(loop="block", in_switch=False):
        b.scope.places.append(Place("*" + p, names=[p]))
        swap(b)
        b.emit("*%s += %s;" % (p, b.value(1)))
    b.scope.places.append(Place(arr + "[3]", names=[arr]))
    return True


@statement("block", weight=2, unusual=True)
def odd_alias(b):
    """Types of locals by roundabout names."""
    top, rng, name = b.kernel.top, b.rng, b.fresh("f")
    kind, p = b.kernel.file_name("Alias"), b.fresh("p")
    form = rng.randrange(7)
    if form == 0:
        top += ["template <class T>", "using %s = T[4];" % kind]
        b.emit("%s<unsigned> %s = {%s, %s};" % (kind, name, b.value(1), b.value(1)))
    elif form == 1:
        top.append("struct %s { typedef unsigned row[4]; using word = unsigned; };" % kind)
        b.emit("%s::row %s = {%s::word(%s), %s};" % (kind, name, kind, b.value(1), b.value(1)))
    elif form == 2:
        top.append("typedef unsigned *%s;" % kind)
        base = b.fresh("base")
        b.emit("unsigned %s[4] = {%s, %s};" % (base, b.value(1), b.value(1)))
        b.emit("%s %s = %s;" % (kind, name, base))
    elif form == 3:
        base = b.fresh("base")
        b.emit("unsigned %s[4] = {%s, %s};" % (base, b.value(1), b.value(1)))
        b.emit("decltype(%s) %s = {%s[0], %s[1] + 3u};" % (base, name, base, base))
    elif form == 4:
        top += ["namespace in_%s { typedef unsigned row[4]; }" % kind]
        b.emit(rng.choice(["using in_%s::row;" % kind, "using namespace in_%s;" % kind, ""]) or ";")
        b.emit("in_%s::row %s = {%s, %s};" % (kind, name, b.value(1), b.value(1)))
    elif form == 5:
        top += ["template <class T> struct in_%s { T x[4]; };" % kind, "using %s = in_%s<unsigned>;" % (kind, kind)]
        holder = b.fresh("h")
        b.emit("%s %s = {{%s, %s}};" % (kind, holder, b.value(1), b.value(1)))
        b.emit("auto &%s = %s.x;" % (name, holder))
    else:
        b.emit("typedef struct { unsigned x[4]; } %s_here;" % kind)
        holder = b.fresh("h")
        b.emit("%s_here %s = {{%s, %s}};" % (kind, holder, b.value(1), b.value(1)))
        b.emit("unsigned *%s = %s.x;" % (name, holder))
    b.emit(rng.choice(["unsigned *%s = %s;", "auto %s = %s + 0;", "unsigned *%s = &%s[0];"]) % (p, name))
    b.scope.places += [Place("%s[1]" % p, names=[p]), Place("%s[2]" % name, names=[name])]
    swap(b)
    b.emit("%s[%s] += %s;" % (p, b.index(4), b.value(1)))
    return True
