/* Workers, blocks and their threads: what executor.cc, block.cc, warp.cc and shared.cc share.
 *
 * A worker is an operating-system thread on its way through a kernel's blocks. It runs one
 * block at a time, and keeps others resident when they wait for blocks that come later. A
 * device thread that has to wait is suspended: its slot (cpu_device/switch.h) holds where to go
 * on. Slots lie in an array by the thread's linear index, so that a barrier walks through memory
 * in order.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_EXECUTOR_H
#define CPU_DEVICE_EXECUTOR_H

#include <signal.h>
#include <time.h>

#include <atomic>
#include <condition_variable>
#include <map>

#include "cpu_device/switch.h"
#include "cpu_device/warp.h"
#include "cpu_device/runtime/order/order.h"
#include "cpu_device/runtime/run/run.h"
#include "cpu_device/runtime/runtime.h"

namespace cpu_device {

enum {
    /* The 512 KB that a GPU's thread may have, and what the runtime needs. Reserved; only touched
   * pages take memory. */
    kFiberStackSize = (512 + 64) * 1024,
    kMaxSharedSize = 227 * 1024, /* per block, with opt-in */
    kSharedGranule = 128,        /* a block's window is a multiple of this */
    kSharedAreaSize = (kMaxSharedSize + 4095) / 4096 * 4096,
    /* Addresses, not memory: an access this far outside faults. */
    kStackGuard = 32 * 1024, /* kernels touch each page of a large frame: see bazel/cuda.bzl */
    kSharedGuard = 64 * 1024 * 1024
};

/* A stack, and the run of device threads that uses it. Lies at the stack's top. */
struct Fiber {
    char *stack; /* lowest address */
    size_t stack_size;
    ThreadLoop loop;
    void *sanitizer_stack; /* for fiber.h, as what follows */
    void *sanitizer_fiber, *sanitizer_left;
};

struct Worker;
struct Launch;
struct Clusters;

struct Block : Crossing {
    Worker *worker;
    uint64_t index; /* linear, in the grid */
    uint3 block_index;
    unsigned thread_count;
    unsigned live;        /* threads that have not ended, started or not */
    unsigned next_thread; /* first thread that has not been started */
    bool shuffled;        /* threads run in an order drawn from settings().seed */
    uint64_t random;
    unsigned short order[kMaxThreadsPerBlock];
    bool split;     /* some thread has had to wait: slots are in use */
    unsigned votes; /* threads at the barrier that brought something true */
    unsigned vote_result;
    bool all_voted;       /* of the barrier before */
    unsigned turns;       /* threads that gave way in this round */
    bool only_spun;       /* all of them because they spin */
    unsigned spun_rounds; /* rounds, one after another, in which that was so */
    uint64_t seen_steps;  /* the worker's, when a thread last gave way */
    unsigned patience;    /* times more that others' spinning is waited out */
    unsigned converged;   /* the warp that last learnt its active mask */
    unsigned converging;  /* threads whose active mask is still to be found */
    unsigned at_grid;     /* threads at the grid's barrier */
    unsigned grid_generation;
    char *shared_area;                 /* kSharedAreaSize bytes between two guards */
    char *shared_base;                 /* the block's window, which ends where the area ends */
    std::vector<char *> shared_arrays; /* behind shared_places */
    unsigned ended_lanes[kMaxWarps];   /* once split */
    IndexQueue queues[2];
};

struct Worker {
    Launch *launch;
    Block *block; /* the one that runs */
    Slot main;    /* the operating-system thread's own stack */
    Fiber main_fiber;
    Slot start;                     /* of a fiber that has not run yet */
    Slot nowhere;                   /* of one that is never resumed */
    Fiber *fiber;                   /* that of the last threads that began */
    std::vector<Fiber *> fibers;    /* all */
    std::vector<Fiber *> spare;     /* those not in use */
    uint64_t next_block, end_block; /* this worker's share of the grid */
    std::vector<Block *> resident;  /* begun and not ended, but for the one that runs */
    size_t turns; /* from one block to another since one was begun for others' sake */
    std::vector<Block *> free_blocks;
    uint64_t failed_block; /* of it, these threads' assertions have failed */
    unsigned failed_lanes[kMaxWarps];
    timer_t timer;
    bool has_timer;
    uint64_t progress;      /* blocks that began or ended, and threads that had to wait, likewise */
    uint64_t steps;         /* of these those that ended, and barriers passed */
    uint64_t seen_progress; /* at the last tick */
    uint64_t seen_steps;    /* at the last tick */
    unsigned ticks, turn_ticks; /* of the running thread's turn: passed; when it is over */
    uint64_t counted_steps;     /* when a thread in a loop that counts gave way, */
    unsigned counted_rounds;    /* and after how many rounds the next one does */
    size_t rounds;              /* of blocks' threads, until all resident blocks have had one */
    uint64_t rested_at;         /* progress and steps when nothing went on */
    double idle_since;          /* when that was; 0: something goes on */
};

/* Where static shared arrays lie in the shared areas of a launch's blocks. */
struct SharedLayout {
    std::mutex mutex;
    size_t base = 0;               /* where the window begins */
    size_t used = 0;               /* of the window, by arrays met so far */
    size_t below = 0;              /* arrays that the window does not count lie from here down */
    std::map<int, size_t> offsets; /* by SharedArray::id */
};

