/* What cu_to_cpp makes of a launch.
 *
 *   kernel<T><<<grid, block, shared, stream>>>(a, b)
 *
 * becomes, in one expression,
 *
 *   ::cpu_device::launch<kind>(call, sign, tag, place, {grid, block, shared, stream})(a, b)
 *
 * `call` calls the kernel (a generic lambda, so overloads and deduced templates work). `sign`
 * tells, where the name means one function, its parameter types: arguments are then converted
 * once, at the launch, as on the device. `tag` tells, where the function is known when the
 * program is compiled, its symbol, by which its shared arrays are found.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_LAUNCH_H
#define CPU_DEVICE_LAUNCH_H

#include <stdint.h>

#include <memory>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>

#include "cpu_device/alignment.h"
#include "cpu_device/kernel_bodies.h"
#include "cpu_device/thread.h"
#include "cuda_runtime_api.h"

namespace cpu_device {

/* The text between <<< and >>>. */
struct LaunchShape {
    dim3 grid;
    dim3 block;
    size_t shared_size;
    cudaStream_t stream;
    dim3 cluster = dim3(1, 1, 1); /* what the launch asks for, in blocks */

    LaunchShape(dim3 grid_, dim3 block_ = 1, size_t shared_ = 0, cudaStream_t stream_ = 0)
        : grid(grid_), block(block_), shared_size(shared_), stream(stream_) {}
};

/* Where a launch stands in the program, and what it names. */
struct LaunchPlace {
    const char *kernel;
    const char *file;
    int line;
    const char *symbol; /* the kernel as compilers encode it, or null */
};

/* Checks the launch as the device does and queues it. The error, if any, is left for
 * cudaGetLastError. `function` is the kernel's address where there is one, else null. */
void queue_launch(const LaunchPlace &place, const void *function, const LaunchShape &shape,
                  std::unique_ptr<KernelCall> call);

/* The same of a function that only its address names: a kernel, or it does not run. */
void queue_pointer_launch(const LaunchPlace &place, const void *function, const LaunchShape &shape,
                          std::unique_ptr<KernelCall> call);

/* The kernel was called as functions are: it does not run, and the error is that of a GPU's. */
void kernel_called(const char *name);

/* A kernel that cudaLaunchKernel can find by its address alone. */
struct KernelEntry {
    template <class... P>
    KernelEntry(const char *name, void (*kernel)(P...), const char *symbol);
};

/* --config=check built the kernels of this file. */
void note_checked_kernels();
#if LAB_CPU_DEVICE_CHECK
inline const bool checked_kernels = (note_checked_kernels(), true);
#endif

/* Makes a kernel known: how to call it with the arguments that `arguments` points at. */
void register_kernel(const char *name, const char *symbol, const void *function,
                     std::unique_ptr<KernelCall> (*bind)(const void *function, void **arguments,
                                                         const LaunchPlace &place));

/* The same for one of which only the address is known. */
void know_kernel(const void *function,
                 std::unique_ptr<KernelCall> (*bind)(const void *function, void **arguments,
                                                     const LaunchPlace &place));

/* cudaLaunchKernel and its cooperative sister, with the call made already. */
cudaError_t launch_by_pointer(const void *function, LaunchShape shape, bool cooperative,
                              std::unique_ptr<KernelCall> call, const LaunchPlace &place);

/* A host pointer given to a kernel becomes one that faults when used; all else is itself.
 * A number, since compilers warn of a `const void *` to memory that holds nothing yet. */
void *device_view(uintptr_t pointer, const LaunchPlace &place);

/* The same for the pointers among the members of an argument, wherever they stand in its bytes. */
void close_host_pointers(void *bytes, size_t size, const LaunchPlace &place);

/* The device's vector types hold numbers only; what else is aligned as a pointer may hold one. */
template <class T, class... Vectors>
constexpr bool is_one_of = (std::is_same_v<T, Vectors> || ...);
template <class T>
constexpr bool kMayHoldPointers =
    std::is_class_v<T> && alignof(T) >= alignof(void *) &&
    !is_one_of<T, int2, int4, uint2, uint4, float2, float4, double1, double2, double3, double4,
               long1, long2, long3, long4, ulong1, ulong2, ulong3, ulong4, longlong1, longlong2,
               longlong3, longlong4, ulonglong1, ulonglong2, ulonglong3, ulonglong4, short4,
               ushort4>;

