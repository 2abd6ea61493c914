/* A block's threads: starting, waiting, going on, ending; and a worker's blocks.
 *
 * The worker runs a block's threads one after another on one fiber. A thread that waits keeps
 * that fiber; the next one starts on a fresh one. Threads go on after a barrier in the order
 * in which they came. Only when a block can do nothing itself, because it waits for the whole
 * grid or spins on memory, does its worker turn to other blocks.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>

#include "cpu_device/runtime/report/report.h"
#include "cpu_device/runtime/run/cluster.h"
#include "cpu_device/runtime/run/fiber.h"
#include "cpu_device/runtime/run/run.h"
#include "cpu_device/runtime/runtime.h"
#include "cpu_device/spin.h"
#include "cpu_device/sync.h"

namespace cpu_device {
namespace {

enum { kMaxResidentThreads = 8192, kManyBlocks = 16, kPreemptions = 100, kSpunRounds = 2 };

void make_current(Worker *w, Block *b) {
    w->block = b;
    t_thread.block = b;
    t_thread.block_index = b->block_index;
}

/* ---- a block's beginning and end ---- */

Block *new_block(Worker *w) {
    if (w->free_blocks.empty()) {
        Block *b = new Block();
        b->shared_area = map_between_guards(kSharedAreaSize, kSharedGuard);
        b->worker = w;
        for (unsigned i = 0; i < kMaxThreadsPerBlock; ++i) b->slots[i].linear = (unsigned short)i;
        b->warps = new Warp[kMaxWarps]();
        clear_meetings(b);
        b->ready = &b->queues[0];
        b->at_barrier = &b->queues[1];
        w->free_blocks.push_back(b);
    }
    Block *b = w->free_blocks.back();
    w->free_blocks.pop_back();
    prepare_shared(b, *w->launch->record);
    return b;
}

/* ---- the order of blocks and threads ---- */

