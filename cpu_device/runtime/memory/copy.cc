/* Copies and fills.
 *
 * What is checked when a copy is asked for is what the device checks: sizes to the byte within
 * an allocation, freed pointers, and the direction, where only pageable host memory counts as
 * surely the host's. A copy from or to pageable memory is never asynchronous. One from or to
 * pinned memory runs in its stream's turn; a buffer that is gone by then is an error that names
 * it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include <algorithm>

#include "cpu_device/runtime/memory/memory.h"
#include "cpu_device/runtime/order/order.h"
#include "cpu_device/runtime/run/run.h"
#include "cpu_device/runtime/runtime.h"
#include "cpu_device/api_templates.h"

namespace cpu_device {
namespace {

const size_t kPart = 1 << 20; /* what one worker copies at a time */

/* A box of bytes: slices of rows. A plain copy is one row. */
struct Rows {
    size_t width, height, dst_pitch, src_pitch;
    size_t depth = 1, dst_slice = 0, src_slice = 0; /* slices lie so many bytes apart */
    bool symbol = false;                            /* one side was named as a device variable */
};

constexpr size_t kTakenAtOnce = 64 * 1024;

struct Side {
    const char *pointer;
    Allocation memory; /* size 0: pageable */
    bool pageable() const { return memory.size == 0; }
};

/* What lies at `pointer`; an error where `extent` bytes from there are not all one
 * allocation's, or the address belongs to none that lives. */
cudaError_t look_at(const void *pointer, size_t extent, Side *side) {
    side->pointer = (const char *)pointer;
    side->memory = Allocation{};
    const Allocation *a = find_allocation(pointer);
    if (!a) return in_device_arena(pointer) ? cudaErrorInvalidValue : cudaSuccess;
    side->memory = *a;
    const size_t left = a->base + a->size - (uintptr_t)pointer;
    if (a->kind == MemoryKind::kRegistered || extent <= left) return cudaSuccess;
    return cudaErrorInvalidValue;
}

/* The host's address of a device variable says nothing to the device. */
cudaError_t refuse_variable(const char *call, const void *pointer) {
    const Allocation *a = in_device_variables(pointer) ? find_allocation(pointer) : nullptr;
    if (!a || a->kind != MemoryKind::kDevice || variable_address_taken(pointer)) return cudaSuccess;
    say("%s was given %p, the host's address of a __device__ or __constant__ variable, which is none "
        "of the device's: use cudaMemcpyToSymbol or cudaMemcpyFromSymbol, or ask "
        "cudaGetSymbolAddress",
        call, pointer);
    return cudaErrorInvalidValue;
}

cudaError_t check_direction(const Side &dst, const Side &src, cudaMemcpyKind kind) {
    switch (kind) {
    case cudaMemcpyHostToHost:
    case cudaMemcpyDefault: return cudaSuccess;
    case cudaMemcpyHostToDevice: return dst.pageable() ? cudaErrorInvalidValue : cudaSuccess;
    case cudaMemcpyDeviceToHost: return src.pageable() ? cudaErrorInvalidValue : cudaSuccess;
    case cudaMemcpyDeviceToDevice:
        return dst.pageable() || src.pageable() ? cudaErrorInvalidValue : cudaSuccess;
    }
    return cudaErrorInvalidMemcpyDirection;
}

size_t extent_of(size_t pitch, size_t slice, const Rows &r) {
    return r.width && r.height && r.depth ? slice * (r.depth - 1) + pitch * (r.height - 1) + r.width
                                          : 0;
}

void copy_rows(char *dst, const char *src, const Rows &r) {
    if (r.height == 1) {
        run_parallel((r.width + kPart - 1) / kPart, [&](size_t i) {
            memcpy(dst + i * kPart, src + i * kPart, std::min(kPart, r.width - i * kPart));
        });
        return;
    }
    const size_t rows_a_part = std::max<size_t>(1, kPart / std::max<size_t>(1, r.width));
    run_parallel((r.height + rows_a_part - 1) / rows_a_part, [&](size_t i) {
        const size_t end = std::min(r.height, (i + 1) * rows_a_part);
        for (size_t row = i * rows_a_part; row < end; ++row)
            memcpy(dst + row * r.dst_pitch, src + row * r.src_pitch, r.width);
    });
}

/* False, with a sentence, where the memory that a copy was given is no longer there. */
bool still_there(const Side &side, const char *what) {
    if (side.pageable()) return true;
    const Allocation *a = find_allocation(side.pointer);
    if (a && a->id == side.memory.id) return true;
    say("the %s of an asynchronous copy, %zu bytes at %p, was freed before the copy ran: "
        "synchronise the stream before you free the buffer",
        what, side.memory.size, (void *)side.memory.base);
    return false;
}

