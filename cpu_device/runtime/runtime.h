/* The CPU device's parts, as they see one another. Nothing outside this folder includes it.
 *
 *   settings.cc   what the environment asks for
 *   errors.cc     the one place through which errors pass; names and texts
 *   device.cc     devices and what they answer about themselves
 *   memory.cc     device, pinned and managed memory; who may touch it
 *   memory_queries.cc  what programs ask about memory, and hints
 *   memory_reports.cc  what an address is, in words; bad frees; writes past an allocation's end
 *   pools.cc      memory in a stream's order and its pools; launches with attributes, hints
 *   variables.cc  __device__, __constant__ and __managed__ variables
 *   queue.cc      streams and events: what is done when (queue.h: what they are)
 *   capture.cc    streams whose work becomes a graph's
 *   graph.cc      graphs: nodes and what they depend on (graph.h: what they are)
 *   graph_nodes.cc  the work of nodes, from their parameters and back
 *   graph_params.cc  nodes of any type, by the calls for each type
 *   graph_exec.cc   instantiated graphs: launches and updates
 *   copy.cc       copies and fills
 *   arguments.cc  host pointers in what kernels are given
 *   launch.cc     launches: checks, then a place in the queue
 *   kernels.cc    what is known of each kernel (kernels.h)
 *   attributes.cc   what programs ask of kernels: attributes, occupancy
 *   executor.cc   operating-system threads that run a kernel's blocks
 *   progress.cc   how kernels get on: preemption, the time limit
 *   block.cc      a block's threads: fibers and barriers
 *   warp.cc       warp operations
 *   cluster.cc    clusters of blocks (cluster.h: what they are)
 *   shared.cc     shared memory
 *   printf.cc     device printf
 *   arithmetic_checks.cc  what --config=check finds in arithmetic
 *   symbols.cc    names of functions by their addresses
 *   source_lines.cc  which line of the program some code is
 *   assertions.cc   assert() in kernels
 *   access.cc     which address an instruction used
 *   faults.cc     signals: a bad access becomes an error with a sentence
 *
 * One mutex, runtime_mutex(), guards all state but the executor's. Work that a program queues
 * is done when some host thread waits for it, and only what that wait needs; what nobody
 * waits for is done by a background thread a moment later. So host code and kernels do not
 * overlap by chance, and a missing synchronise shows every time. Kernels that stand still, as
 * those do that wait for the host or for another stream, let other work go on beside them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_RUNTIME_H
#define CPU_DEVICE_RUNTIME_H

#include <stdint.h>

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <variant>
#include <vector>

#include "cpu_device/launch.h"
#include "cuda_runtime_api.h"

namespace cpu_device {

/* ---- settings.cc ---- */

struct Settings {
  int device_count;
  size_t memory_size;          /* bytes a device */
  unsigned threads;            /* operating-system threads */
  bool quiet;                  /* no sentences on standard error */
  bool poison;                 /* fill fresh device memory with 0xFF */
  unsigned background_ms;      /* how long queued work waits for a host that waits */
  double time_limit_ms;        /* for kernels of which no block ends; 0: none */
  uint64_t repeat_limit;       /* launches from one place; 0: no limit */
  uint64_t seed;               /* of the order of blocks and threads; 0: ascending */
  std::string fail_kind;       /* "malloc", "copy" or "launch": fails the */
  uint64_t fail_at;            /* fail_at-th of its kind, counted from 1; 0: none */
};

/* Read once, at the first call; a value that makes no sense ends the program with status 2. */
const Settings &settings();

/* True where this is the call that LAB_CPU_DEVICE_FAIL names. */
bool injected_failure(const char *kind);

/* ---- errors.cc ---- */

/* Notes `error` as the calling thread's last one (success and not-ready are not) and returns it. */
cudaError_t record(cudaError_t error);

/* One sentence for the person who runs the program, on standard error. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The kernels were built with --config=check, and something was found, or a launch did not run: a program that would end
 * with status 0 ends with 1. Without --config=check nothing happens. */
void note_check_failure();

/* With --config=check. Known before main. */
bool kernels_are_checked();

/* ---- device.cc ---- */

struct Device {
  int ordinal;
  cudaError_t broken;          /* the sticky error, else success */
  unsigned flags;
  std::vector<int> peers;      /* devices whose memory this one may use */
};

std::mutex &runtime_mutex();

/* The calling thread's device. */
Device &current_device();
Device &device_at(int ordinal);
int current_ordinal();
bool is_device(int ordinal);

/* For calls that need a working device: its sticky error, or success. */
cudaError_t device_status();

/* cudaLimitPrintfFifoSize, in bytes. */
size_t printf_buffer_size();

/* ---- memory.cc ---- */

enum class MemoryKind { kPageable, kDevice, kPinned, kManaged, kRegistered };

struct Allocation {
  uintptr_t base;
  size_t size;
  MemoryKind kind;
  int device;
  unsigned flags;
  uint64_t id;                 /* no two allocations of a run share one */
  size_t red_zone = 0;         /* bytes behind it that belong to nobody */
  const void *made_by = nullptr;   /* the code that the call which made it returns to */
};