uint64_t next_random(uint64_t *state) {
    uint64_t x = *state += 0x9E3779B97F4A7C15u;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

void split(Block *b);

void begin_threads(Block *b) {
    b->live = b->thread_count;
    b->next_thread = 0;
    b->split = false;
    if (!b->shuffled) return;
    split(b);
    b->random = settings().seed * 0xD1342543DE82EF95u + b->index;
    for (unsigned i = 0; i < b->thread_count; ++i) b->order[i] = (unsigned short)i;
    shuffle_order(b->order, b->thread_count, &b->random);
}

/* The fiber's loop gets the threads that have not been started; of shuffled ones, one. */
INLINED void begin_run(Block *b, Fiber *f) {
    if (__builtin_expect(b->shuffled, 0)) {
        const unsigned i = b->order[b->next_thread++];
        f->loop.from = b->slots[i].index = index_of(i);
        f->loop.handed_off = kHandedOff;
        b->slots[i].fiber = f;
        t_thread.slot = &b->slots[i];
        return;
    }
    f->loop.from = index_of(b->next_thread);
    f->loop.handed_off = kKept;
    t_thread.slot = nullptr;
    b->worker->fiber = f;
    b->next_thread = b->thread_count;
}

/* The next block of this worker's share; false: none is left, or the kernel has failed. */
bool claim_index(Worker *w, uint64_t *index) {
    if (w->next_block >= w->end_block) claim_share(w);
    if (w->next_block >= w->end_block) return false;
    const Launch *l = w->launch;
    /* A step that shares no factor with their number visits all blocks. */
    *index = (uint64_t)(((unsigned __int128)w->next_block++ * l->step + l->first) % l->block_count);
    if (l->clusters) *index = l->clusters->block_in_order(*index);
    return true;
}

/* A block in place of none or of one that cannot go on. */
bool begin_another_block(Worker *w) {
    uint64_t index;
    if (!claim_index(w, &index)) return false;
    Block *b = new_block(w);
    const dim3 &d = t_thread.block_dim, &g = t_thread.grid_dim;
    b->thread_count = d.x * d.y * d.z;
    b->shuffled = settings().seed && w->launch->record->call->kind() == kMayWait;
    b->index = index;
    b->block_index = uint3{(unsigned)(index % g.x), (unsigned)(index / g.x % g.y),
                           (unsigned)(index / g.x / g.y)};
    begin_threads(b);
    make_current(w, b);
    note_begin(w);
    return true;
}

/* The next block in the place of one that has ended. */
bool begin_next_block(Block *b) {
    Worker *w = b->worker;
    note_end(w);
    w->launch->blocks_ended.fetch_add(1, std::memory_order_relaxed);
    if (w->launch->clusters) w->launch->clusters->block_ended(b->block_index);
    uint64_t index;
    if (!claim_index(w, &index)) return false;
    const dim3 &g = t_thread.grid_dim;
    if (index == b->index + 1) {
        /* No division here: blocks of a few threads are common. */
        uint3 &i = b->block_index;
        if (++i.x == g.x) {
            i.x = 0;
            if (++i.y == g.y) {
                i.y = 0;
                ++i.z;
            }
        }
    } else {
        b->block_index = uint3{(unsigned)(index % g.x), (unsigned)(index / g.x % g.y),
                               (unsigned)(index / g.x / g.y)};
    }
    b->index = index;
    t_thread.block_index = b->block_index;
    begin_threads(b);
    return true;
}

/* ---- which thread runs next ---- */

void split(Block *b) {
    b->split = true;
    b->ready->head = b->ready->count = 0;
    b->at_barrier->head = b->at_barrier->count = 0;
    b->votes = b->converging = b->at_grid = 0;
    b->barrier = Waiting::kEvenBarrier;
    b->patience = kPreemptions;
    b->turns = b->spun_rounds = 0;
    b->converged = (b->thread_count - 1) / kWarpSize; /* the first is next */
    memset(b->ended_lanes, 0, sizeof b->ended_lanes);
    for (unsigned i = 0; i < b->thread_count; ++i) b->slots[i].waiting = Waiting::kNothing;
}

void mark_ended(Block *b, unsigned first, unsigned last) {
    for (unsigned i = first; i < last; ++i) b->ended_lanes[i / 32] |= 1u << i % 32;
}

INLINED void release_barrier_if_complete(Block *b) {
    const unsigned n = b->at_barrier->count;
    if (n == 0 || n != b->live) return;
    note_step(b->worker);
    b->vote_result = b->votes;
    b->all_voted = b->votes == n;
    b->votes = 0;
    b->barrier = b->barrier == Waiting::kEvenBarrier ? Waiting::kOddBarrier : Waiting::kEvenBarrier;
    if (b->ready->count == 0) {
        std::swap(b->ready, b->at_barrier);
        b->at_barrier->head = b->at_barrier->count = 0;
        if (__builtin_expect(b->shuffled, 0)) shuffle_order(b->ready->items, n, &b->random);
    } else {
        while (b->at_barrier->count) b->ready->push(b->at_barrier->pop());
    }
}

unsigned generation_of(uint64_t grid_state) { return (unsigned)(grid_state >> 32); }

void release_grid_if_complete(Block *b) {
    if (b->at_grid == 0 || b->grid_generation == generation_of(b->worker->launch->grid_state))
        return;
    b->at_grid = 0;
    for (unsigned i = 0; i < b->thread_count; ++i)
        if (b->slots[i].waiting == Waiting::kGrid) {
            b->slots[i].waiting = Waiting::kNothing;
            b->ready->push(i);
        }
}

bool can_run(Block *b) {
    release_grid_if_complete(b);
    return b->ready->count || b->next_thread < b->thread_count || (b->converging && converge(b));
}

bool waits_for_grid(const Block *b) { return b->at_grid && b->at_grid == b->live; }

bool has_room(const Worker *w) {
    const dim3 &d = t_thread.block_dim;
    return (w->resident.size() + 2) * d.x * d.y * d.z <= kMaxResidentThreads;
}

/* Another block of this worker that can run, become current; with `fresh`, also one that has
 * not begun: the next time that all which have begun have had a turn, since those that spin can
 * always run, and it may be what they wait for. */
bool turn_to_other_block(Worker *w, bool fresh) {
    Block *old = w->block;
    if (fresh && ++w->turns > w->resident.size()) {
        w->turns = 0;
        if (has_room(w) && begin_another_block(w)) {
            if (old) w->resident.push_back(old);
            return true;
        }
    }
    for (size_t i = 0; i < w->resident.size(); ++i) {
        Block *b = w->resident[i];
        if (!can_run(b)) continue;
        w->resident.erase(w->resident.begin() + (long)i);
        if (old) w->resident.push_back(old);
        make_current(w, b);
        return true;
    }
    if (!fresh || !has_room(w) || !begin_another_block(w)) return false;
    if (old) w->resident.push_back(old);
    return true;
}

[[noreturn]] void report_stuck(Block *b) {
    if (const int error = b->worker->launch->error.load()) abort_kernel((cudaError_t)error);
    say("kernel %s, launched at %s:%d, cannot go on: in block (%u,%u,%u) %s",
        b->worker->launch->record->place.kernel, b->worker->launch->record->place.file,
        b->worker->launch->record->place.line, b->block_index.x, b->block_index.y, b->block_index.z,
        describe_waiting(b).c_str());
    abort_kernel(cudaErrorLaunchTimeout);
}

/* The current block can do nothing: others may, here or on other workers. */
void wait_for_other_blocks(Worker *w) {
    Launch *l = w->launch;
    Block *b = w->block;
    if (turn_to_other_block(w, waits_for_grid(b))) return;
    if (!waits_for_grid(b)) report_stuck(b);
    /* A worker counts as idle in a generation of the grid's barrier: passing it wakes all. When
   * every worker is, and no block is left to begin, it will never be passed. */
    uint64_t state = l->grid_state.load();
    bool counted = false;
    unsigned generation = generation_of(state);
    for (;; state = l->grid_state.load()) {
        if (can_run(w->block) || turn_to_other_block(w, true)) break;
        if (l->error) abort_kernel((cudaError_t)l->error.load());
        if (generation_of(state) != generation) {
            generation = generation_of(state);
            counted = false;
        } else if (!counted) {
            counted = l->grid_state.compare_exchange_strong(state, state + 1);
        } else if ((uint32_t)state == l->workers.load() && l->next_block.load() >= l->block_count) {
            report_stuck(b);
        } else {
            usleep(50);
        }
    }
    /* Something else than the barrier let a block go on: no longer idle. */
    state = l->grid_state.load();
    while (counted && generation_of(state) == generation &&
           !l->grid_state.compare_exchange_weak(state, state - 1))
        continue;
}

/* The slot by which the fiber begins with threads that have not been started. */
INLINED Slot *start_run(Block *b, Fiber *f) {
    Slot *start = &b->worker->start;
    begin_run(b, f);
    sanitizer_begin(f);
    point_at_beginning(start, f);
    return start;
}

/* Picks the next thread to run; may be the caller, if what it waited for has happened. */
INLINED Slot *choose_next(Worker *w) {
    Block *b = w->block;
    while (__builtin_expect(!b->ready->count && b->next_thread >= b->thread_count, 0)) {
        if (can_run(b)) break;
        wait_for_other_blocks(w);
        b = w->block;
    }
    if (b->next_thread >= b->thread_count) return &b->slots[b->ready->pop()];
    return start_run(b, new_fiber(w));
}

/* Makes the running thread's stack a spare one. No thread takes it before this one leaves it. */
inline void give_up(Worker *w, Fiber *fiber) { w->spare.push_back(fiber); }

inline void note_lanes_ended(Block *b, unsigned first, unsigned last) {
    if (first == last) return;
    mark_ended(b, first, last);
    for (unsigned i = first; i < last; ++i) lane_ended(b, i);
}

/* The fiber's block has ended, and no other takes its place: another fiber goes on. */
[[noreturn]] void leave_ended_block(Worker *w, Fiber *me) {
    w->free_blocks.push_back(w->block);
    w->block = nullptr;
    give_up(w, me);
    if (w->resident.empty()) leave_for(w, &w->main);
    make_current(w, w->resident.front());
    w->resident.erase(w->resident.begin());
    leave_for(w, choose_next(w));
}

/* The fiber's threads have ended, or its last one is a slot's, and its block goes on. */
[[noreturn]] void leave_block(Worker *w, Fiber *me) {
    Block *b = w->block;
    if (b->next_thread < b->thread_count) leave_for(w, start_run(b, me));
    Slot *next = choose_next(w);
    give_up(w, me);
    leave_for(w, next);
}

} // namespace

