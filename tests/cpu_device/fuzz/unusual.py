# SPDX-License-Identifier: Apache-2.0
"""Statements of forms that few kernels have, in which something of a thread's own lives across a
barrier by another name, or a barrier hides where few look for it."""
from body import statement
from values import Place


def swap(b):
    """An exchange with the other threads, so that what came before has to be kept."""
    for s in b.kernel.statements:
        if s.name == "exchange":
            s.write(b)
            return


@statement("block", weight=2, unusual=True)
def pointer_to_local(b):
    place = b.plain_place()
    name = b.fresh("p")
    b.emit("unsigned *%s = &%s;" % (name, place.text))
    b.scope.places.append(Place("*" + name, names=[name]))
    swap(b)
    b.emit("*%s += %s;" % (name, b.value(1)))


@statement("block", weight=2, unusual=True)
def member_array(b):
    kind, name, p = b.fresh("Frag"), b.fresh("f"), b.fresh("p")
    b.emit("struct %s { unsigned x[4]; };" % kind)
    b.emit("%s %s = {{%s, %s}};" % (kind, name, b.value(1), b.value(1)))
    b.emit("unsigned *%s = %s.x;" % (p, name))
    b.scope.places += [Place("%s[%s]" % (p, "1"), names=[p]), Place("%s.x[2]" % name, names=[name])]
    swap(b)
    b.emit("%s[%s] += %s;" % (p, b.index(4), b.value(1)))


@statement("block", weight=2, unusual=True)
def array_alias(b):
    kind, name, p = b.fresh("Row"), b.fresh("f"), b.fresh("p")
    b.emit(b.rng.choice(["typedef unsigned %s[4];", "using %s = unsigned[4];"]) % kind)
    b.emit("%s %s = {%s, %s};" % (kind, name, b.value(1), b.value(1)))
    b.emit("unsigned *%s = %s;" % (p, name))
    b.scope.places += [Place("%s[1]" % p, names=[p]), Place("%s[2]" % name, names=[name])]
    swap(b)
    b.emit("%s[%s] += %s;" % (p, b.index(4), b.value(1)))


@statement("block", weight=2, unusual=True)
def reference_local(b):
    place = b.plain_place()
    name = b.fresh("ref")
    b.emit("%s &%s = %s;" % (b.rng.choice(["unsigned", "auto"]), name, place.text))
    b.scope.places.append(Place(name))
    swap(b)
    b.emit("%s += %s;" % (name, b.value(1)))


@statement("block", weight=2, unusual=True)
def lambda_local(b):
    place = b.plain_place()
    name = b.fresh("step")
    b.emit("auto %s = [&](unsigned x) { %s += x; return %s ^ x; };" % (name, place.text, place.text))
    swap(b)
    fresh = b.fresh("v")
    b.emit("unsigned %s = %s(%s);" % (fresh, name, b.value(1)))
    b.declare(fresh)