template <class T>
inline T device_view_of(T value, const LaunchPlace &place) {
    if constexpr (std::is_pointer_v<T> && std::is_object_v<std::remove_pointer_t<T>>)
        return marked_if_misaligned((T)device_view((uintptr_t)value, place));
    else if constexpr (kMayHoldPointers<T> && std::is_trivially_copyable_v<T>)
        close_host_pointers(std::addressof(value), sizeof value, place);
    return value;
}

/* What a launch keeps of an argument: of a reference its address, of an object with a copy
 * constructor or a destructor its bytes; as on the device, neither runs there. All else: itself. */
template <class T>
struct Reference {
    T *address;
    operator T &() const { return *address; }
};
template <class T>
struct Bytes {
    alignas(T) unsigned char bytes[sizeof(T)];
};

template <class P, class = void>
struct Kept {
    using Type = P;
    using Passed = P;
    static Type of(P &&value, const LaunchPlace &place) {
        return device_view_of<P>(static_cast<P &&>(value), place);
    }
};
template <class T>
struct Kept<T &> {
    using Type = Reference<T>;
    using Passed = T &;
    static Type of(T &value, const LaunchPlace &place) {
        return {device_view_of<T *>(std::addressof(value), place)};
    }
};

/* Classes that C++ passes by the address of a copy, which the caller makes. */
template <class P>
constexpr bool kByAddress = std::is_class_v<P> && (!std::is_trivially_destructible_v<P> ||
                                                   (std::is_copy_constructible_v<P> &&
                                                    !std::is_trivially_copy_constructible_v<P>) ||
                                                   (std::is_move_constructible_v<P> &&
                                                    !std::is_trivially_move_constructible_v<P>));
template <class P>
struct Kept<P, std::enable_if_t<kByAddress<P>>> {
    using Type = Bytes<P>;
    using Passed = void *;
    static Type of(P &&value, const LaunchPlace &place) {
        Type kept;
        __builtin_memcpy(kept.bytes, std::addressof(value), sizeof value);
        close_host_pointers(kept.bytes, sizeof kept.bytes, place);
        return kept;
    }
};

template <class T>
inline const T &passed(const T &kept) {
    return kept;
}
template <class T>
struct BytesOfThread {
    Bytes<T> copy;
    operator void *() { return copy.bytes; }
};
template <class T>
inline BytesOfThread<T> passed(const Bytes<T> &kept) {
    return {kept};
}

/* Calls a kernel by its address, each thread with bytes of its own for such classes. */
template <class... P>
struct CallByAddress {
    const void *function;
    void operator()(const typename Kept<P>::Type &...kept) const {
        ((void (*)(typename Kept<P>::Passed...))function)(passed(kept)...);
    }
};

/* A call whose arguments can be replaced by those that `arguments` points at. */
class RebindableCall : public KernelCall {
  public:
    virtual std::unique_ptr<KernelCall> with(void **arguments, const LaunchPlace &place) const = 0;
};

template <KernelKind kind_, class Call, class... P>
class BoundCall final : public RebindableCall {
  public:
    BoundCall(Call call, P... args) : call_(call), args_(static_cast<P &&>(args)...) {}
    unsigned argument_count() const override { return sizeof...(P); }
    void argument_addresses(void **addresses) const override {
        std::apply([&](const P &...args) { ((*addresses++ = (void *)&args), ...); }, args_);
    }
    std::unique_ptr<KernelCall> with(void **arguments, const LaunchPlace &place) const override {
        return with(arguments, place, std::index_sequence_for<P...>());
    }
    KernelKind kind() const override { return kind_; }
    /* By value where the compiler can keep values in registers, so that nothing which a kernel
   * stores seems to change them. A thread that waits would only have more to keep. */
    void run(ThreadLoop *loop) const override {
        if constexpr (kind_ == kMayWait)
            run_threads<kind_>(loop, [this] { std::apply(call_, args_); });
        else
            std::apply([&](const P &...args) { run_threads<kind_>(loop, bind(call_, args...)); },
                       args_);
    }