/* The live allocation that holds `pointer`, or null: pageable host memory, or none at all. */
const Allocation *find_allocation(const void *pointer);

/* The pointer lies where only device memory can be (perhaps in none that lives). */
bool in_device_arena(const void *pointer);

/* The host address that a pointer made by device_view stands for, or null. */
const void *host_behind_view(const void *pointer);

/* Device memory can be read and written while one of these lives: the host cannot touch it
 * otherwise. Nests. Takes its own lock. */
class DeviceAccess {
 public:
  DeviceAccess();
  ~DeviceAccess();
};

void free_all_memory(int device);

/* Device memory, without the checks of cudaMalloc and cudaFree. */
cudaError_t allocate_device_memory(void **pointer, size_t size, int device);
void release_device_memory(void *pointer);

size_t used_device_memory(int device);

void for_each_allocation(const std::function<void(const Allocation &)> &visit);

/* The last one that begins below the address, or null. */
const Allocation *nearest_allocation_below(const void *pointer);

/* ---- memory_reports.cc ---- */

enum { kMinRedZone = 256, kMaxRedZone = 1024, kHostGuard = 4096 };

void fill_red_zone(const Allocation &a);

/* Between the two a kernel runs: who has written past the end of an allocation is told. */
void blame_host_for_overruns();
void blame_kernel_for_overruns(const LaunchPlace &place);

/* "byte 8 of the allocation of 400 bytes from program.cu:12" and the like. */
std::string describe_address(const void *pointer);

/* "4 bytes past the end of the allocation ..."; "" where it is far from any. */
std::string describe_past_end(const void *pointer);

/* "2 GB before the allocation ..." or as far past its end, where only a wrong index leads; else "". */
std::string describe_wrapped(const void *pointer);

/* Says why the pointer cannot be given to `call`, cudaFree or the like, which returns there. */
void explain_bad_free(const char *call, const void *pointer, const void *return_address);

/* So that later an address can be told to lie in freed memory. */
void note_allocated(const Allocation &a);
void note_freed(const Allocation &a);

/* ---- variables.cc ---- */

struct MemoryRange {
  uintptr_t base;
  size_t size;
};

/* The pages that hold nothing but device variables. */
MemoryRange device_variable_pages();
bool in_device_variables(const void *pointer);

/* The program has some. */
bool has_device_variables();

/* As if all variables were one allocation; false: none lies there. */
bool find_variable(const void *pointer, Allocation *a);

/* Whether cudaGetSymbolAddress has given the program an address there. */
bool variable_address_taken(const void *pointer);

/* The device's own values stand in its variables. With device memory open. */
void activate_variables(int device);
void reset_variables(int device);

/* ---- queue.cc ---- */

struct Stream;
struct Op;
struct LaunchRecord;
using OpRef = std::shared_ptr<Op>;

/* Memory that belongs to a graph: see graph.h. */
struct GraphMemory;
struct AllocatesMemory { std::shared_ptr<GraphMemory> memory; };
struct FreesMemory { std::shared_ptr<GraphMemory> memory; };
struct RecordsEvent { cudaEvent_t event; };
struct WaitsForEvent { cudaEvent_t event; };

/* What a piece of work was made from: what a graph's node shows as its parameters. */
using WorkSource =
    std::variant<std::monostate, std::shared_ptr<LaunchRecord>, cudaMemcpy3DParms,
                 cudaMemsetParams, cudaHostNodeParams, std::shared_ptr<CUgraph_st>, WaitsForEvent,
                 RecordsEvent, AllocatesMemory, FreesMemory>;

/* Something that a stream does. run() is called once, in its turn, with device memory open and
 * without runtime_mutex(); its error sticks to the device. */
struct Op {
  enum Kind { kKernel, kCopy, kEvent, kHost };
  Kind kind;
  uint64_t id;
  int device;
  std::vector<OpRef> after;
  std::function<cudaError_t()> run;
  std::string name;
  bool begun = false, done = false;
  bool stands_still = false;   /* it is being done, and lets others run */
  double queued_ms;            /* on a steady clock */
  double end_ms;               /* when it was done, likewise */
};

/* What can be given to a stream, or be a graph's node. run() may be called many times. */
struct Work {
  Op::Kind kind = Op::kHost;
  std::string name;
  std::function<cudaError_t()> run;
  WorkSource source;
};

using Lock = std::unique_lock<std::mutex>;

/* Queues `work` on the stream; the error where the stream is none, or cannot take work. If the
 * stream is capturing, the work becomes a node of its graph, and *out stays null. Needs the
 * lock. */
cudaError_t enqueue(cudaStream_t stream, Work work, OpRef *out = nullptr);

/* As the device's, the queue takes about a thousand launches; then the host has to wait. */
enum { kLaunchQueueLength = 1024 };
void keep_queue_short(Lock &lock);

