/* Device printf: text waits in a buffer until the host waits for the device.
 *
 * As on the device the buffer has a size; when it is full the oldest text goes. What is still
 * in it when the program ends is lost, with a sentence that says so.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cpu_device/printf.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <deque>
#include <map>

#include "cpu_device/sync.h"
#include "cpu_device/runtime/report/report.h"
#include "cpu_device/runtime/run/run.h"
#include "cpu_device/runtime/runtime.h"

namespace cpu_device {
namespace {

enum { kMaxArguments = 32 };

/* ---- the text of one call ---- */

/* One specification: from its % to the letter that ends it. */
struct Specification {
    std::string flags;           /* with a leading % */
    bool star;                   /* the width is an argument */
    std::string width_precision; /* in digits */
    int longs;                   /* -1: h, 1: l, 2: ll */
    char letter;
    bool known; /* the device knows it */
    const char *end;
};

Specification read_specification(const char *p) {
    Specification s = {"%", false, "", 0, 0, true, nullptr};
    ++p;
    while (*p && strchr("#0 +-", *p)) s.flags += *p++;
    if (*p == '*') {
        s.star = true;
        ++p;
    } else {
        while (*p >= '0' && *p <= '9') s.width_precision += *p++;
    }
    if (*p == '.') {
        s.width_precision += *p++;
        if (*p == '*') {
            s.known = false;
            ++p;
        }
        while (*p >= '0' && *p <= '9') s.width_precision += *p++;
    }
    const char *size = p;
    while (*p && strchr("hlLqjzt", *p)) ++p;
    const std::string letters(size, (size_t)(p - size));
    s.longs = letters == "h" ? -1 : letters == "l" || letters == "z" ? 1 : letters == "ll" ? 2 : 0;
    if (letters != "" && s.longs == 0) s.known = false;
    s.letter = *p;
    if (!*p || !strchr("cdiouxXpeEfFgGaAs", *p)) s.known = false;
    s.end = *p ? p + 1 : p;
    return s;
}

template <class T>
void append(std::string *text, const std::string &format, T value) {
    char buffer[512];
    const int n = snprintf(buffer, sizeof buffer, format.c_str(), value);
    if (n < (int)sizeof buffer) {
        text->append(buffer);
        return;
    }
    std::string longer((size_t)n + 1, 0);
    snprintf(&longer[0], longer.size(), format.c_str(), value);
    text->append(longer.c_str());
}

/* Appends the next argument, or only takes it where `known` is false. */
void append_argument(std::string *text, const Specification &s, va_list *list) {
    std::string width;
    if (s.star) width = std::to_string(va_arg(*list, int));
    std::string ignored;
    std::string *out = s.known ? text : &ignored;
    const std::string start = s.flags + width + s.width_precision;
    if (strchr("eEfFgGaA", s.letter)) {
        append(out, start + s.letter, va_arg(*list, double));
    } else if (s.letter == 's') {
        const char *string = va_arg(*list, const char *);
        append(out, start + 's', string ? string : "(null)");
    } else if (s.letter == 'p') {
        append(out, start + 'p', va_arg(*list, void *));
    } else if (s.longs > 0) {
        append(out, start + "ll" + s.letter, va_arg(*list, long long));
    } else {
        append(out, start + (s.longs < 0 ? "h" : "") + s.letter, va_arg(*list, int));
    }
}

/* The number of arguments used. */
int format_text(std::string *text, std::string *unknown, const char *format, va_list *list) {
    int arguments = 0;
    for (const char *p = format; *p;) {
        if (*p != '%') {
            const size_t n = strcspn(p, "%");
            text->append(p, n);
            p += n;
            continue;
        }
        if (p[1] == '%') {
            *text += '%';
            p += 2;
            continue;
        }
        const Specification s = read_specification(p);
        const int used = 1 + s.star;
        if (s.known && arguments + used <= kMaxArguments) {
            append_argument(text, s, list);
        } else {
            text->append(p, (size_t)(s.end - p));
            if (unknown->empty()) unknown->assign(p, (size_t)(s.end - p));
            if (!s.letter || !strchr("cdiouxXpeEfFgGaAs", s.letter)) return arguments;
            if (s.width_precision.find('.') != std::string::npos && !s.known) va_arg(*list, int);
            append_argument(
                text, Specification{s.flags, s.star, "", s.longs, s.letter, false, s.end}, list);
        }
        arguments += used;
        p = s.end;
    }
    return arguments;
}

/* ---- the buffer ---- */

struct Call {
    std::string text;
    size_t size; /* in the device's buffer */
};

struct Buffer {
    std::deque<Call> calls;
    size_t used;
    uint64_t lost;
};

struct Buffers {
    std::mutex mutex;
    std::map<int, Buffer> by_device;
    bool said; /* that a specification is not known */
};

Buffers &buffers() {
    static Buffers &b = *new Buffers();
    return b;
}

/* Output of kernels that the host never waited for is lost, as on a device. */
struct LostText {
    ~LostText() {
        size_t calls = 0;
        for (auto &entry : buffers().by_device) calls += entry.second.calls.size();
        if (calls)
            say("the program ended before the text of %zu device printf call%s was printed; wait for "
                "the kernel with cudaDeviceSynchronize()",
                calls, calls == 1 ? "" : "s");
    }
};

void put(int device, Call call, const std::string &unknown) {
    static LostText lost_text;
    (void)lost_text;
    const size_t limit = printf_buffer_size();
    std::lock_guard<std::mutex> lock(buffers().mutex);
    Buffer &b = buffers().by_device[device];
    b.used += call.size;
    b.calls.push_back(std::move(call));
    while (b.used > limit && !b.calls.empty()) {
        b.used -= b.calls.front().size;
        b.calls.pop_front();
        ++b.lost;
    }
    if (unknown.empty() || buffers().said) return;
    buffers().said = true;
    say("device printf prints %s as it stands: it knows flags, width or *, precision in digits, "
        "h, l or ll and one of cdiouxXpeEfgGaAs, and takes 32 arguments at most",
        unknown.c_str());
}

} // namespace

void print_device_text(int device) {
    Buffer b = {};
    {
        std::lock_guard<std::mutex> lock(buffers().mutex);
        auto at = buffers().by_device.find(device);
        if (at == buffers().by_device.end() || (at->second.calls.empty() && !at->second.lost))
            return;
        std::swap(b, at->second);
    }
    for (const Call &c : b.calls) fwrite(c.text.data(), 1, c.text.size(), stdout);
    if (b.lost)
        say("device printf's buffer of %zu bytes overflowed: the text of the first %llu calls is "
            "lost; cudaDeviceSetLimit(cudaLimitPrintfFifoSize, bytes) makes it larger, print less or "
            "wait more often",
            printf_buffer_size(), (unsigned long long)b.lost);
}

int device_printf(const char *format, ...) {
    if (!format) return -1;
    va_list list;
    va_start(list, format);
    if (!in_kernel()) {
        const int n = vprintf(format, list);
        va_end(list);
        return n;
    }
    const Interruptible before = (Interruptible)t_thread.interruptible;
    set_interruptible(kInRuntime);
    if (assertion_has_failed()) { /* it is not heard any more */
        va_end(list);
        set_interruptible(before);
        return 0;
    }
    std::string text, unknown;
    const int arguments = format_text(&text, &unknown, format, &list);
    va_end(list);
    const size_t size = 8 * (2 + (size_t)arguments) + text.size();
    put(device_of_kernel(), Call{std::move(text), size}, unknown);
    set_interruptible(before);
    return arguments;
}

long device_clock() { return (long)clock64(); }

} // namespace cpu_device