  private:
    template <size_t... I>
    std::unique_ptr<KernelCall> with([[maybe_unused]] void **arguments, const LaunchPlace &place,
                                     std::index_sequence<I...>) const {
        (void)place;
        return std::make_unique<BoundCall>(call_, device_view_of<P>(*static_cast<P *>(arguments[I]),
                                                                    place)...);
    }

    static auto bind(const Call call, const P... args) {
        return [call, args...] { call(args...); };
    }
    Call call_;
    std::tuple<P...> args_;
};

/* `call` of a launch whose arguments the compiler has judged already. */
template <class Call>
struct Checked : Call {};
template <class Call>
inline Checked<Call> checked(Call call) {
    return {call};
}
template <class Call>
constexpr bool kIsChecked = false;
template <class Call>
constexpr bool kIsChecked<Checked<Call>> = true;

/* 0 and NULL fit pointers, though their types do not tell. */
template <class A, class P>
constexpr bool fits() {
    return std::is_convertible_v<A, P> ||
           (std::is_integral_v<std::decay_t<A>> && std::is_pointer_v<P>);
}

/* Takes the launch's arguments: as the kernel's parameter types where they are known. */
template <KernelKind kind, class Call, class... P>
struct TypedLauncher {
    Call call;
    LaunchPlace place;
    const void *function;
    LaunchShape shape;

    void operator()(P... args) const {
        if constexpr ((kByAddress<P> || ...))
            queue(CallByAddress<P...>{function}, static_cast<P &&>(args)...);
        else queue(call, static_cast<P &&>(args)...);
    }

    /* Fewer arguments than parameters: the last ones have default values, which `call` finds. */
    template <class... A, std::enable_if_t<(sizeof...(A) < sizeof...(P)), int> = 0>
    void operator()(A &&...args) const {
        with_defaults(std::index_sequence_for<A...>(), static_cast<A &&>(args)...);
    }

    /* More arguments than parameters, or of types that do not fit: the compiler says so of the call
   * itself, in the program's own line, if it has not said it before. */
    template <class... A, std::enable_if_t<(sizeof...(A) > sizeof...(P)), int> = 0>
    void operator()([[maybe_unused]] A &&...args) const {
        if constexpr (kIsChecked<Call>) __builtin_trap();
        else call(args...);
    }
    template <class... A, std::enable_if_t<!(fits<A, P>() && ...), int> = 0>
    void operator()([[maybe_unused]] A &&...args) const {
        if constexpr (kIsChecked<Call>) __builtin_trap();
        else call(args...);
    }

  private:
    template <class AnyCall>
    void queue(AnyCall any_call, P &&...args) const {
        queue_launch(place, function, shape,
                     std::make_unique<BoundCall<kind, AnyCall, typename Kept<P>::Type...>>(
                         any_call, Kept<P>::of(static_cast<P &&>(args), place)...));
    }

    template <size_t... I, class... A>
    void with_defaults(std::index_sequence<I...>, A &&...args) const {
        using All = std::tuple<P...>;
        queue_launch(
            place, function, shape,
            std::make_unique<BoundCall<kind, Call, DefaultedKept<std::tuple_element_t<I, All>>...>>(
                call,
                device_view_of<DefaultedKept<std::tuple_element_t<I, All>>>(
                    converted<std::tuple_element_t<I, All>>(static_cast<A &&>(args)), place)...));
    }

    template <class T>
    using DefaultedKept = std::conditional_t<std::is_reference_v<T>, typename Kept<T>::Type, T>;

    /* NULL, which has become a long on its way here, is a pointer still. */
    template <class T, class A>
    static decltype(auto) converted(A &&arg) {
        if constexpr (std::is_lvalue_reference_v<T>)
            return Reference<std::remove_reference_t<T>>{std::addressof(static_cast<T>(arg))};
        else if constexpr (std::is_pointer_v<T> && std::is_same_v<std::decay_t<A>, long>)
            return (T)arg;
        else return static_cast<A &&>(arg);
    }
};