/* A kernel on its way over the workers. */
struct Launch {
    const LaunchRecord *record;
    uint64_t block_count;
    uint64_t chunk;
    uint64_t step, first; /* the i-th block to run is (i * step + first) % block_count */
    Clusters *clusters;   /* null: none, and then that order is another */
    SharedLayout shared;
    std::atomic<double> progress_ms; /* when some worker was last seen to get on */
    std::atomic<bool> stands_still;  /* others have been let run */
    Op *op;                          /* what the launch is a part of */
    std::atomic<uint64_t> next_block;
    std::atomic<int> error;
    std::atomic<unsigned> failed_assertions;
    std::atomic<double> failed_ms;      /* when the first one did, */
    std::atomic<uint64_t> failed_place; /* and where */
    std::atomic<uint64_t> blocks_ended;
    std::atomic<uint64_t> at_grid;    /* blocks at the grid's barrier */
    std::atomic<uint64_t> grid_state; /* times the barrier was passed << 32 | idle workers */
    std::atomic<unsigned> workers;    /* taking part */
};

/* ---- executor.cc ---- */

/* The kernel will end with that error, of an assertion; false: too many have failed to say more. */
bool note_assertion(cudaError_t error);

/* The calling thread's worker; null where it never ran a kernel. */
Worker *this_worker();
inline Block *this_block() { return static_cast<Block *>(t_thread.block); }
void claim_share(Worker *w);

/* The kernel has failed, and others need not go on. Threads whose assertions fail too are heard, for
 * a while. */
bool must_stop(const Launch *l);
char *map_between_guards(size_t size, size_t guard);
void unmap_between_guards(char *p, size_t size, size_t guard);

/* ---- block.cc ---- */

/* Runs blocks until the launch has none left for this worker. Enters and leaves on the
 * operating-system thread's own stack. */
void run_blocks(Worker *w);

/* Picks the next thread to run; may be the caller, if what it waited for has happened. */
Slot *next_slot(Worker *w);

/* Switches from `me`, unless `next` is `me`; returns when `me` is resumed. */
void go_on_with(Slot *me, Slot *next);

/* Goes on with `to` and never comes back. */
[[noreturn]] void leave_for(Worker *w, Slot *to);

/* The running thread becomes one with a slot; its linear index. */
unsigned take_slot(Block *b);

/* The running thread, the block's first one, has run the kernel for all of the block. */
void end_whole_block();

/* The running thread of a kernel that is not cut goes no further; the others do. */
[[noreturn]] void end_thread_early();

/* Draws another order. */
void shuffle_order(unsigned short *items, unsigned count, uint64_t *state);

/* Suspends the running thread, which its caller has put where it will be found. */
void suspend(Block *b, unsigned me, Waiting why);

/* Preemption, from a signal handler on the thread's own stack. */
void preempt();

/* True if that thread, which has a slot, waits for others. */
bool is_waiting(const Block *b, unsigned linear);

/* Returns a sentence on where each waiting thread of the block waits. */
std::string describe_waiting(const Block *b);

/* ---- progress.cc ---- */

void make_timer(Worker *w);
void set_timer(Worker *w, bool on);
int tick_signal();

/* The worker begins with a launch. */
void begin_turns(Worker *w);

/* A thread or block has begun; one has ended; others were let go on. */
inline void note_begin(Worker *w) { ++w->progress; }
inline void note_end(Worker *w) { ++w->progress, ++w->steps; }
inline void note_step(Worker *w) { ++w->steps; }

/* All threads that can run have had a turn: where nothing goes on, others get the core for a while. */
void rest_if_idle(Worker *w);

/* ---- warp.cc ---- */

/* Empties all meetings: for a new block, or one whose kernel ended early. */
void clear_meetings(Block *b);

/* A lane has ended: lanes that waited for it go on. */
void lane_ended(Block *b, unsigned linear);

/* When nothing can run, answers lanes that asked for their active mask. True if some can go on. */
bool converge(Block *b);

/* Ends the kernel: a lane called a warp operation whose mask lacks it. */
[[noreturn]] void refuse_mask(unsigned mask, unsigned lane);

/* ---- phases.cc ---- */

/* The address lies among this worker's frames. */
bool is_frame_address(const void *pointer);

/* Ends the kernel: lanes wait for others of their warp that wait elsewhere. */
[[noreturn]] void report_missed(unsigned warp, unsigned lanes, const char *where);

/* ---- shared.cc ---- */

void prepare_shared(Launch *l);
void prepare_shared(Block *b, const LaunchRecord &r);

inline unsigned linear_index(const uint3 &t) {
    if (!(t.y | t.z)) return t.x;
    const dim3 &d = t_thread.block_dim;
    return (t.z * d.y + t.y) * d.x + t.x;
}

inline uint3 index_of(unsigned linear) {
    const dim3 &d = t_thread.block_dim;
    if (linear < d.x) return uint3{linear, 0, 0};
    return uint3{linear % d.x, linear / d.x % d.y, linear / (d.x * d.y)};
}

} // namespace cpu_device

#endif