/* A device-to-device copy need not be waited for; all others that block are. */
bool host_waits(const Side &dst, const Side &src, bool async) {
    if (dst.pageable() || src.pageable()) return true;
    if (async) return false;
    return dst.memory.kind != MemoryKind::kDevice || src.memory.kind != MemoryKind::kDevice;
}

/* What a node of a graph shows of the copy. */
cudaMemcpy3DParms as_parameters(const Side &to, const Side &from, const Rows &r,
                                cudaMemcpyKind kind) {
    cudaMemcpy3DParms p = {};
    p.dstPtr = make_cudaPitchedPtr(const_cast<char *>(to.pointer), r.dst_pitch, r.width,
                                   r.depth > 1 ? r.dst_slice / r.dst_pitch : r.height);
    p.srcPtr = make_cudaPitchedPtr(const_cast<char *>(from.pointer), r.src_pitch, r.width,
                                   r.depth > 1 ? r.src_slice / r.src_pitch : r.height);
    p.extent = make_cudaExtent(r.width, r.height, r.depth);
    p.kind = kind;
    return p;
}

/* Checks a copy of at least a byte, and makes the work of it. */
cudaError_t make_copy(void *dst, const void *src, const Rows &rows, cudaMemcpyKind kind, Side *to,
                      Side *from, Work *work) {
    if (cudaError_t e = device_status()) return e;
    if (!dst || !src) return cudaErrorInvalidValue;
    if (cudaError_t e = look_at(dst, extent_of(rows.dst_pitch, rows.dst_slice, rows), to)) return e;
    if (cudaError_t e = look_at(src, extent_of(rows.src_pitch, rows.src_slice, rows), from))
        return e;
    if (!rows.symbol)
        for (const void *p : {(const void *)dst, src})
            if (cudaError_t e = refuse_variable("cudaMemcpy", p)) return e;
    if (cudaError_t e = check_direction(*to, *from, kind)) return e;
    if (injected_failure("copy")) return cudaErrorInvalidValue;
    const auto run = [to = *to, from = *from, rows] {
        if (!still_there(to, "destination") || !still_there(from, "source"))
            return cudaErrorIllegalAddress;
        for (size_t z = 0; z < rows.depth; ++z)
            copy_rows(const_cast<char *>(to.pointer) + z * rows.dst_slice,
                      from.pointer + z * rows.src_slice, rows);
        return cudaSuccess;
    };
    *work = {Op::kCopy, "cudaMemcpy", run, as_parameters(*to, *from, rows, kind)};
    return cudaSuccess;
}

cudaError_t copy(void *dst, const void *src, const Rows &rows, cudaMemcpyKind kind,
                 cudaStream_t stream, bool async) {
    if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    if (rows.width == 0 || rows.height == 0 || rows.depth == 0) return cudaSuccess;
    Side to, from;
    Work work;
    if (cudaError_t e = make_copy(dst, src, rows, kind, &to, &from, &work)) return e;
    Lock lock(runtime_mutex());
    /* A small pageable copy takes the host's data at once, and the call does not wait. */
    const bool taken =
        from.pageable() && !to.pageable() && rows.width * rows.height * rows.depth <= kTakenAtOnce;
    if (!async && !taken)
        if (cudaError_t e = unseen_call()) return e;
    OpRef op;
    const cudaError_t queued = enqueue(stream, std::move(work), &op);
    /* `op` is null where the copy was captured: there is nothing to wait for. */
    if (queued != cudaSuccess || !op || !host_waits(to, from, async)) return queued;
    return wait_for(lock, op);
}

cudaError_t copy_2d(void *dst, size_t dst_pitch, const void *src, size_t src_pitch, size_t width,
                    size_t height, cudaMemcpyKind kind, cudaStream_t stream, bool async) {
    if (width > dst_pitch || width > src_pitch) return cudaErrorInvalidPitchValue;
    return copy(dst, src, Rows{width, height, dst_pitch, src_pitch}, kind, stream, async);
}

/* The box that the parameters name, from its first byte on either side. */
cudaError_t box_of(const cudaMemcpy3DParms &p, Rows *rows, char **dst, const char **src) {
    if (p.srcArray || p.dstArray) return cudaErrorInvalidValue;
    const auto at = [](const cudaPitchedPtr &m, const cudaPos &pos) {
        return (char *)m.ptr + (pos.z * m.ysize + pos.y) * m.pitch + pos.x;
    };
    *dst = at(p.dstPtr, p.dstPos);
    *src = at(p.srcPtr, p.srcPos);
    *rows = {p.extent.width, p.extent.height, p.dstPtr.pitch, p.srcPtr.pitch};
    rows->depth = p.extent.depth;
    rows->dst_slice = p.dstPtr.pitch * p.dstPtr.ysize;
    rows->src_slice = p.srcPtr.pitch * p.srcPtr.ysize;
    const bool one_row = rows->height == 1 && rows->depth == 1; /* whose pitch does not matter */
    if (!one_row && (rows->width > rows->dst_pitch || rows->width > rows->src_pitch))
        return cudaErrorInvalidPitchValue;
    return cudaSuccess;
}

