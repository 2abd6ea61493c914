# SPDX-License-Identifier: Apache-2.0
"""Writes the body of a kernel or device function, statement by statement.

A statement is a function of a Body, registered with @statement for the levels at which it is
legal:
  block  all living threads of the block come here together: barriers are allowed
  warp   all lanes of `mask` come here together: warp operations are allowed
  lane   any threads come here: neither
"""
import contextlib

from memory import MemoryState
from values import Expressions, Place, SCALARS, Scope

STATEMENTS = []
COMMON_NAMES = {"i": ["i", "row", "step"], "j": ["j", "col", "i"], "v": ["x", "tmp", "val", "acc_", "x"]}


class Statement:
    def __init__(self, write, name, levels, weight, unusual):
        self.write, self.name, self.levels, self.weight, self.unusual = write, name, levels, weight, unusual


def statement(levels="block warp lane", weight=4, unusual=False):
    """Registers a writer of statements; it returns False where it has nothing to write here."""
    def register(write):
        STATEMENTS.append(Statement(write, write.__name__, levels.split(), weight, unusual))
        return write
    return register


class Body:
    """The text of one function so far, and what is known at its end."""

    def __init__(self, kernel, mask):
        self.kernel, self.rng = kernel, kernel.rng
        self.expressions = Expressions(self.rng)
        self.lines, self.indent = [], 1
        self.scope = Scope()
        self.level = "block"
        self.mask = mask            # the text of the mask of the lanes that are here (block, warp)
        self.memory = MemoryState()
        self.budget = 30
        self.depth = 0
        self.loop = None            # "block" or "lane": what break and continue may depend on
        self.left_loop = False      # by a break or continue inside of the loop being written
        self.in_switch = False
        self.may_return = False     # a kernel's outermost statements
        self.in_function = False

    # Text.

    def emit(self, text):
        self.lines.append("  " * self.indent + text)

    def fresh(self, stem="v"):
        return self.kernel.fresh(stem)

    def common(self, stem):
        """A name that other scopes of the function may have as well, or a fresh one."""
        names = [n for n in COMMON_NAMES[stem] if not self.scope.knows(n)]
        if not names or self.rng.random() < 0.4:
            return self.fresh(stem)
        self.scope.taken.add(names[0])
        return names[0]

    @contextlib.contextmanager
    def block(self, head, tail="}"):
        """A scope of its own between braces."""
        self.emit(head + " {" if head else "{")
        self.indent += 1
        self.depth += 1
        self.scope = Scope(self.scope)
        yield
        self.scope = self.scope.outer
        self.depth -= 1
        self.indent -= 1
        self.emit(tail)

    @contextlib.contextmanager
    def changed(self, **attributes):
        """Attributes that hold for a while."""
        before = {name: getattr(self, name) for name in attributes}
        for name, value in attributes.items():
            setattr(self, name, value)
        yield
        for name, value in before.items():
            setattr(self, name, value)

    # Expressions.

    def value(self, depth=2):
        return self.expressions.value(self.scope, depth)

    def uniform(self, depth=1):
        return self.expressions.value(self.scope, depth, uniform=True)

    def condition(self, uniform=False):
        return self.expressions.condition(self.scope, uniform)

    def index(self, length, depth=1):
        return self.expressions.index(self.scope, length, depth)

    def places(self):
        return [place for place in self.scope.all_places() if place.writable]

    def place(self):
        return self.rng.choice(self.places())

    def plain_place(self):
        """An unsigned variable or element."""
        return self.rng.choice([p for p in self.places() if p.plain])

    def declare(self, name, type_name="unsigned", writable=True, plain=True):
        place = Place(name, type_name, writable=writable, plain=plain)
        self.scope.places.append(place)
        return place

    def give_initial(self, type_name, value):
        """`value` as an initialiser of that type."""
        return {
            "unsigned": "%s", "unsigned long long": "(%s) * 3ull", "int": "(int)(%s)",
            "unsigned short": "(unsigned short)(%s)", "unsigned char": "(unsigned char)(%s)",
            "bool": "((%s) & 2u) != 0u", "float": "(float)((%s) & 1023u)", "double": "(double)((%s) & 65535u)",
        }[type_name] % value

    # Memory that threads share, and barriers.

    def barrier(self):
        """A barrier of the block, in one of its spellings."""
        self.emit(self.kernel.barrier_text())
        self.memory.barrier()

    def ready(self, array, way):
        """Makes an array usable in that way, with a barrier if need be; False where none may stand."""
        if not self.memory.allows(array, way):
            if self.level != "block":
                return False
            self.barrier()
        self.memory.use(array, way)
        return True

    def usable_arrays(self):
        return list(self.memory.ways)

    # Statements.

    def run(self, count):
        """Writes up to that many statements."""
        for _ in range(count):
            if self.budget <= 0:
                return
            self.one()

    def one(self):
        self.budget -= 1
        choices = [s for s in self.kernel.statements if self.level in s.levels]
        for _ in range(20):
            chosen = self.rng.choices(choices, [s.weight for s in choices])[0]
            if chosen.write(self) is not False:
                self.kernel.used.add(chosen.name)
                return
        self.emit(self.plain_place().update(self.rng, self.value()))

    def inner(self, least=1, most=4):
        self.run(self.rng.randint(least, most))

    @contextlib.contextmanager
    def loop_memory(self):
        """A loop whose body may hold barriers: nothing is known at the start of a round."""
        if self.level != "block":
            yield
            return
        before, left = self.memory.snapshot(), self.left_loop
        self.left_loop = False
        self.memory.forget()
        yield
        self.memory.meet(before)
        if self.left_loop:  # nothing is known of what that way left behind
            self.memory.forget()
        self.left_loop = left


def random_type(body):
    return body.rng.choice(SCALARS)