void fiber_main() {
    Worker *w = this_worker();
    Fiber *me = w->start.fiber;
    sanitizer_arrive(nullptr);
    sanitizer_begun(me);
    w->launch->record->call->run(&me->loop);
    /* The loop ran to the end of the block: others of its threads wait, or no block is left. */
    if (w->block->live) leave_block(w, me);
    leave_ended_block(w, me);
}

Slot *next_slot(Worker *w) { return choose_next(w); }

void leave_for(Worker *w, Slot *to) {
    sanitizer_leave(nullptr, to->fiber);
    switch_slots(&w->nowhere, to);
    abort();
}

/* A thread that has a slot has ended. Does not return: the fiber's stack is used from its top
 * again, so that no return runs against what the processor expects. */
void end_thread() {
    Block *b = this_block();
    Worker *w = b->worker;
    Slot *s = t_thread.slot;
    note_end(w);
    if (--b->live == 0) {
        if (begin_next_block(b)) leave_for(w, start_run(b, s->fiber));
        leave_ended_block(w, s->fiber);
    }
    note_lanes_ended(b, s->linear, s->linear + 1u);
    release_barrier_if_complete(b);
    leave_block(w, s->fiber);
}

void end_thread_early() {
    Block *b = this_block();
    if (b->worker->launch->record->call->kind() == kMayWait) {
        take_slot(b);
        end_thread();
    }
    /* The fiber's loop begins again, with the thread that comes next. */
    Fiber *f = b->worker->fiber;
    const unsigned next = linear_index(t_thread.thread_index) + 1;
    b->live -= next - linear_index(f->loop.from);
    f->loop.from = index_of(next);
    f->loop.handed_off = kKept;
    Slot *start = &b->worker->start;
    sanitizer_begin(f);
    point_at_beginning(start, f);
    leave_for(b->worker, start);
}