cudaError_t copy_3d(const cudaMemcpy3DParms *p, cudaStream_t stream, bool async) {
    if (!p) return cudaErrorInvalidValue;
    Rows rows;
    char *dst;
    const char *src;
    if (cudaError_t e = box_of(*p, &rows, &dst, &src)) return e;
    return copy(dst, src, rows, p->kind, stream, async);
}

/* One element after another; a byte at a time where they are bytes. */
void fill_row(char *row, unsigned value, unsigned element_size, size_t count) {
    if (element_size == 1) {
        memset(row, (int)value, count);
    } else if (element_size == 2) {
        std::fill_n((unsigned short *)row, count, (unsigned short)value);
    } else {
        std::fill_n((unsigned *)row, count, value);
    }
}

/* Checks a fill of at least an element, and makes the work of it. */
cudaError_t make_fill(const cudaMemsetParams &p, Work *work) {
    if (p.elementSize != 1 && p.elementSize != 2 && p.elementSize != 4)
        return cudaErrorInvalidValue;
    const size_t width = p.width * p.elementSize, pitch = p.height > 1 ? p.pitch : width;
    if (width > pitch || (uintptr_t)p.dst % p.elementSize) return cudaErrorInvalidValue;
    Side to;
    if (cudaError_t e = look_at(p.dst, extent_of(pitch, 0, {width, p.height, pitch, pitch}), &to))
        return e;
    if (to.pageable()) return cudaErrorInvalidValue;
    if (cudaError_t e = refuse_variable("cudaMemset", p.dst)) return e;
    const auto run = [to, p, width, pitch] {
        if (!still_there(to, "destination")) return cudaErrorIllegalAddress;
        char *base = const_cast<char *>(to.pointer);
        if (width == pitch) {
            const size_t size = width * p.height;
            run_parallel((size + kPart - 1) / kPart, [&](size_t i) {
                fill_row(base + i * kPart, p.value, p.elementSize,
                         std::min(kPart, size - i * kPart) / p.elementSize);
            });
        } else {
            for (size_t row = 0; row < p.height; ++row)
                fill_row(base + row * pitch, p.value, p.elementSize, p.width);
        }
        return cudaSuccess;
    };
    *work = {Op::kCopy, "cudaMemset", run, p};
    return cudaSuccess;
}

cudaError_t fill(void *pointer, size_t pitch, int value, size_t width, size_t height,
                 cudaStream_t stream) {
    if (cudaError_t e = device_status()) return e;
    if (width == 0 || height == 0) return cudaSuccess;
    if (width > pitch) return cudaErrorInvalidValue;
    Work work;
    if (cudaError_t e =
            make_fill({pointer, pitch, (unsigned)value & 0xFF, 1, width, height}, &work))
        return e;
    Lock lock(runtime_mutex());
    return enqueue(stream, std::move(work));
}

Rows one_row(size_t size) { return Rows{size, 1, size, size}; }

Rows of_symbol(size_t size) {
    Rows rows = one_row(size);
    rows.symbol = true;
    return rows;
}

cudaError_t check_symbol(const Symbol &symbol, size_t size, size_t offset) {
    if (!in_device_variables(symbol.address)) return cudaErrorInvalidSymbol;
    if (offset > symbol.size || size > symbol.size - offset) return cudaErrorInvalidValue;
    return cudaSuccess;
}

} // namespace

cudaError_t copy_work(const cudaMemcpy3DParms &p, Work *work) {
    Rows rows;
    char *dst;
    const char *src;
    Side to, from;
    if (cudaError_t e = box_of(p, &rows, &dst, &src)) return e;
    if (p.kind < cudaMemcpyHostToHost || p.kind > cudaMemcpyDefault) return cudaErrorInvalidValue;
    if (rows.width == 0 || rows.height == 0 || rows.depth == 0) return cudaErrorInvalidValue;
    rows.symbol = true; /* it may have been captured from cudaMemcpyToSymbolAsync */
    const cudaError_t e = make_copy(dst, src, rows, p.kind, &to, &from, work);
    work->source = p;
    return e;
}

cudaError_t fill_work(const cudaMemsetParams &p, Work *work) {
    if (cudaError_t e = device_status()) return e;
    return p.width && p.height && p.dst ? make_fill(p, work) : cudaErrorInvalidValue;
}