template <KernelKind kind, class Call>
struct DeducingLauncher {
    Call call;
    LaunchPlace place;
    LaunchShape shape;

    template <class... A>
    void operator()(A... args) const {
        queue_launch(place, nullptr, shape,
                     std::make_unique<BoundCall<kind, Call, A...>>(
                         call, device_view_of<A>(static_cast<A &&>(args), place)...));
    }
};

template <class... P>
struct Signature {
    void (*kernel)(P...);
};

/* Takes the arguments of a launch whose kernel only the running program knows. `judge` calls a
 * function, in the program's own line: there the compiler says what it has against the arguments. */
template <class Judge, class... P>
struct PointerLauncher {
    void (*kernel)(P...);
    Judge judge;
    LaunchPlace place;
    LaunchShape shape;

    void operator()(P... args) const {
        using Call = CallByAddress<P...>;
        queue_pointer_launch(place, (const void *)kernel, shape,
                             std::make_unique<BoundCall<kMayWait, Call, typename Kept<P>::Type...>>(
                                 Call{(const void *)kernel},
                                 Kept<P>::of(static_cast<P &&>(args), place)...));
    }

    template <class... A, std::enable_if_t<sizeof...(A) != sizeof...(P), int> = 0>
    void operator()([[maybe_unused]] A &&...args) const {
        if constexpr (!kIsChecked<Judge>) judge(kernel, args...);
    }
    template <class... A,
              std::enable_if_t<sizeof...(A) == sizeof...(P) && !(fits<A, P>() && ...), int> = 0>
    void operator()([[maybe_unused]] A &&...args) const {
        if constexpr (!kIsChecked<Judge>) judge(kernel, args...);
    }
};

/* What cannot be launched takes any arguments: that it cannot has been said. */
struct NoLauncher {
    template <class... A>
    void operator()(A &&...) const {}
};

template <class T>
constexpr bool kMayBeKernel = false;
template <class... P>
constexpr bool kMayBeKernel<void (*)(P...)> = true;
template <class... P>
constexpr bool kMayBeKernel<void (*)(P...) noexcept> = true;

template <class Judge, class... P>
inline PointerLauncher<Judge, P...> launch_pointer(void (*kernel)(P...), Judge judge,
                                                   LaunchPlace place, LaunchShape shape) {
    return {kernel, judge, place, shape};
}
template <class Other, class Judge, std::enable_if_t<!kMayBeKernel<Other>, int> = 0>
inline NoLauncher launch_pointer(Other, Judge, LaunchPlace, LaunchShape) {
    return {};
}

struct SignatureProbe {
    template <class... P>
    Signature<P...> operator()(void (*kernel)(P...)) const {
        return {kernel};
    }
};

template <KernelKind kind, class Call, class... P>
inline TypedLauncher<kind, Call, P...> typed(Call call, LaunchPlace place,
                                             Signature<P...> signature, LaunchShape shape) {
    return {call, place, (const void *)signature.kernel, shape};
}

/* The argument that cudaLaunchKernel's array points at: of a reference, its address. */
template <class P>
inline typename Kept<P>::Type pointed_argument(void *argument, const LaunchPlace &place) {
    if constexpr (std::is_lvalue_reference_v<P>)
        return Kept<P>::of(**static_cast<std::remove_reference_t<P> **>(argument), place);
    else if constexpr (kByAddress<P>) return *static_cast<Bytes<P> *>(argument);
    else return device_view_of<P>(*static_cast<P *>(argument), place);
}

template <class... P, size_t... I>
inline std::unique_ptr<KernelCall> bind_pointers(void (*kernel)(P...), void **arguments,
                                                 const LaunchPlace &place,
                                                 std::index_sequence<I...>) {
    (void)arguments;
    return std::make_unique<BoundCall<kMayWait, CallByAddress<P...>, typename Kept<P>::Type...>>(
        CallByAddress<P...>{(const void *)kernel}, pointed_argument<P>(arguments[I], place)...);
}

template <class... P>
inline std::unique_ptr<KernelCall> bind_arguments(const void *function, void **arguments,
                                                  const LaunchPlace &place) {
    return bind_pointers((void (*)(P...))function, arguments, place,
                         std::index_sequence_for<P...>());
}

