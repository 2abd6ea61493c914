# SPDX-License-Identifier: Apache-2.0
"""Statements of the forms that most kernels are made of."""
from body import random_type, statement
from values import Place


@statement(weight=8)
def assign(b):
    place = b.place()
    b.emit(place.write(b.rng, b.value()) if b.rng.random() < 0.4 else place.update(b.rng, b.value()))


@statement(weight=5)
def declare_scalar(b):
    kind = random_type(b)
    value = b.give_initial(kind, b.value())
    name = b.common("v") if b.depth else b.fresh("v")
    spelled = kind
    if b.rng.random() < 0.15 and kind == "unsigned":
        spelled = b.rng.choice(["auto", "const unsigned", "uint32_t", "unsigned int", "const auto", "volatile unsigned"])
        value = "(unsigned)(%s)" % value
    b.emit("%s %s = %s;" % (spelled, name, value))
    b.declare(name, kind, writable="const" not in spelled, plain="volatile" not in spelled)


@statement(weight=2)
def declare_later(b):
    """Declared without a value, then set on both ways."""
    name = b.fresh("w")
    b.emit("unsigned %s;" % name)
    b.emit("if (%s) %s = %s; else %s = %s;" % (b.condition(), name, b.value(), name, b.value()))
    b.declare(name)


@statement(weight=2)
def declare_several(b):
    kind = random_type(b)
    names = [b.fresh("d") for _ in range(b.rng.randint(2, 3))]
    b.emit("%s %s;" % (kind, ", ".join("%s = %s" % (n, b.give_initial(kind, b.value(1))) for n in names)))
    for name in names:
        b.declare(name, kind)


@statement(weight=3)
def local_array(b):
    name, length = b.fresh("arr"), b.rng.choice([2, 3, 4, 8])
    form = b.rng.randrange(3)
    if form == 0:
        b.emit("unsigned %s[%d] = {%s};" % (name, length, ", ".join(b.value(1) for _ in range(length))))
    elif form == 1:
        b.emit("unsigned %s[%d] = {};" % (name, length))
        i = b.fresh("i")
        b.emit("for (int %s = 0; %s < %d; ++%s) %s[%s] = %s * (unsigned)%s;"
               % (i, i, length, i, name, i, b.value(1), i))
    else:
        b.emit("unsigned %s[%d];" % (name, length))
        i = b.fresh("i")
        b.emit("for (unsigned %s = 0; %s < %du; %s++) %s[%s] = %s + %s;"
               % (i, i, length, i, name, i, b.value(1), i))
    index = b.index(length)
    b.scope.places += [Place("%s[%d]" % (name, i), names=[name]) for i in range(min(length, 2))]
    b.emit("%s[%s] += %s;" % (name, index, b.value()))


@statement(weight=2)
def vector_local(b):
    name = b.fresh("q")
    kind, parts = b.rng.choice([("uint2", "xy"), ("uint3", "xyz"), ("uint4", "xyzw")])
    b.emit("%s %s = make_%s(%s);" % (kind, name, kind, ", ".join(b.value(1) for _ in parts)))
    b.scope.places += [Place("%s.%s" % (name, part), names=[name]) for part in parts]


@statement("block", weight=9)
def exchange(b):
    """Each thread writes its own slot, all wait, and it reads others' slots."""
    arrays = b.usable_arrays()
    if not arrays:
        return False
    array = b.rng.choice(arrays)
    slots, text = b.kernel.own_slots(b.rng, array)
    b.ready(array, ("own", slots))
    b.emit("%s = %s;" % (array.at(text), b.value()))
    if b.rng.random() < 0.3:
        b.inner(1, 2)
    b.ready(array, "read")
    target = b.place()
    value = array.at(b.index(array.length))
    if b.rng.random() < 0.3:
        value += " + " + array.at(b.index(array.length))
    b.emit(target.update(b.rng, value))


