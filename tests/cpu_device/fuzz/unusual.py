# SPDX-License-Identifier: Apache-2.0
"""Unusual forms, part 1: something of a thread's own lives across a barrier under another name."""
from body import statement
from values import Place


def swap(b):
    """Something that makes all threads wait, so that what came before has to be kept."""
    names = ["exchange"] * 4 + ["barrier_alone", "barrier_counts", "call_function", "shuffle"]
    for _ in range(9):
        name = b.rng.choice(names)
        for s in b.kernel.statements:
            if s.name == name and b.level in s.levels and s.write(b) is not False:
                return
    b.barrier()


@statement("block", weight=2, unusual=True)
def pointer_to_local(b):
    place, name = b.plain_place(), b.fresh("p")
    b.emit("%s = &%s;" % (b.rng.choice(["unsigned *%s", "auto %s", "auto *%s", "unsigned *const %s"]) % name, place.text))
    b.scope.places.append(Place("*" + name, names=[name]))
    swap(b)
    b.emit("*%s += %s;" % (name, b.value(1)))


@statement("block", weight=2, unusual=True)
def pointer_chosen(b):
    one, other, name = b.plain_place(), b.plain_place(), b.fresh("p")
    b.emit("unsigned *%s = %s ? &%s : &%s;" % (name, b.condition(), one.text, other.text))
    b.scope.places.append(Place("*" + name, names=[name]))
    swap(b)
    if b.rng.random() < 0.5:
        b.emit("if (%s) %s = &%s;" % (b.condition(), name, one.text))
        swap(b)
    b.emit("*%s ^= %s;" % (name, b.value(1)))


@statement("block", weight=1, unusual=True)
def pointer_to_pointer(b):
    place, p, pp = b.plain_place(), b.fresh("p"), b.fresh("pp")
    b.emit("unsigned *%s = &%s, **%s = &%s;" % (p, place.text, pp, p))
    b.scope.places.append(Place("**" + pp, names=[pp]))
    swap(b)
    b.emit("**%s -= %s;" % (pp, b.value(1)))


@statement("block", weight=1, unusual=True)
def array_of_pointers(b):
    one, other, name = b.plain_place(), b.plain_place(), b.fresh("ps")
    b.emit("unsigned *%s[2] = {&%s, &%s};" % (name, one.text, other.text))
    b.scope.places.append(Place("*%s[1]" % name, names=[name]))
    swap(b)
    b.emit("*%s[%s] += %s;" % (name, b.index(2), b.value(1)))


@statement("block", weight=2, unusual=True)
def member_array(b):
    kind, name, p = b.fresh("Frag"), b.fresh("f"), b.fresh("p")
    where = b.kernel.top.append if b.rng.random() < 0.5 else b.emit
    if where != b.emit:
        kind = b.kernel.file_name("Frag")
    where("struct %s { unsigned x[4]; };" % kind)
    b.emit("%s %s = {{%s, %s}};" % (kind, name, b.value(1), b.value(1)))
    form = b.rng.randrange(4)
    if form == 0:
        b.emit("unsigned *%s = %s.x;" % (p, name))
    elif form == 1:
        b.emit("unsigned (&%s)[4] = %s.x;" % (p, name))
    elif form == 2:
        b.emit("auto &%s = %s.x;" % (p, name))
    else:
        b.emit("unsigned *%s = &%s.x[0];" % (p, name))
    b.scope.places += [Place("%s[1]" % p, names=[p]), Place("%s.x[2]" % name, names=[name])]
    swap(b)
    b.emit("%s[%s] += %s;" % (p, b.index(4), b.value(1)))


