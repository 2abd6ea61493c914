# SPDX-License-Identifier: Apache-2.0
"""One kernel: its geometry, the memory that its threads share, and its text."""
from body import Body, STATEMENTS
from memory import CLEAN, SharedArray
from values import Place
import statements  # noqa: F401  (they register themselves)
import warps  # noqa: F401
import functions  # noqa: F401
import unusual  # noqa: F401
import hidden  # noqa: F401
import groups  # noqa: F401
import escapes  # noqa: F401
import spellings  # noqa: F401

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
    if only:
        return [s for s in STATEMENTS if s.name in only or s.name in ALWAYS]
    chosen = [s for s in STATEMENTS if s.name in ALWAYS or not s.unusual and rng.random() < 0.75]
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
        self.kind = rng.choice(["plain"] * 14 + ["grid", "cluster"])
        if self.kind != "plain":
            self.exits = 9          # all threads come to the barriers of grids and clusters
        if self.kind == "cluster":
            self.grid, self.cluster = rng.choice([((4,), (2,)), ((4,), (4,)), ((3,), (3,)), ((2, 2), (2, 1)), ((6,), (3,))])
            self.cluster_by_launch = rng.random() < 0.5
        self.full = self.threads % 32 == 0 and rng.random() < 0.7
        self.dynamic_words, self.has_global = 0, False
        self.barriers = ["__syncthreads();"] * 8 + (["__syncthreads_count(1);", "SYNC();"] if unusual else [])
        # Again some of the forms only: small kernels of few forms are cut more often.
        share = rng.choice([0.15, 0.3, 0.5])
        left_out = STAY_WHOLE if rng.random() < 0.7 else ()
        odd = [s for s in statements if s.unusual]
        self.statements = [s for s in statements if s.name in ALWAYS or not s.unusual and s.name not in left_out and
                           rng.random() < share]
        if odd:
            self.statements += rng.sample(odd, min(len(odd), rng.choice([1, 1, 2, 3]))) * 2

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
        if len(self.block) == 1 and self.rng.random() < 0.7:
            b.emit("const unsigned t = threadIdx.x;")
        else:
            b.emit("const unsigned t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);")
        b.emit("const unsigned lane = t & 31u;")
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
        name = self.kernel_name()
        head = "__global__ void " + self.attributes() + "%s(unsigned *out, const unsigned *in, unsigned *acc, unsigned *tmp, unsigned n, unsigned k) {"
        return self.top + [head % name] + b.lines + ["}"]

    def kernel_name(self):
        return "kernel_%d" % self.number

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
        return ["%s<<<%s, %s%s>>>(f.out, f.in, f.acc, f.tmp, %s, %s);" % (
            name, grid, block, ", %d" % size if size else "", *numbers)]

    def all_threads(self):
        return self.threads * product(self.grid)

    def out_words(self):
        return 4 * self.all_threads()


def product(numbers):
    result = 1
    for number in numbers:
        result *= number
    return result