/* A fiber's loop has come to the end of its block. */
bool next_block(ThreadLoop *loop) {
    Block *b = this_block();
    const unsigned from = linear_index(loop->from);
    b->live -= b->thread_count - from;
    if (b->live) {
        note_end(b->worker);
        note_lanes_ended(b, from, b->thread_count);
        release_barrier_if_complete(b);
        return false;
    }
    if (!begin_next_block(b)) return false;
    b->next_thread = b->thread_count;
    loop->from = uint3{0, 0, 0};
    return true;
}

void shuffle_order(unsigned short *items, unsigned count, uint64_t *state) {
    for (unsigned i = count; i > 1; --i) std::swap(items[i - 1], items[next_random(state) % i]);
}

void end_whole_block() {
    Block *b = this_block();
    if (t_thread.slot) { /* shuffled: end_thread() is next, for the block's last one */
        b->live = 1;
        b->next_thread = b->thread_count;
    } else {
        b->worker->fiber->loop.handed_off = kBlockDone;
    }
}

void run_blocks(Worker *w) {
    w->main.fiber = &w->main_fiber;
    if (w->launch->block_count > kManyBlocks) sort_spare_fibers(w);
    if (!begin_another_block(w)) return;
    switch_fibers(&w->main, start_run(w->block, new_fiber(w)));
}