@statement("block", weight=1, unusual=True)
def nested_struct(b):
    outer, name, p = b.fresh("Outer"), b.fresh("o"), b.fresh("p")
    b.emit("struct %s { struct { unsigned a, rows[2][3]; } in; unsigned tail; };" % outer)
    b.emit("%s %s = {};" % (outer, name))
    b.emit("%s.in.a = %s;" % (name, b.value(1)))
    b.emit("unsigned (*%s)[3] = %s.in.rows;" % (p, name))
    b.scope.places += [Place("%s[1][2]" % p, names=[p]), Place("%s.in.a" % name, names=[name]),
                       Place("%s.tail" % name, names=[name])]
    swap(b)
    b.emit("%s[%s][%s] += %s;" % (p, b.index(2), b.index(3), b.value(1)))
    if b.rng.random() < 0.5:
        copy = b.fresh("c")
        b.emit("%s %s = %s;" % (outer, copy, name))
        swap(b)
        b.emit("%s = %s;" % (name, copy))


@statement("block", weight=2, unusual=True)
def array_alias(b):
    kind, name, p = b.fresh("Row"), b.fresh("f"), b.fresh("p")
    where = b.emit
    if b.rng.random() < 0.4:
        kind, where = b.kernel.file_name("Row"), b.kernel.top.append
        if b.rng.random() < 0.5:  # a name that means something else outside
            where("typedef unsigned %s;" % kind)
            where = b.emit
    where(b.rng.choice(["typedef unsigned %s[4];", "using %s = unsigned[4];"]) % kind)
    b.emit("%s %s = {%s, %s};" % (kind, name, b.value(1), b.value(1)))
    b.emit(b.rng.choice(["unsigned *%s = %s;", "auto %s = %s;", "auto &%s = %s;", kind + " &%s = %s;"]) % (p, name))
    b.scope.places += [Place("%s[1]" % p, names=[p]), Place("%s[2]" % name, names=[name])]
    swap(b)
    b.emit("%s[%s] += %s;" % (p, b.index(4), b.value(1)))


@statement("block", weight=1, unusual=True)
def type_alias(b):
    kind, name = b.fresh("word"), b.fresh("v")
    b.emit(b.rng.choice(["typedef unsigned %s;", "using %s = unsigned;", "using %s = unsigned int;"]) % kind)
    b.emit("%s %s = %s, *%s_at = &%s;" % (kind, name, b.value(), name, name))
    b.declare(name)
    b.scope.places.append(Place("*%s_at" % name, names=[name + "_at"]))
    swap(b)


@statement("block", weight=2, unusual=True)
def self_pointer(b):
    kind, name = b.fresh("Node"), b.fresh("node")
    b.emit("struct %s { unsigned value; unsigned *at; };" % kind)
    b.emit("%s %s;" % (kind, name))
    b.emit("%s.value = %s;" % (name, b.value()))
    b.emit("%s.at = &%s.value;" % (name, name))
    b.scope.places += [Place("*%s.at" % name, names=[name]), Place("%s.value" % name, names=[name])]
    swap(b)
    b.emit("*%s.at += %s;" % (name, b.value(1)))


@statement("block", weight=1, unusual=True)
def linked_nodes(b):
    kind, one, two = b.fresh("Link"), b.fresh("l"), b.fresh("l")
    b.emit("struct %s { unsigned v; %s *next; };" % (kind, kind))
    b.emit("%s %s = {%s, nullptr}, %s = {%s, &%s};" % (kind, one, b.value(1), two, b.value(1), one))
    b.emit("%s.next = &%s;" % (one, two))
    b.scope.places += [Place("%s.next->v" % two, names=[two]), Place("%s.next->next->v" % one, names=[one])]
    swap(b)
    b.emit("%s.next->v ^= %s;" % (one, b.value(1)))


@statement("block", weight=2, unusual=True)
def reference_local(b):
    place, name = b.plain_place(), b.fresh("ref")
    b.emit("%s &%s = %s;" % (b.rng.choice(["unsigned", "auto"]), name, place.text))
    b.scope.places.append(Place(name))
    swap(b)
    b.emit("%s += %s;" % (name, b.value(1)))


@statement("block", weight=1, unusual=True)
def reference_to_value(b):
    """The value lives as long as the reference."""
    name = b.fresh("kept")
    b.emit("%s%s = (unsigned)(%s);" % (b.rng.choice(["const unsigned &", "unsigned &&", "auto &&"]), name, b.value()))
    b.scope.places.append(Place(name, writable=False))
    swap(b)


