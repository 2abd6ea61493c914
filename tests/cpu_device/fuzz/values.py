# SPDX-License-Identifier: Apache-2.0
"""What a thread can read and write of its own, and expressions over it.

All arithmetic is of unsigned numbers, so that every device and compiler gives the same sums; a
place of another type is read and written through conversions that are defined for every value.
"""


class Place:
    """Something of a thread's own: `read` is an unsigned expression, `write` makes a statement.

    text is the lvalue; type its type as written. names are the identifiers in it: the place
    cannot be spoken of where one of them is hidden by an inner declaration.
    """

    def __init__(self, text, type_name="unsigned", names=None, writable=True, plain=True):
        self.text, self.type = text, type_name
        self.names = set(names or [text])
        self.writable = writable
        self.plain = plain and type_name == "unsigned"     # an unsigned * may point to it

    def read(self, rng):
        if self.type == "unsigned":
            return self.text
        if self.type == "unsigned long long":
            return "(unsigned)(%s >> %d)" % (self.text, rng.randrange(0, 33))
        if self.type == "bool":
            return "(%s ? %du : %du)" % (self.text, rng.randrange(99), rng.randrange(99))
        return "(unsigned)%s" % self.text

    def write(self, rng, value):
        form = {
            "unsigned": "%s = %s;",
            "unsigned long long": "%s = (%s) * 0x9e3779b97f4a7c15ull;",
            "int": "%s = (int)(%s);",
            "unsigned short": "%s = (unsigned short)(%s);",
            "unsigned char": "%s = (unsigned char)(%s);",
            "bool": "%s = ((%s) & 4u) != 0u;",
            "float": "%s = (float)((%s) & 4095u);",
            "double": "%s = (double)((%s) & 0xffffffu);",
        }[self.type]
        return form % (self.text, value)

    def update(self, rng, value):
        """A compound assignment where the type has one that cannot overflow, or an assignment."""
        if self.type in ("unsigned", "unsigned long long", "unsigned short", "unsigned char"):
            return "%s %s= %s;" % (self.text, rng.choice(["+", "-", "^", "*", "|", "&", "+", "^"]), value)
        if self.type == "int":
            return "%s %s= (int)(%s);" % (self.text, rng.choice("^|&"), value)
        return self.write(rng, value)


SCALARS = ["unsigned"] * 6 + ["unsigned long long", "int", "unsigned short", "unsigned char", "bool",
                              "float", "double"]


class Scope:
    """The places, and the numbers that are alike in all threads of a block, in sight."""

    def __init__(self, outer=None):
        self.outer = outer
        self.places, self.uniforms, self.hidden = [], [], set()
        self.taken = set()          # names that are declared in it and that others may declare
        self.changing = set()       # those of its uniforms that may be assigned to

    def _all(self, kind):
        hidden, scope = set(), self
        while scope:
            for item in getattr(scope, kind):
                names = item.names if kind == "places" else {item}
                if not names & hidden:
                    yield item
            hidden |= scope.hidden
            scope = scope.outer

    def all_places(self):
        return list(self._all("places"))

    def all_uniforms(self):
        return list(self._all("uniforms"))

    def knows(self, name):
        """True if that common name is declared in sight, or hidden."""
        return name in self.taken or name in self.hidden or (self.outer is not None and self.outer.knows(name))

    def may_change(self, uniform):
        """True if this number, in sight, may be assigned to."""
        scope = self
        while scope and uniform not in scope.uniforms:
            scope = scope.outer
        return scope is not None and uniform in scope.changing


class Expressions:
    """Writes expressions over a scope."""

    def __init__(self, rng):
        self.rng = rng

    def constant(self):
        return "%du" % self.rng.choice([self.rng.randrange(1, 10), self.rng.randrange(1, 300),
                                        self.rng.randrange(1, 1 << 32)])

    def leaf(self, scope, uniform=False):
        rng = self.rng
        names = scope.all_uniforms()
        places = [] if uniform else scope.all_places()
        pick = rng.random()
        if places and pick < 0.7:
            return rng.choice(places).read(rng)
        if names and pick < 0.85:
            return rng.choice(names)
        return self.constant()

    def value(self, scope, depth=2, uniform=False):
        rng = self.rng
        if depth <= 0 or rng.random() < 0.2:
            return self.leaf(scope, uniform)
        a = self.value(scope, depth - 1, uniform)
        b = self.value(scope, depth - 1, uniform)
        form = rng.choice([
            "({a} + {b})", "({a} - {b})", "({a} * {b})", "({a} ^ {b})", "({a} & {b})", "({a} | {b})",
            "({a} + {b})", "({a} ^ {b})", "({a} >> {s}u)", "({a} << {s}u)", "({a} >> ({b} & 31u))",
            "({a} % {c}u)", "({a} / {c}u)", "({a} < {b} ? {b} : {c}u)", "({a} > {b} ? {a} : {c}u)",
            "min({a}, {b})", "max({a}, {b})", "(unsigned)__popc({a})", "(unsigned)__clz((int){a})",
            "(unsigned)__ffs((int){a})", "__brev({a})", "__byte_perm({a}, {b}, 0x{p}u)",
            "__umulhi({a}, {b})", "__funnelshift_l({a}, {b}, {s}u)", "(unsigned)({a} == {b})",
            "(unsigned)({a} <= {b} && {b} != {c}u)", "(unsigned)(unsigned char)({a})", "~{a}",
            "(unsigned)(int)({a})", "(unsigned)((unsigned long long){a} * {b} >> {s})",
            "(({a} & 1u) ? {a} : {b})", "(!{a} ? {b} : {a})",
        ])
        return form.format(a=a, b=b, s=rng.randrange(1, 32), c=rng.randrange(1, 1000),
                           p="%d%d%d%d" % tuple(rng.randrange(8) for _ in range(4)))

    def condition(self, scope, uniform=False):
        """True for some threads, false for others, on most data."""
        rng = self.rng
        a = self.value(scope, 1, uniform)
        b = self.value(scope, 1, uniform)
        return rng.choice([
            "({a} & {bit}u) != 0u", "{a} % {m}u == {r}u", "{a} < {b}", "({a} ^ {b}) & {bit}u",
            "{a} % {m}u < {r}u || {b} % {m}u == 0u", "({a} & {bit}u) && {b} > {r}u", "!({a} & {bit}u)",
        ]).format(a=a, b=b, bit=1 << rng.randrange(5), m=rng.randrange(2, 6), r=rng.randrange(0, 3))

    def index(self, scope, length, depth=1):
        value = self.value(scope, depth)
        if length & (length - 1) == 0 and self.rng.random() < 0.7:
            return "(%s) & %du" % (value, length - 1)
        return "(%s) %% %du" % (value, length)
