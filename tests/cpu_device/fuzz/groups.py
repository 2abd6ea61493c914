# SPDX-License-Identifier: Apache-2.0
"""Cooperative groups: blocks, tiles and partitions, whole grids, and clusters of blocks."""
from body import statement
from functions import plain_arrays
from values import Place


def this_block(b):
    """A name for the block's group."""
    if b.rng.random() < 0.3:
        return "cg::this_thread_block()"
    name = b.fresh("block")
    b.emit(b.rng.choice(["cg::thread_block %s = cg::this_thread_block();", "auto %s = cg::this_thread_block();",
                         "const cg::thread_block %s = cg::this_thread_block();"]) % name)
    return name


@statement("block", weight=2)
def block_sync(b):
    """The block's group as the barrier of an exchange."""
    arrays = plain_arrays(b)
    if not arrays:
        return False
    array, block = b.rng.choice(arrays), this_block(b)
    sync = b.rng.choice(["%s.sync();", "cg::sync(%s);"]) % block
    b.ready(array, ("own", "own"))
    b.emit("%s[%s] = %s;" % (array.pointer, b.rng.choice(["t", "%s.thread_rank()" % block]), b.value()))
    b.emit(sync)
    b.memory.barrier()
    b.ready(array, "read")
    b.emit(b.place().update(b.rng, array.at(b.index(array.length))))
    if b.rng.random() < 0.5:
        b.emit(sync)
        b.memory.barrier()
    return True


def tile_for(b):
    """A tile whose threads all come here: (name, size); None where that is not known."""
    sizes = [s for s in (2, 4, 8, 16, 32) if b.kernel.threads % s == 0]
    if b.kernel.exited or b.in_function or not sizes or (b.level != "block" and b.mask != "FULL"):
        return None
    size, name = b.rng.choice(sizes), b.fresh("tile")
    block = this_block(b)
    b.emit(b.rng.choice(["auto %s = cg::tiled_partition<%d>(%s);", "cg::thread_block_tile<%d> %s = cg::tiled_partition<%d>(%s);"][:1])
           % (name, size, block))
    b.scope.places.append(Place("(unsigned)%s.thread_rank()" % name, names=[name], writable=False))
    return name, size


@statement("block warp", weight=3)
def tile_operation(b):
    found = tile_for(b)
    if not found:
        return False
    name, size = found
    v = b.value(1)
    d = b.rng.randrange(1, size)
    forms = ["%s.shfl(%s, (%s) %% %du)" % (name, v, b.value(1), size), "%s.shfl_xor(%s, %d)" % (name, v, d),
             "%s.shfl_up(%s, %d)" % (name, v, d), "%s.shfl_down(%s, %d)" % (name, v, d),
             "(unsigned)%s.any(%s)" % (name, b.condition()), "(unsigned)%s.all(%s)" % (name, b.condition()),
             "%s.ballot(%s)" % (name, b.condition()), "%s.match_any(%s & 3u)" % (name, v),
             "%s.meta_group_rank() + %s.size()" % (name, name)]
    operations = ["cg::plus<unsigned>()", "cg::bit_xor<unsigned>()", "cg::less<unsigned>()", "cg::greater<unsigned>()"]
    forms += ["cg::reduce(%s, %s, %s)" % (name, v, b.rng.choice(operations)),
              "cg::inclusive_scan(%s, %s)" % (name, v), "cg::exclusive_scan(%s, %s)" % (name, v)]
    b.emit(b.place().update(b.rng, b.rng.choice(forms)))
    if b.rng.random() < 0.3:
        b.emit("%s.sync();" % name)
    return True


@statement("block warp", weight=1)
def tile_function(b):
    """A function template that takes any group."""
    found = tile_for(b)
    if not found:
        return False
    name, size = found
    function = b.kernel.file_name(b.rng.choice(["total", "make_total", "__hsum"]))
    b.kernel.top += ["template <class G>", "__device__ unsigned %s(%s, unsigned v) {" % (
        function, b.rng.choice(["G g", "const G &g"])),
        "  for (int i = (int)g.size() / 2; i > 0; i /= 2) v += g.shfl_down(v, i);", "  return g.shfl(v, 0);", "}"]
    fresh = b.fresh("v")
    b.emit("unsigned %s = %s(%s, %s);" % (fresh, function, name, b.value(1)))
    b.declare(fresh)
    return True