@statement("block", weight=1, unusual=True)
def structured_binding(b):
    kind, x, y = b.fresh("Pair"), b.fresh("x"), b.fresh("y")
    b.emit("struct %s { unsigned first, second; };" % kind)
    if b.rng.random() < 0.5:
        b.emit("auto [%s, %s] = %s{%s, %s};" % (x, y, kind, b.value(1), b.value(1)))
    else:
        name = b.fresh("pair")
        b.emit("%s %s = {%s, %s};" % (kind, name, b.value(1), b.value(1)))
        b.emit("auto &[%s, %s] = %s;" % (x, y, name))
    b.scope.places += [Place(x), Place(y)]
    swap(b)
    b.emit("%s += %s;" % (x, y))


@statement("block", weight=2, unusual=True)
def lambda_local(b):
    place, name, fresh = b.plain_place(), b.fresh("step"), b.fresh("v")
    form = b.rng.randrange(5)
    if form == 0:
        b.emit("auto %s = [&](unsigned x) { %s += x; return %s ^ x; };" % (name, place.text, place.text))
    elif form == 1:
        b.emit("auto %s = [=](unsigned x) { return (%s) + x; };" % (name, b.value(1)))
    elif form == 2:
        b.emit("auto %s = [kept = %s](unsigned x) mutable { return kept += x; };" % (name, b.value(1)))
    elif form == 3:
        b.emit("auto %s = [&to = %s](auto x) { to ^= x; return to; };" % (name, place.text))
    else:
        b.emit("const auto %s = [&](unsigned x) -> unsigned {" % name)
        b.emit("  if (x & 1u) { %s -= x; }" % place.text)
        b.emit("  return %s;" % place.text)
        b.emit("};")
    swap(b)
    b.emit("unsigned %s = %s(%s);" % (fresh, name, b.value(1)))
    b.declare(fresh)


@statement("block", weight=2, unusual=True)
def shadowed(b):
    """An inner variable takes an outer one's name."""
    outer = [p for p in b.places() if p.plain and p.text.isidentifier()]
    if not outer or b.depth >= 4:
        return False
    name = b.rng.choice(outer).text
    some = "if (blockDim.x != 0u)" if b.in_function else "if (n != 0u)" # functions have no n
    with b.block(b.rng.choice(["", "if (true)", some, "for (int once = 0; once < 1; ++once)"])):
        b.emit("unsigned %s = %s;" % (name, b.expressions.constant()))
        b.scope.hidden.add(name)
        b.declare(name)
        b.inner(1, 2)
        swap(b)
        b.emit("%s += %s;" % (name, b.value(1)))
        b.inner(0, 2)
        b.emit(b.place().update(b.rng, name))
    return True


@statement("block", weight=2, unusual=True)
def many_declarators(b):
    n = [b.fresh("m") for _ in range(4)]
    form = b.rng.randrange(4)
    if form == 0:
        b.emit("unsigned %s = %s, *%s = &%s, %s[2] = {%s, %s}, &%s = %s;" % (
            n[0], b.value(1), n[1], n[0], n[2], b.value(1), b.value(1), n[3], n[0]))
        b.scope.places += [Place(n[0]), Place("*" + n[1], names=[n[1]]), Place(n[2] + "[1]", names=[n[2]]), Place(n[3])]
    elif form == 1:
        b.emit("bool %s = %s < %s, %s = %s > (%s), %s = %s;" % (
            n[0], b.value(1), b.value(1), n[1], b.value(1), b.value(1), n[2], b.condition()))
        b.scope.places += [Place(name, "bool") for name in n[:3]]
    elif form == 2:
        b.emit("unsigned %s = max(%s, %s), %s = %s < %s, %s = (%s > %s), %s(%s);" % (
            n[0], b.value(1), b.value(1), n[1], b.value(1), b.value(1), n[2], b.value(1), b.value(1), n[3], b.value(1)))
        b.scope.places += [Place(name) for name in n]
    else:
        b.emit("unsigned %s{%s}, %s[2][2] = {{%s, 1u}, {2u, %s}}, %s = %s[1][0];" % (
            n[0], b.value(1), n[1], b.value(1), b.value(1), n[2], n[1]))
        b.scope.places += [Place(n[0]), Place(n[1] + "[0][1]", names=[n[1]]), Place(n[2])]
    swap(b)
    b.emit(b.place().update(b.rng, b.value()))