cudaError_t copy_to_symbol(Symbol symbol, const void *src, size_t size, size_t offset,
                           cudaMemcpyKind kind, cudaStream_t stream, bool async) {
    if (kind != cudaMemcpyHostToDevice && kind != cudaMemcpyDeviceToDevice &&
        kind != cudaMemcpyDefault)
        return record(cudaErrorInvalidMemcpyDirection);
    if (cudaError_t e = check_symbol(symbol, size, offset)) return record(e);
    return record(copy((char *)symbol.address + offset, src, of_symbol(size), kind, stream, async));
}

cudaError_t copy_from_symbol(void *dst, Symbol symbol, size_t size, size_t offset,
                             cudaMemcpyKind kind, cudaStream_t stream, bool async) {
    if (kind != cudaMemcpyDeviceToHost && kind != cudaMemcpyDeviceToDevice &&
        kind != cudaMemcpyDefault)
        return record(cudaErrorInvalidMemcpyDirection);
    if (cudaError_t e = check_symbol(symbol, size, offset)) return record(e);
    return record(
        copy(dst, (const char *)symbol.address + offset, of_symbol(size), kind, stream, async));
}

} // namespace cpu_device

using namespace cpu_device;

cudaError_t cudaMemcpy(void *dst, const void *src, size_t size, enum cudaMemcpyKind kind) {
    return record(copy(dst, src, one_row(size), kind, nullptr, false));
}

cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t size, enum cudaMemcpyKind kind,
                            cudaStream_t stream) {
    return record(copy(dst, src, one_row(size), kind, stream, true));
}

cudaError_t cudaMemcpy2D(void *dst, size_t dst_pitch, const void *src, size_t src_pitch,
                         size_t width, size_t height, enum cudaMemcpyKind kind) {
    return record(copy_2d(dst, dst_pitch, src, src_pitch, width, height, kind, nullptr, false));
}

cudaError_t cudaMemcpy2DAsync(void *dst, size_t dst_pitch, const void *src, size_t src_pitch,
                              size_t width, size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t stream) {
    return record(copy_2d(dst, dst_pitch, src, src_pitch, width, height, kind, stream, true));
}

cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *p) {
    return record(copy_3d(p, nullptr, false));
}

cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p, cudaStream_t stream) {
    return record(copy_3d(p, stream, true));
}

cudaError_t cudaMemcpyPeerAsync(void *dst, int dst_device, const void *src, int src_device,
                                size_t size, cudaStream_t stream) {
    if (!is_device(dst_device) || !is_device(src_device)) return record(cudaErrorInvalidDevice);
    return record(copy(dst, src, one_row(size), cudaMemcpyDeviceToDevice, stream, true));
}

cudaError_t cudaMemcpyPeer(void *dst, int dst_device, const void *src, int src_device,
                           size_t size) {
    return cudaMemcpyPeerAsync(dst, dst_device, src, src_device, size, nullptr);
}

cudaError_t cudaMemset(void *pointer, int value, size_t size) {
    return record(fill(pointer, size, value, size, 1, nullptr));
}

cudaError_t cudaMemsetAsync(void *pointer, int value, size_t size, cudaStream_t stream) {
    return record(fill(pointer, size, value, size, 1, stream));
}

cudaError_t cudaMemset2D(void *pointer, size_t pitch, int value, size_t width, size_t height) {
    return record(fill(pointer, pitch, value, width, height, nullptr));
}

cudaError_t cudaMemset2DAsync(void *pointer, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream) {
    return record(fill(pointer, pitch, value, width, height, stream));
}

/* From C, where a variable's size does not come along. */
static Symbol unsized(const void *symbol) { return {symbol, SIZE_MAX / 2}; }

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *src, size_t size, size_t offset,
                               enum cudaMemcpyKind kind) {
    return copy_to_symbol(unsized(symbol), src, size, offset, kind, nullptr, false);
}

cudaError_t cudaMemcpyFromSymbol(void *dst, const void *symbol, size_t size, size_t offset,
                                 enum cudaMemcpyKind kind) {
    return copy_from_symbol(dst, unsized(symbol), size, offset, kind, nullptr, false);
}

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *src, size_t size, size_t offset,
                                    enum cudaMemcpyKind kind, cudaStream_t stream) {
    return copy_to_symbol(unsized(symbol), src, size, offset, kind, stream, true);
}

cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const void *symbol, size_t size, size_t offset,
                                      enum cudaMemcpyKind kind, cudaStream_t stream) {
    return copy_from_symbol(dst, unsized(symbol), size, offset, kind, stream, true);
}

cudaError_t cudaGetSymbolAddress(void **pointer, const void *symbol) {
    return symbol_address(pointer, unsized(symbol));
}

cudaError_t cudaGetSymbolSize(size_t *size, const void *symbol) {
    return symbol_size(size, unsized(symbol));
}