@statement("block warp", weight=1)
def partition(b):
    """Groups of the threads that agree on something."""
    if b.kernel.threads % 32 or b.kernel.exited or b.in_function or (b.level != "block" and b.mask != "FULL"):
        return False
    tile, name = b.fresh("tile"), b.fresh("part")
    b.emit("auto %s = cg::tiled_partition<32>(cg::this_thread_block());" % tile)
    if b.rng.random() < 0.5:
        b.emit("auto %s = cg::binary_partition(%s, %s);" % (name, tile, b.condition()))
    else:
        b.emit("auto %s = cg::labeled_partition(%s, (int)(%s & 3u));" % (name, tile, b.value(1)))
    v = b.value(1)
    b.emit(b.place().update(b.rng, b.rng.choice([
        "%s.shfl(%s, 0)" % (name, v), "cg::reduce(%s, %s, cg::plus<unsigned>())" % (name, v),
        "%s.thread_rank() * 3u + %s.size()" % (name, name), "%s.ballot(%s)" % (name, b.condition())])))
    return True


@statement("warp lane", weight=1)
def coalesced(b):
    """One addition for all threads that happen to be together: the sum does not depend on who is."""
    if b.in_function:
        return False
    with b.block(""):
        name = b.fresh("together")
        b.emit("cg::coalesced_group %s = cg::coalesced_threads();" % name)
        b.emit("if (%s.thread_rank() == 0) atomicAdd(&acc[%du], %s.size());" % (name, b.rng.randrange(8), name))
    return True


@statement("block", weight=1)
def copy_async(b):
    arrays = plain_arrays(b)
    if not arrays or b.kernel.exited or b.in_function:
        return False
    array, block = b.rng.choice(arrays), this_block(b)
    b.barrier()
    b.emit("cg::memcpy_async(%s, %s, in + %du, sizeof(unsigned) * %du);" % (block, array.pointer, b.rng.randrange(100) * 4,
                                                                     b.rng.randint(1, array.length)))
    b.emit("cg::wait(%s);" % block)
    b.memory.barrier()
    b.ready(array, "read")
    b.emit(b.place().update(b.rng, array.at(b.index(array.length))))
    return True


@statement("block", weight=6)
def grid_exchange(b):
    """All threads of the grid write, wait, and read one another's numbers."""
    if b.kernel.kind != "grid" or b.depth:
        return False
    name, i = b.fresh("grid"), b.fresh("i")
    threads = b.kernel.all_threads()
    b.emit("cg::grid_group %s = cg::this_grid();" % name)
    rounds = b.rng.randint(1, 3)
    with b.block("for (int %s = 0; %s < %d; ++%s)" % (i, i, rounds, i) if rounds > 1 else ""):
        b.emit("everyone[gid] = %s;" % b.value())
        b.emit("%s.sync();" % name)
        b.emit(b.place().update(b.rng, "everyone[%s]" % b.index(threads)))
        b.emit("%s.sync();" % name)
    b.memory.barrier()
    return True


@statement("block", weight=6)
def cluster_exchange(b):
    """The blocks of a cluster read one another's shared memory."""
    arrays = [a for a in plain_arrays(b) if a.is_shared]
    if b.kernel.kind != "cluster" or b.depth or not arrays:
        return False
    array, name = b.rng.choice(arrays), b.fresh("cluster")
    b.emit("%s %s = cg::this_cluster();" % (b.rng.choice(["cg::cluster_group", "auto", "const cg::cluster_group"]), name))
    b.ready(array, ("own", "own"))
    b.emit("%s[t] = %s;" % (array.pointer, b.value()))
    b.emit("%s.sync();" % name)
    theirs = b.fresh("theirs")
    b.emit("const unsigned *%s = %s.map_shared_rank(%s, (%s.block_rank() + %du) %% %s.num_blocks());"
           % (theirs, name, array.pointer, name, b.rng.randint(0, 3), name))
    b.emit(b.place().update(b.rng, "%s[%s]" % (theirs, b.index(array.length))))
    b.emit("%s.sync();" % name)
    b.memory.barrier()
    return True
