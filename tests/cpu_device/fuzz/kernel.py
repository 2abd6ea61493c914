# SPDX-License-Identifier: Apache-2.0
"""One kernel: its geometry, the memory that its threads share, and its text."""
from body import Body, STATEMENTS
from memory import CLEAN, SharedArray
from values import Place
import statements  # noqa: F401  (they register themselves)
import ways  # noqa: F401
import warps  # noqa: F401
import functions  # noqa: F401
import unusual  # noqa: F401
import hidden  # noqa: F401
import conditions  # noqa: F401
import groups  # noqa: F401
import escapes  # noqa: F401
import spellings  # noqa: F401
import mixed  # noqa: F401

BLOCKS = [(32,), (64,), (96,), (128,), (256,), (33,), (50,), (100,), (1,), (31,), (8, 8), (16, 4), (32, 2), (7, 9),
          (4, 4, 4), (5, 3, 2), (17, 3, 2), (64,), (128,), (8, 4)]
GRIDS = [(1,), (2,), (3,), (4,), (2, 2), (1, 1, 3)]

# Ordinary forms at which the CPU device does not cut: most kernels are made without them.
STAY_WHOLE = {"match", "warp_reduce", "barrier_counts", "counts_in_expression", "tile_operation", "tile_function", "partition",
              "coalesced", "copy_async", "grid_exchange", "cluster_exchange", "switch_uniform", "collect", "if_warp", "loop_warp",
              "shared_bound", "input_bound"}
ALWAYS = ("assign", "declare_scalar", "exchange")


def choose_statements(rng, unusual, only):
    """The forms that one program's kernels are made of.

    Not all of them each time: what one form makes the translator do for a whole program must not
    hide what it does of the others.
    """
    groups_too = rng.random() < 0.5  # their headers take long to compile
    if only:
        return [s for s in STATEMENTS if s.name in only or s.name in ALWAYS]
    chosen = [s for s in STATEMENTS if s.name in ALWAYS or not s.unusual and rng.random() < 0.75]
    if not groups_too:
        chosen = [s for s in chosen if s.write.__module__ != "groups"]
    if unusual:
        odd = [s for s in STATEMENTS if s.unusual]
        chosen += rng.sample(odd, min(len(odd), rng.choice([1, 2, 3, 5, 8, 12]))) * 4
    return chosen