static __attribute__((noinline)) void take_new_slot(Block *b, Fiber *f) {
    const unsigned i = linear_index(t_thread.thread_index);
    note_begin(b->worker);
    if (!b->split) split(b);
    const unsigned from = linear_index(f->loop.from);
    b->live -= i - from;
    b->next_thread = i + 1;
    f->loop.handed_off = kHandedOff;
    b->slots[i].fiber = f;
    b->slots[i].index = t_thread.thread_index;
    t_thread.slot = &b->slots[i];
    note_lanes_ended(b, from, i);
}

static INLINED unsigned take_slot_here(Block *b) {
    if (__builtin_expect(!t_thread.slot, 0)) take_new_slot(b, b->worker->fiber);
    return t_thread.slot->linear;
}

static INLINED void go_on_with_here(Slot *me, Slot *next) {
    if (next != me) switch_fibers(me, next);
    me->waiting = Waiting::kNothing;
    t_thread.slot = me;
    t_thread.thread_index = me->index;
}

static INLINED void suspend_here(Block *b, unsigned me, Waiting why) {
    Slot *s = &b->slots[me];
    s->waiting = why;
    go_on_with_here(s, choose_next(b->worker));
}

void go_on_with(Slot *me, Slot *next) { go_on_with_here(me, next); }
unsigned take_slot(Block *b) { return take_slot_here(b); }
void suspend(Block *b, unsigned me, Waiting why) { suspend_here(b, me, why); }

/* Enters the runtime from a kernel that was translated as one that never waits: a mistake of
 * cu_to_cpp's. */
[[noreturn]] __attribute__((noinline)) static void not_translated_to_wait() {
    say("internal error: %s waits, and was translated as if it did not", where_in_kernel().c_str());
    abort_kernel(cudaErrorUnknown);
}

static INLINED void require_waiting_kernel() {
    if (__builtin_expect(t_thread.interruptible == kMayEnd, 0)) not_translated_to_wait();
}

Slot *take_slot_in_kernel() {
    require_waiting_kernel();
    set_interruptible(kInRuntime);
    take_slot(this_block());
    return t_thread.slot;
}

Slot *next_after_barrier() {
    Block *b = this_block();
    release_barrier_if_complete(b);
    return choose_next(b->worker);
}

static void barrier_here(bool vote) {
    require_waiting_kernel();
    set_interruptible(kInRuntime);
    Block *b = this_block();
    const unsigned me = take_slot_here(b);
    Slot *s = &b->slots[me];
    s->waiting = b->barrier;
    b->votes += vote;
    b->at_barrier->push(me);
    release_barrier_if_complete(b);
    go_on_with_here(s, choose_next(b->worker));
    set_interruptible(kMayYield);
}

void block_barrier() { barrier_here(false); }
void block_barrier_vote(bool vote) { barrier_here(vote); }

int block_votes() { return (int)this_block()->vote_result; }
bool block_all_voted() { return this_block()->all_voted; }

/* Waits until every thread of every block has come here. */
void grid_barrier() {
    require_waiting_kernel();
    set_interruptible(kInRuntime);
    Block *b = this_block();
    Launch *l = b->worker->launch;
    const unsigned me = take_slot(b);
    if (b->at_grid++ == 0) b->grid_generation = generation_of(l->grid_state);
    b->slots[me].waiting = Waiting::kGrid;
    if (b->at_grid == b->live &&
        l->at_grid.fetch_add(1) + 1 == l->block_count - l->blocks_ended.load()) {
        l->at_grid = 0;
        uint64_t state = l->grid_state.load();
        while (
            !l->grid_state.compare_exchange_weak(state, ((uint64_t)generation_of(state) + 1) << 32))
            continue;
    }
    suspend(b, me, Waiting::kGrid);
    set_interruptible(kMayYield);
}

/* The next round goes the other way: a thread may wait for the one before it or for the next. */
static void turn_round(IndexQueue *q) {
    for (unsigned i = 0; i < q->count / 2; ++i)
        std::swap(q->items[(q->head + i) % kMaxThreadsPerBlock],
                  q->items[(q->head + q->count - 1 - i) % kMaxThreadsPerBlock]);
}