/* Does `op` and all that it waits for, or waits for who does; then the device's sticky error. */
cudaError_t wait_for(Lock &lock, const OpRef &op);

/* The same for all that is queued on a device. */
cudaError_t wait_for_device(Lock &lock, int device);

cudaError_t check_stream(cudaStream_t stream);

/* Drops what is queued on the device, its streams and its events. Needs the lock. */
void forget_queue(int device);

double now_ms();

/* What the calling thread is doing; null: no op. */
Op *running_op();

/* The op, which is being done, makes no progress: what can begin beside it may. Takes the lock. */
void let_others_run(Op *op);

/* True while a thread of the program's waits for the device, or asks it time and again; *since:
 * from when on. Takes no lock. */
bool host_waits_since(double *since);

/* ---- capture.cc ---- */

/* For calls that no capture could see (cudaMalloc and its kin): success, or 900 where a capture
 * forbids them now, which ends that capture. Needs the lock. */
cudaError_t unseen_call();
cudaError_t unseen_call_unlocked();

/* The stream is capturing. Needs the lock. */
bool is_capturing(cudaStream_t stream);

/* ---- graph_nodes.cc ---- */

/* In a stream that captures: memory of its graph, and the node that makes it. Needs the lock. */
cudaError_t capture_allocation(void **pointer, size_t size, cudaStream_t stream);
cudaError_t capture_free(void *pointer, cudaStream_t stream);

/* Memory of a graph that stands allocated no longer does; null: the pointer is no such memory.
 * It stays reachable while the result lives. Takes the lock. */
std::shared_ptr<GraphMemory> free_graph_memory(void *pointer);

/* The same for cudaFree, which waits for all work: false, it is no such memory. */
bool free_graph_memory_now(void *pointer);

/* ---- copy.cc, launch.cc: the work of a graph's node ---- */

cudaError_t copy_work(const cudaMemcpy3DParms &p, Work *work);
cudaError_t fill_work(const cudaMemsetParams &p, Work *work);
/* `before`: the launch whose place the new one takes, or null. */
cudaError_t launch_work(const cudaKernelNodeParams &p, const LaunchRecord *before, Work *work);

/* ---- executor.cc ---- */

struct LaunchRecord {
  dim3 grid;
  dim3 block;
  dim3 cluster;                /* in blocks; (1,1,1): none */
  size_t static_shared;
  size_t dynamic_shared;
  LaunchPlace place;
  std::unique_ptr<KernelCall> call;
  int device;
  const void *function;        /* null where the launch did not tell */
};

/* Runs a kernel on all workers; success, or the error that stopped it. */
cudaError_t run_kernel(const LaunchRecord &launch);

/* Ends the kernels of the device that are running, with that error. Takes no lock of the queue's. */
void stop_kernels(int device, cudaError_t error);

/* Calls part(i) for i in [0, count) on all workers. */
void run_parallel(size_t count, const std::function<void(size_t)> &part);

/* Ends the kernel that the calling fiber belongs to with an error; does not return. */
[[noreturn]] void abort_kernel(cudaError_t error);

/* True while the calling thread runs a kernel's code. */
bool in_kernel();

/* "thread (3,0,0) of block (1,0,0) of kernel add, launched at add.cu:12", for in_kernel(). */
std::string where_in_kernel();

/* The device that runs the calling thread's kernel, for in_kernel(). */
int device_of_kernel();

/* ---- printf.cc ---- */

/* Prints what kernels of the device have printed so far. */
void print_device_text(int device);

/* ---- shared.cc ---- */

/* The shared arrays that stand in the kernel's own body, in bytes; 0 for a null symbol. */
size_t static_shared_size(const char *kernel_symbol);

/* The type of that symbol stands in the body of the kernel of this one. */
bool is_local_of(const std::string &local, const char *kernel_symbol);

/* ---- symbols.cc ---- */

/* What the program calls the function at the address, as compilers encode it; none where the
 * program has no such table. */
std::vector<std::string> names_of_code(const void *function);

/* The address lies in the program's code, or in that of a library. */
bool is_code(const void *address);

/* ---- source_lines.cc ---- */

/* "program.cu:12: ", the program's own line where a signal (its ucontext_t) stopped some code;
 * "" where that is not known. */
std::string line_of_fault(const void *context);

/* The same for a call, by the address to which it returns. */
std::string line_of_call(const void *return_address);

/* The same for the code that goes on at an address, with that frame pointer. */
std::string line_of_code(const void *pc, const void *frame);

/* The same for the code that has called the runtime. */
std::string line_of_caller();

/* ---- assertions.cc ---- */

/* In a kernel, and an assertion of the running thread has failed. */
bool assertion_has_failed();

/* ---- access.cc ---- */

/* Where the instruction of a signal's ucontext_t wanted to go, if no memory can be there; else 0. */
uintptr_t impossible_address(const void *context);

/* ---- faults.cc ---- */

void install_fault_handlers();

/* Gives the calling thread a stack for signals. */
void prepare_thread_for_faults();

}  // namespace cpu_device

#endif