template <class... P>
inline KernelEntry::KernelEntry(const char *name, void (*kernel)(P...), const char *symbol) {
    register_kernel(name, symbol, (const void *)kernel, bind_arguments<P...>);
}

/* (void *)kernel<T> becomes known_kernel->*kernel<T>: a template's instance that is named by
 * its address becomes known by it. */
struct KnownKernel {
    template <class... P>
    void *operator->*(void (*kernel)(P...)) const {
        know_kernel((const void *)kernel, bind_arguments<P...>);
        return (void *)kernel;
    }
};
static constexpr KnownKernel known_kernel = {};

template <auto kernel>
struct KernelTag {};

struct TagProbe {
    template <auto kernel>
    const char *symbol() const {
        return typeid(KernelTag<kernel>).name();
    }
};

/* `call`, which names the kernel, as the judge of a pointer's arguments. */
template <class Call>
struct JudgeByName {
    Call call;
    template <class Kernel, class... A>
    void operator()(Kernel, A &&...args) const {
        call(args...);
    }
};
template <class Call>
constexpr bool kIsChecked<JudgeByName<Call>> = kIsChecked<Call>;

template <KernelKind kind, class Call, class Sign, class Tag>
inline auto launch(Call call, Sign sign, Tag tag, LaunchPlace place, LaunchShape shape) {
    constexpr bool known = std::is_invocable_v<Tag, TagProbe>;
    if constexpr (known) place.symbol = tag(TagProbe{});
    if constexpr (!std::is_invocable_v<Sign, SignatureProbe>)
        return DeducingLauncher<kind, Call>{call, place, shape};
    else if constexpr (known || std::is_same_v<Tag, int>)
        return typed<kind>(call, place, sign(SignatureProbe{}), shape);
    else /* a variable of a kernel's name */
        return launch_pointer(sign(SignatureProbe{}).kernel, JudgeByName<Call>{call}, place, shape);
}

/* What a kernel that is a template's knows of itself: compiled, it is known by its address. */
template <auto kernel, class Name>
struct ThisKernel {
    static void called() {
        (void)known;
        kernel_called(Name::text());
    }
    static const bool known;
};
template <auto kernel, class Name>
const bool ThisKernel<kernel, Name>::known =
    (register_kernel(Name::text(), TagProbe{}.symbol<kernel>(), (const void *)kernel, nullptr),
     true);

} // namespace cpu_device

template <class... P>
inline cudaError_t cudaLaunchKernel(void (*kernel)(P...), dim3 grid, dim3 block, void **arguments,
                                    size_t shared_size = 0, cudaStream_t stream = 0) {
    const ::cpu_device::LaunchPlace place = {"given to cudaLaunchKernel", "?", 0, nullptr};
    return ::cpu_device::launch_by_pointer(
        (const void *)kernel, {grid, block, shared_size, stream}, false,
        ::cpu_device::bind_arguments<P...>((const void *)kernel, arguments, place), place);
}

template <class... P>
inline cudaError_t cudaLaunchCooperativeKernel(void (*kernel)(P...), dim3 grid, dim3 block,
                                               void **arguments, size_t shared_size = 0,
                                               cudaStream_t stream = 0) {
    const ::cpu_device::LaunchPlace place = {"given to cudaLaunchCooperativeKernel", "?", 0,
                                             nullptr};
    return ::cpu_device::launch_by_pointer(
        (const void *)kernel, {grid, block, shared_size, stream}, true,
        ::cpu_device::bind_arguments<P...>((const void *)kernel, arguments, place), place);
}

/* Arguments are converted to the kernel's parameter types, as in a launch with <<<...>>>. */
template <class... P, class... A>
inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*kernel)(P...),
                                      A &&...args) {
    static_assert(sizeof...(P) == sizeof...(A), "as many arguments as the kernel has parameters");
    return [&](P... converted) {
        void *arguments[] = {(void *)&converted..., nullptr};
        return ::cudaLaunchKernelExC(config, ::cpu_device::known_kernel->*kernel, arguments);
    }(static_cast<A &&>(args)...);
}

#endif