/* A thread of the block gives way. Once all that can run have, it is other blocks' turn. Lanes that
 * stand still until their warp is together may be what the others spin for. */
static void note_turn(Block *b, bool spins) {
    Worker *w = b->worker;
    b->only_spun = spins && b->seen_steps == w->steps && (b->turns == 0 || b->only_spun);
    b->seen_steps = w->steps;
    if (b->converging && !spins && (b->patience == 0 || --b->patience == 0)) converge(b);
    if (b->next_thread < b->thread_count || ++b->turns < b->ready->count) return;
    b->turns = 0;
    b->spun_rounds = b->only_spun ? b->spun_rounds + 1 : 0;
    if (b->converging && b->spun_rounds >= kSpunRounds) {
        b->spun_rounds = 0;
        converge(b);
    }
    turn_round(b->ready);
    if (++w->rounds > w->resident.size()) {
        w->rounds = 0;
        rest_if_idle(w);
    }
    turn_to_other_block(w, true);
}

static void give_way(bool spins) {
    set_interruptible(kInRuntime);
    Block *b = this_block();
    const unsigned me = take_slot(b);
    b->ready->push(me);
    note_turn(b, spins);
    suspend(b, me, Waiting::kNothing);
    set_interruptible(kMayYield);
}

void preempt() { give_way(false); }
void yield_to_others() { give_way(true); }

void count_out() {
    if (t_thread.interruptible != kMayYield) return;
    Worker *w = this_worker();
    const bool went_on = w->counted_steps != w->steps;
    w->counted_steps = w->steps;
    w->counted_rounds = went_on ? (unsigned)kCountedRounds
                                : std::min<unsigned>(2 * w->counted_rounds, kMostCountedRounds);
    t_thread.counted = w->counted_rounds;
    give_way(false);
}

void spin_out() {
    ThreadState &t = t_thread;
    if (t.interruptible != kMayYield)
        return; /* threads that never wait; asked again in 2^32 rounds */
    t.patience = kPatience;
    const volatile void *const found_at = t.found_at;
    const unsigned long long found = t.found;
    give_way(true);
    t.found_at = found_at;
    t.found = found;
    t.patience = kPatienceAgain;
}

bool is_waiting(const Block *b, unsigned i) {
    const Waiting why = b->slots[i].waiting;
    return why == b->barrier || why >= Waiting::kWarp;
}

/* " at program.cu:12", or nothing where that is not known. */
static std::string place_of_waiting(const Slot *s) {
    const bool running = s == t_thread.slot; /* the slot does not know yet where it stopped */
    const std::string line = running ? line_of_caller() : line_of_code(s->resume, s->frame_pointer);
    return line.empty() ? "" : " at " + line.substr(0, line.size() - 2);
}

std::string describe_waiting(const Block *b) {
    const struct {
        Waiting why;
        const char *where;
    } places[] = {{b->barrier, "at __syncthreads()"},
                  {Waiting::kWarp, "at a warp operation"},
                  {Waiting::kConvergence, "for the rest of their warp"},
                  {Waiting::kGrid, "at the grid's barrier"}};
    std::string text;
    for (const auto &[why, where] : places) {
        unsigned count = 0;
        const Slot *first = nullptr;
        for (unsigned i = 0; i < b->thread_count; ++i)
            if (!(b->ended_lanes[i / 32] >> i % 32 & 1) && b->slots[i].waiting == why) {
                if (count++ == 0) first = &b->slots[i];
            }
        if (!count) continue;
        char part[400];
        snprintf(part, sizeof part, "%s%u of %u threads wait %s (the first is thread (%u,%u,%u)%s)",
                 text.empty() ? "" : ", ", count, b->thread_count, where, first->index.x,
                 first->index.y, first->index.z, place_of_waiting(first).c_str());
        text += part;
    }
    const unsigned ended = b->thread_count - b->live;
    if (ended) text += ", " + std::to_string(ended) + " have ended";
    return text + ": what they wait for never comes";
}

} // namespace cpu_device