@statement(weight=3)
def read_shared(b):
    arrays = [a for a in b.usable_arrays() if b.memory.allows(a, "read")]
    if not arrays:
        return False
    array = b.rng.choice(arrays)
    index = b.index(array.length)
    b.memory.use(array, "read")
    b.emit(b.place().update(b.rng, array.at(index)))
    return True


@statement(weight=2)
def own_shared(b):
    arrays = b.usable_arrays()
    if not arrays:
        return False
    array = b.rng.choice(arrays)
    slots, text = b.kernel.own_slots(b.rng, array)
    if not b.memory.allows(array, ("own", slots)) and b.level != "block":
        return False
    b.ready(array, ("own", slots))
    value = b.value()
    b.emit("%s %s %s;" % (array.at(text), b.rng.choice(["=", "+=", "^="]), value))
    return True


@statement(weight=2)
def atomic_shared(b):
    name = b.rng.choice(["atomicAdd", "atomicXor", "atomicMin", "atomicMax", "atomicOr", "atomicAnd"])
    arrays = b.usable_arrays()
    if not arrays:
        return False
    array = b.rng.choice(arrays)
    if not b.memory.allows(array, ("atomic", name)) and b.level != "block":
        return False
    b.ready(array, ("atomic", name))
    b.emit("%s(&%s, %s);" % (name, array.at(b.index(array.length)), b.value()))
    return True


@statement(weight=2)
def atomic_global(b):
    """Sums over the grid; each operation has counters of its own."""
    if b.in_function:
        return False
    name, first = b.rng.choice([("atomicAdd", 0), ("atomicXor", 8), ("atomicMin", 16), ("atomicMax", 24)])
    b.emit("%s(&acc[%du + (%s)], %s);" % (name, first, b.index(8), b.value()))
    return True


@statement("block", weight=2)
def barrier_counts(b):
    """__syncthreads_count, _and and _or, whose result all threads share."""
    if b.kernel.exited:
        return False
    name = b.fresh("c")
    b.emit("%s %s = (unsigned)%s(%s);" % (b.rng.choice(["unsigned", "const unsigned", "auto"]), name, b.rng.choice(
        ["__syncthreads_count", "__syncthreads_and", "__syncthreads_or"]),
        b.rng.choice(["%s", "(int)(%s)"]) % b.condition()))
    b.memory.barrier()
    b.scope.uniforms.append(name)
    return True


@statement("block", weight=1)
def barrier_alone(b):
    b.barrier()


@statement(weight=1)
def print_value(b):
    """One thread of the grid says something, as the first thing that its block prints."""
    if b.in_function or b.loop == "lane":
        return False
    b.emit('if (gid == 0u) printf("%s %%u %%d\\n", %s, (int)(lane + %du));' % (b.fresh("value"), b.value(1), b.rng.randrange(9)))
    return True


@statement("block", weight=3)
def uniform_local(b):
    """A variable with one value in all threads of the block, on which later ways depend."""
    name, kind = b.fresh("u"), b.rng.choice(["unsigned", "const unsigned", "auto", "unsigned"])
    b.emit("%s %s = (unsigned)(%s);" % (kind, name, b.uniform(2)))
    b.scope.uniforms.append(name)
    if "const" not in kind:
        b.scope.changing.add(name)


@statement("block", weight=2)
def uniform_update(b):
    """Changes one, in all threads alike; or makes it differ, after which nothing may depend on it."""
    names = [u for u in b.scope.all_uniforms() if b.scope.may_change(u)]
    if not names:
        return False
    name = b.rng.choice(names)
    if b.rng.random() < 0.7 or name not in b.scope.changing:
        b.emit("%s %s= %s;" % (name, b.rng.choice("+^*-"), b.uniform(1)))
        return True
    b.emit("%s += %s;" % (name, b.value(1)))
    b.scope.uniforms.remove(name)
    b.scope.changing.remove(name)
    b.declare(name)
    return True
