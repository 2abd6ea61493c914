/* Finds loops that may wait.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cpu_device/translator/rewrite/spins.h"

#include <string.h>

void Spins::write() {
    for (const DeviceFunction &f : device_.functions()) {
        look_at(f.begin, f.body, f.body_end);
        if (!f.kernel && reads_volatile(f.begin, f.body_end)) readers_.insert(f.name);
    }
    for (const auto &lambda : device_.lambdas())
        if (!device_.function_around(lambda.first))
            look_at(lambda.first, lambda.first, lambda.second);
}

/* The loops of one function. */
void Spins::look_at(size_t begin, size_t body, size_t end) {
    own_ = volatile_.in(begin, end);
    for (size_t i = body; i < end; ++i)
        if ((is(i, "while") || is(i, "for")) && punct(i + 1) == '(') loop(i);
}

bool Spins::reads_volatile(size_t first, size_t last) const {
    static const std::set<std::string> words = {"volatile", "asm", "__asm__", "__asm", "__ldcv"};
    for (size_t i = first; i <= last; ++i) {
        if (t_[i].kind != kName) continue;
        const std::string name = text(i);
        if (words.count(name) || own_.count(name) || readers_.count(name)) return true;
    }
    return false;
}

/* The variable that ++, -- or an assignment such as += at token i changes; "": none does. */
std::string Spins::counter(size_t i) const {
    const char c = punct(i);
    if (!c || !touch(i)) return "";
    const bool step = (c == '+' || c == '-') && punct(i + 1) == c;
    if (!step && !(strchr("+-*/%&|^", c) && is(i + 1, "=") && !is(i + 2, "="))) return "";
    size_t name = i - 1;
    if (punct(name) == ']') name = opening(name) - 1;
    else if (step && t_[name].kind != kName) name = i + 2;
    return text(name);
}

/* In tokens [first, last] changes something that the condition speaks of. */
bool Spins::counts(size_t first, size_t last, size_t condition, size_t condition_end) const {
    for (size_t i = first; i < last; ++i) {
        const std::string changed = counter(i);
        for (size_t j = condition; j < condition_end && !changed.empty(); ++j)
            if (is(j, changed.c_str())) return true;
    }
    return false;
}

/* Two names side by side: while (int x = f()). */
bool Spins::declares(size_t first, size_t last) const {
    for (size_t i = first; i < last; ++i)
        if (t_[i].kind == kName && t_[i + 1].kind == kName) return true;
    return false;
}

/* The last token of the statement that begins at token `first`, roughly. */
size_t Spins::body_end(size_t first) const {
    for (size_t i = first; i + 1 < t_.size(); ++i) {
        if (punct(i) == '{') return closing(i);
        if (punct(i) == '(') i = closing(i);
        if (punct(i) == ';' || punct(i) == '}') return i;
    }
    return first;
}

static std::string call(bool counting) {
    return counting ? "::cpu_device::spin_counting()" : "::cpu_device::spin()";
}

void Spins::loop(size_t i) {
    const size_t close = closing(i + 1);
    size_t first = i, last = body_end(close + 1);
    if (is(i, "while") && i > 0 && punct(i - 1) == '}' && opening(i - 1) > 0 &&
        is(opening(i - 1) - 1, "do")) {
        first = opening(i - 1);
        last = close;
    }
    if (!reads_volatile(first, last)) return;
    if (is(i, "for")) return for_loop(i, last);
    if (!declares(i + 2, close))
        edits_.add_after(i + 1, call(counts(first, last, i + 2, close)) + ", ");
}

/* for (;;) has no condition: there all of it is looked at. */
void Spins::for_loop(size_t i, size_t last) {
    const size_t close = closing(i + 1);
    std::vector<size_t> semicolons;
    for (size_t j = i + 2; j < close; ++j) {
        if (punct(j) == '(' || punct(j) == '{') j = closing(j);
        if (punct(j) == ';') semicolons.push_back(j);
    }
    if (semicolons.size() != 2) return;
    const size_t from = semicolons[0], to = semicolons[1];
    const bool empty = to == from + 1,
               counting = empty ? counts(i, last, close, last) : counts(i, last, from + 1, to);
    edits_.add_after(from, " " + call(counting) + (empty ? ", true" : ", "));
}