@statement("block", weight=1, unusual=True)
def guard_object(b):
    """An object whose destructor runs behind the barrier."""
    kind, name, place = b.kernel.file_name("Adder"), b.fresh("guard"), b.plain_place()
    if b.depth >= 4:
        return False
    b.kernel.top += ["struct %s {" % kind, "  unsigned &to, by;",
                     "  __device__ %s(unsigned &x, unsigned y) : to(x), by(y) { to ^= by; }" % kind,
                     "  __device__ ~%s() { to += by; }" % kind, "};"]
    with b.block(""):
        b.emit("%s %s(%s, %s);" % (kind, name, place.text, b.value(1)))
        swap(b)
        b.inner(0, 2)
    return True


@statement("block", weight=1, unusual=True)
def range_loop(b):
    if b.depth >= 3:
        return False
    name, x = b.fresh("arr"), b.fresh("x")
    b.emit("unsigned %s[3] = {%s, %s, %s};" % (name, b.value(1), b.value(1), b.value(1)))
    by = b.rng.choice(["unsigned &", "unsigned ", "auto &", "const auto &"])
    with b.loop_memory():
        with b.block("for (%s%s : %s)" % (by, x, name)), b.changed(loop="block", in_switch=False):
            b.scope.places.append(Place(x, writable="const" not in by))
            swap(b)
            b.inner(1, 2)
    b.scope.places.append(Place("%s[2]" % name, names=[name]))
    return True


@statement(weight=1, unusual=True)
def small_types(b):
    kind, name = b.fresh("Bits"), b.fresh("bits")
    form = b.rng.randrange(3)
    if form == 0:
        b.emit("struct %s { unsigned low : 5, high : 20; } %s = {};" % (kind, name))
        b.emit("%s.low = (%s) & 31u;" % (name, b.value(1)))
        b.emit("%s.high = (%s) & 0xfffffu;" % (name, b.value(1)))
        b.scope.places.append(Place("(unsigned)%s.high" % name, names=[name], writable=False))
    elif form == 1:
        b.emit("enum class %s : unsigned { A = 3, B = 9, C };" % kind)
        b.emit("%s %s = (%s) ? %s::A : %s::C;" % (kind, name, b.condition(), kind, kind))
        b.scope.places.append(Place("(unsigned)%s" % name, names=[name], writable=False))
    else:
        b.emit("union { unsigned word; unsigned char bytes[4]; } %s;" % name)
        b.emit("%s.word = %s;" % (name, b.value()))
        b.emit("%s.bytes[%s] ^= 5u;" % (name, b.index(4)))
        b.scope.places.append(Place("%s.word" % name, names=[name]))


@statement(weight=2, unusual=True)
def odd_expression(b):
    one, other = b.plain_place(), b.plain_place()
    if one.text == other.text or "*" in one.text + other.text or "[" in one.text + other.text:
        other = one
    forms = ["{a} = (%s, %s);" % (b.value(1), b.value(1)), "if (%s) {a} += 3u, {a} ^= %s;" % (b.condition(), b.value(1)),
             "({v} & 1u) && ({a} += {v});", "({v} > {w}) || ({a} ^= 9u, {a} & 1u);",
             "(%s ? {a} : {b}) += {v};" % b.condition(), "{a} = {v} > {w} ? {w} : {v} < 9u ? 4u : {w};",
             "{a} += unsigned({v}) + static_cast<unsigned>({w});",
             "if ({a} += {v}; {a} & 1u) {a} ^= {w};", "{a} += sizeof(unsigned[3]) + alignof(uint2);",
             "++{a} ^= {v};", "{a} -= !{v} - -{w};"]
    b.emit(b.rng.choice(forms).format(a=one.text, b=other.text, v=b.value(1), w=b.value(1)))