class Kernel:
    """Text and launch of kernel number `number` of a program."""

    def __init__(self, rng, number, unusual, statements):
        self.rng, self.number = rng, number
        self.counter = 0
        self.used, self.taken = set(), set()
        self.top = []               # lines before the kernel, at file scope
        self.exits, self.exited = 0, False
        self.block, self.grid = rng.choice(BLOCKS), rng.choice(GRIDS)
        self.threads = product(self.block)
        self.statements = self.choose(statements)
        self.kind = rng.choice(["plain"] * 12 + [s.name.split("_")[0] for s in statements if s.name in
                                                 ("grid_exchange", "cluster_exchange")])
        self.statements += [s for s in statements if s.name == self.kind + "_exchange"]
        if self.kind != "plain":
            self.exits = 9          # all threads come to the barriers of grids and clusters
        if self.kind == "cluster":
            self.grid, self.cluster = rng.choice([((4,), (2,)), ((4,), (4,)), ((3,), (3,)), ((2, 2), (2, 1)), ((6,), (3,))])
            self.cluster_by_launch = rng.random() < 0.5
        forms = ["plain"] * 12 + ["static", "extern"] + (["number", "template", "namespace"] if self.kind != "cluster" else [])
        if unusual and self.kind == "plain":
            forms += ["overload", "template"]
        self.form = rng.choice(forms)
        self.extra = None
        if rng.random() < 0.2 and self.kind == "plain":
            self.extra = self.file_name("Extra")
            self.top.append("struct %s { unsigned a, b[3]; };" % self.extra)
        self.functions = []         # those that may be called again
        self.full = self.threads % 32 == 0 and rng.random() < 0.7
        self.dynamic_words, self.has_global = 0, False
        self.barriers = ["__syncthreads();"] * 8 + (["__syncthreads_count(1);", "SYNC();"] if unusual else [])

    def choose(self, statements):
        """Again some of the forms only: small kernels of few forms are cut more often."""
        rng, share = self.rng, self.rng.choice([0.15, 0.3, 0.5])
        left_out = STAY_WHOLE if rng.random() < 0.7 else ()
        odd = [s for s in statements if s.unusual]
        chosen = [s for s in statements if s.name in ALWAYS or not s.unusual and s.name not in left_out and
                  rng.random() < share]
        return chosen + (rng.sample(odd, min(len(odd), rng.choice([1, 1, 2, 3]))) * 2 if odd else [])

    def fresh(self, stem):
        self.counter += 1
        return "%s%d" % (stem, self.counter)

    def file_name(self, stem):
        """A name for something at file scope."""
        self.counter += 1
        return "%s%d_%d" % (stem, self.number, self.counter)

    def barrier_text(self):
        return "__syncthreads();" if self.exited else self.rng.choice(self.barriers)

    def own_slots(self, rng, array):
        """(key, index text) of a map that gives each thread a slot of its own."""
        n, c = array.length, rng.randrange(1, 32)
        form = rng.randrange(5)
        if form == 1:
            return "reverse", "%du - t" % (n - 1)
        if form == 2:
            return "turn%d" % c, "(t + %du) %% %du" % (c, n)
        if form == 3 and n & (n - 1) == 0 and c < n:
            return "xor%d" % c, "t ^ %du" % c
        return "own", "t"

    def shared_arrays(self, b):
        """Declares one to three arrays, in all places where they may stand."""
        arrays = []
        for _ in range(self.rng.randint(1, 3)):
            length = self.threads + self.rng.choice([0, 0, 1, 7])
            if self.rng.random() < 0.5:
                length = 1 << (length - 1).bit_length()
            arrays.append(self.rng.choice([self.static_array] * 4 + [self.file_array, self.dynamic_array,
                                           self.table_array, self.struct_array, self.global_array])(b, length))
        return arrays

    def static_array(self, b, length):
        name = self.fresh("s")
        b.emit("__shared__ unsigned %s[%d];" % (name, length))
        return SharedArray(name, length)

    def file_array(self, b, length):
        name = self.file_name("fs")
        self.top.append("__shared__ unsigned %s[%d];" % (name, length))
        return SharedArray(name, length)

    def dynamic_array(self, b, length):
        if self.dynamic_words:
            return self.static_array(b, length)
        self.dynamic_words = length
        name = self.fresh("dyn")
        b.emit("extern __shared__ unsigned %s[];" % name)
        return SharedArray(name, length)

    def table_array(self, b, length):
        name, width = self.fresh("tab"), self.rng.choice([4, 5, 8, 33])
        height = (length + width - 1) // width
        b.emit("__shared__ unsigned %s[%d][%d];" % (name, height, width))
        return SharedArray(name, width * height, lambda i: "%s[(%s) / %du][(%s) %% %du]" % (name, i, width, i, width))

    def struct_array(self, b, length):
        name, kind = self.fresh("rec"), self.file_name("Rec")
        (b.emit if self.rng.random() < 0.3 else self.top.append)("struct %s { unsigned short pad; unsigned value; };" % kind)
        b.emit("__shared__ %s %s[%d];" % (kind, name, length))
        return SharedArray(name, length, lambda i: "%s[%s].value" % (name, i))

    def global_array(self, b, length):
        if self.has_global:
            return self.static_array(b, length)
        self.has_global = True
        name = self.fresh("g")
        b.emit("unsigned *%s = tmp + %s * 2048u;" % (name, self.rng.choice(["block_id", "(size_t)block_id"])))
        return SharedArray(name, length, is_shared=False)

    def begin(self, b):
        """What a kernel or device function knows of its thread."""
        flat = "threadIdx.x"
        if len(self.block) > 1 or self.rng.random() < 0.3:
            flat = "threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)"
        form = self.rng.randrange(10)
        if form == 0:
            b.emit(self.rng.choice(["const uint3 me = threadIdx;", "uint3 me = threadIdx;", "const dim3 me(threadIdx);"]))
            flat = flat.replace("threadIdx", "me")
        if form == 1:
            name = self.file_name("TID")
            self.top.append("#define %s (%s)" % (name, flat))
            flat = name
        if form == 2:
            name = self.file_name(self.rng.choice(["thread_number", "make_tid"]))
            self.top.append("__device__ inline unsigned %s() { return %s; }" % (name, flat))
            flat = name + "()"
        b.emit("%s t = %s;" % (self.rng.choice(["const unsigned", "const unsigned", "unsigned", "const auto"]), flat))
        b.emit("const unsigned lane = %s;" % self.rng.choice(["t & 31u", "t & 31u", "t % 32u", "t % (unsigned)warpSize"]))
        for name in ("t", "lane"):
            b.scope.places.append(Place(name, writable=False))
        b.scope.uniforms += ["blockIdx.x", "blockDim.x", "gridDim.x"]

    def begin_kernel(self, b):
        self.begin(b)
        b.emit("const unsigned block_id = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);")
        b.emit("const unsigned gid = block_id * %du + t;" % self.threads)
        if self.kind == "grid":
            b.emit("unsigned *everyone = tmp + 32768u;")
        b.scope.uniforms += ["n", "k", "block_id"]
        b.scope.changing |= {"n", "k"}
        if self.extra:
            b.scope.uniforms += ["e.a", "e.b[1]", "e.b[%s %% 3u]" % self.rng.choice("nk")]
            b.scope.changing.add("e.a")
        if self.form in ("template", "number"):
            b.scope.uniforms.append("(unsigned)N")
        b.scope.places.append(Place("gid", writable=False))
        if not self.full:
            b.emit("unsigned wm = %du - (t & ~31u) >= 32u ? 0xffffffffu : (1u << (%du - (t & ~31u))) - 1u;"
                   % (self.threads, self.threads))
        for _ in range(self.rng.randint(2, 4)):
            name = b.fresh("a")
            b.emit("unsigned %s = in[(gid * %du + %du) & 1023u];" % (name, self.rng.choice([1, 3, 7]), self.rng.randrange(99)))
            b.declare(name)

    def set_arrays(self, b, arrays):
        """Every slot gets a value."""
        for array in arrays:
            i = b.fresh("i")
            b.emit("for (unsigned %s = t; %s < %du; %s += %du) %s = %s * %du + n;"
                   % (i, i, array.length, i, self.threads, array.at(i), i, self.rng.randrange(1, 1000)))
            b.memory.ways[array] = CLEAN
        b.barrier()

    def write(self):
        """All of the kernel's text."""
        b = Body(self, "FULL" if self.full else "wm")
        self.begin_kernel(b)
        arrays = self.shared_arrays(b)
        self.set_arrays(b, arrays)
        b.may_return = True
        b.budget = self.rng.choice([2, 3, 4, 6, 8, 12, 16, 24])
        while b.budget > 0:
            b.run(3)
        self.end(b, arrays)
        return self.top + self.head() + b.lines + ["}"] + (["}"] if self.form == "namespace" else [])

    def head(self):
        """What stands before the kernel's body."""
        number, name = self.number, "kernel_%d" % self.number
        parameters = self.rng.choice([
            "unsigned *out, const unsigned *in, unsigned *acc, unsigned *tmp, unsigned n, unsigned k",
            "unsigned *__restrict__ out, const unsigned *__restrict__ in, unsigned *acc, unsigned *tmp, unsigned n, unsigned k",
            "unsigned *const out, unsigned const *in, unsigned acc[], unsigned *tmp, uint32_t n, unsigned int k"])
        if self.extra:
            parameters += ", " + self.extra + " e"
        start = "__global__ void " + self.attributes()
        if self.form == "template":
            start = "template <class T, int N>\n" + start
        elif self.form == "number":
            start = "template <int N>\n" + start
        elif self.form == "extern":
            start = 'extern "C" ' + start
        elif self.form == "static":
            start = "static " + start
        elif self.form == "namespace":
            start = "namespace in_kernel_%d {\n" % number + start
        elif self.form == "overload":
            start = "__global__ void %s(unsigned *out) { out[threadIdx.x] = 1u; }\n" % name + start
        return (start + name + "(" + parameters + ") {").split("\n")

    def kernel_name(self):
        """As it is called in a launch."""
        name = "kernel_%d" % self.number
        return {"template": name + "<unsigned, 3>", "number": name + "<5>", "namespace": "in_kernel_%d::%s" % (self.number, name)
                }.get(self.form, name)

    def end(self, b, arrays):
        """Everything in sight goes into the thread's four numbers."""
        name = b.fresh("sum")
        b.emit("unsigned %s = 17u;" % name)
        for place in b.scope.all_places():
            b.emit("%s = %s * 31u + %s;" % (name, name, place.read(self.rng)))
        b.emit("out[gid * 4u] = %s;" % name)
        for n, array in enumerate(arrays[:3]):
            if b.ready(array, "read"):
                b.emit("out[gid * 4u + %du] = %s;" % (n + 1, array.at("(t * 7u + %du) %% %du" % (n, array.length))))

    def attributes(self):
        if self.kind == "cluster" and not self.cluster_by_launch:
            return "__cluster_dims__(%s) " % ", ".join(map(str, (self.cluster + (1, 1))[:3]))
        return self.rng.choice([""] * 6 + ["__launch_bounds__(%d) " % self.threads])

    def launch(self):
        """The lines of main's function for this kernel."""
        name, size = self.kernel_name(), 4 * self.dynamic_words
        dim = lambda d: "dim3(%s)" % ", ".join(map(str, d))
        numbers = "%du" % self.rng.randrange(1, 1000), "%du" % self.rng.randrange(1, 1000)
        grid, block = dim(self.grid), dim(self.block)
        if self.kind == "grid":
            return ["unsigned n = %s, k = %s;" % numbers,
                    "void *arguments[] = {(void *)&f.out, (void *)&f.in, (void *)&f.acc, (void *)&f.tmp, &n, &k};",
                    "check(cudaLaunchCooperativeKernel((const void *)%s, %s, %s, arguments, %d, 0));" % (name, grid, block, size)]
        if self.kind == "cluster" and self.cluster_by_launch:
            cluster = (self.cluster + (1, 1))[:3]
            return ["cudaLaunchConfig_t config = {};", "config.gridDim = %s;" % grid, "config.blockDim = %s;" % block,
                    "config.dynamicSmemBytes = %d;" % size, "cudaLaunchAttribute attribute[1];",
                    "attribute[0].id = cudaLaunchAttributeClusterDimension;"] + [
                        "attribute[0].val.clusterDim.%s = %d;" % (axis, c) for axis, c in zip("xyz", cluster)] + [
                            "config.attrs = attribute;", "config.numAttrs = 1;",
                            "check(cudaLaunchKernelEx(&config, %s, f.out, (const unsigned *)f.in, f.acc, f.tmp, %s, %s));" % ((name,) + numbers)]
        if self.extra:
            numbers += ("%s{%du, {1u, %du, 3u}}" % (self.extra, self.rng.randrange(1, 99), self.rng.randrange(1, 99)),)
        return ["%s<<<%s, %s%s>>>(f.out, f.in, f.acc, f.tmp, %s);" % (
            name, grid, block, ", %d" % size if size else "", ", ".join(numbers))]

    def all_threads(self):
        return self.threads * product(self.grid)

    def out_words(self):
        return 4 * self.all_threads()


def product(numbers):
    result = 1
    for number in numbers:
        result *= number
    return result
