/* Which writes the threads of a warp make in step.
 *
 *   volatile float *v = tile;
 *   v[t] += v[t + 16];
 *   v[t] += v[t + 8];
 *
 * is right only if all threads of the warp have done the first line before one does the second.
 * GPUs before Volta did that, and much that is taught rests on it. The CPU device keeps it, see
 * cpu_device/steps.h, and says so when the program is built.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cpu_device/translator/rewrite/steps.h"

/* ---- assignments ---- */

/* The last token of the assignment operator that begins at token i; 0: none does. */
size_t Steps::assigns(size_t i) const {
    const char c = punct(i);
    if (c == '=') {
        const bool part =
            i && t_[i - 1].kind == kPunct && touch(i - 1) && strchr("=!<>+-*/%&|^", punct(i - 1));
        return part || (is(i + 1, "=") && touch(i)) ? 0 : i;
    }
    if (!c || !strchr("+-*/%&|^<>", c) || (i && punct(i - 1) == c && touch(i - 1))) return 0;
    if ((c == '<' || c == '>') && !(punct(i + 1) == c && touch(i))) return 0;
    const size_t last = c == '<' || c == '>' ? i + 2 : i + 1;
    return is(last, "=") && touch(last - 1) ? last : 0;
}

/* The first token of what stands before the assignment operator at token `op`. */
size_t Steps::left_side(size_t op) const {
    size_t first = op;
    while (first > 0) {
        const size_t i = first - 1;
        const char c = punct(i);
        if (c == ')' || c == ']') {
            const size_t open = opening(i);
            if (open && (is(open - 1, "if") || is(open - 1, "for") || is(open - 1, "while") ||
                         is(open - 1, "switch") || is(open - 1, "constexpr")))
                break;
            first = open;
        } else if (c == '>' && opening_angle(i)) {
            first = opening_angle(i);
        } else if (is(i, "else") || is(i, "do") || is(i, "return") ||
                   (c && !is(i, "::") && !is(i, "->") && c != '.' && c != '*' && c != '&')) {
            break;
        } else {
            first = i;
        }
    }
    return first;
}

/* Tokens [first, last] begin with a type and end with a name. */
bool Steps::is_declaration(size_t first, size_t last) const {
    size_t i = first;
    while (i < last && is(i, "::")) ++i;
    if (t_[i].kind != kName) return false;
    while (i + 2 <= last && is(i + 1, "::")) i += 2;
    if (is(i, "reinterpret_cast") || is(i, "static_cast") || is(i, "const_cast")) return false;
    return i < last && (t_[i + 1].kind == kName || punct(i + 1) == '*' || punct(i + 1) == '&' ||
                        punct(i + 1) == '<');
}

/* Some member of that name takes a few bits of a number. */
bool Steps::is_bit_field(size_t name) const {
    const std::string member = text(name);
    for (size_t i = 0; i + 2 < t_.size(); ++i)
        if (!t_[i].system && punct(i + 1) == ':' && t_[i + 2].kind == kNumber &&
            is(i, member.c_str()))
            return true;
    return false;
}

/* The token that names the volatile memory which tokens [first, last] are an element of; 0: none. */
size_t Steps::volatile_name(size_t first, size_t last) const {
    for (size_t i = first; i <= last; ++i) {
        if (is(i, "volatile")) { /* a cast's: what is cast */
            while (i <= last && punct(i) != ')' && punct(i) != '>') ++i;
            while (i <= last && t_[i].kind != kName) ++i;
            return i <= last ? i : 0;
        }
        const bool member = i && (punct(i - 1) == '.' || is(i - 1, "->"));
        if (t_[i].kind == kName && here_.count(text(i)) && (!member || names_.holds(i))) return i;
        if (punct(i) == '[' && i > first) i = closing(i); /* v[w[t]]: of v */
    }
    return 0;
}

/* Which element of it the name at that token is used for, as text: "v[t]" and the like; "": it is
 * not used for one. */
std::string Steps::element(size_t name) const {
    size_t last = name;
    for (;; last = closing(last + 1)) {
        if (punct(last + 1) == ')' && punct(last + 2) == '[') ++last; /* ((volatile int *)x)[t] */
        if (punct(last + 1) != '[') break;
    }
    if (last > name) return text(name, last);
    /* *v, *(v + 16), *(volatile int *)&x */
    size_t open = name;
    while (open > 0 && !(open < name && punct(open) == '(') && punct(open) != ';' &&
           punct(open) != '{' && punct(open) != '}') {
        if (open < name && (punct(open) == ')' || punct(open) == ']')) open = opening(open);
        --open;
    }
    if (punct(open) == '(' && open && punct(open - 1) == '*')
        return text(open + 1, closing(open) - 1);
    size_t star = name;
    while (star > 0 && (punct(star - 1) == '(' || punct(star - 1) == ')' || punct(star - 1) == '&'))
        star = punct(star - 1) == ')' ? opening(star - 1) : star - 1;
    return star > 0 && punct(star - 1) == '*' ? text(name) : "";
}

/* The assignment at token `op`, if it is one to an element of volatile memory. */
bool Steps::read_write(size_t op, Write *w) const {
    w->first = left_side(op);
    w->last = op - 1;
    if (w->first >= op || is_declaration(w->first, w->last)) return false;
    w->name = volatile_name(w->first, w->last);
    if (!w->name || element(w->name).empty()) return false;
    const bool member = punct(w->last - 1) == '.' || is(w->last - 1, "->");
    if (member && is_bit_field(w->last)) return false;
    int depth = 0;
    for (w->end = op; w->end + 1 < t_.size() && punct(w->end) != ';' && depth >= 0; ++w->end) {
        const char c = punct(w->end);
        depth += (c == '(' || c == '{') - (c == ')' || c == '}');
    }
    return true;
}

/* ---- exchanges ---- */

/* Tokens [first, last] read an element that is not the one written. */
bool Steps::reads_others(const Write &w, size_t first, size_t last) const {
    const std::string name = text(w.name), mine = element(w.name);
    for (size_t i = first; i <= last; ++i) {
        if (!is(i, name.c_str()) || (w.first <= i && i <= w.last)) continue;
        const std::string other = element(i);
        if (!other.empty() && other != mine) return true;
    }
    return false;
}

bool Steps::reads(const std::string &name, size_t first, size_t last) const {
    for (size_t i = first; i <= last; ++i)
        if (is(i, name.c_str()) && !element(i).empty()) return true;
    return false;
}

bool Steps::is_written(const std::string &name, size_t first, size_t last) const {
    for (const Write &w : writes_)
        if (first <= w.first && w.last <= last && text(w.name) == name) return true;
    return false;
}

/* Some loop goes on until another thread has written an element: a flag's, and no sum's. */
bool Steps::is_waited_for(const std::string &name, size_t body, size_t body_end) const {
    for (size_t i = body; i < body_end; ++i) {
        if (!(is(i, "while") || is(i, "for")) || punct(i + 1) != '(') continue;
        const size_t head = closing(i + 1);
        if (reads(name, i + 1, head)) return true;
        const bool closes_do =
            is(i, "while") && punct(i - 1) == '}' && is(opening(i - 1) - 1, "do");
        const bool endless =
            (head == i + 3 && (is(i + 2, "1") || is(i + 2, "true") || punct(i + 2) == ';')) ||
            (head == i + 4 && punct(i + 2) == ';' && punct(i + 3) == ';');
        if (!closes_do && !endless) continue;
        size_t first = closes_do ? opening(i - 1) : head + 1, last = closes_do ? i - 1 : head + 1;
        if (!closes_do) last = punct(first) == '{' ? closing(first) : first;
        while (last < body_end && !closes_do && punct(first) != '{' && punct(last) != ';') ++last;
        if (reads(name, first, last) && !is_written(name, first, last)) return true;
    }
    return false;
}

bool Steps::barriers_between(size_t first, size_t last) const {
    for (size_t i = first; i < last; ++i)
        if (is(i, "__syncwarp") || is(i, "__syncthreads") || is(i, "sync")) return true;
    return false;
}

void Steps::warn(size_t first_write, size_t body, size_t body_end) {
    std::vector<const Write *> writes;
    for (size_t k = first_write; k < writes_.size(); ++k)
        if (writes_[k].exchanges) writes.push_back(&writes_[k]);
    size_t without = 0;
    for (size_t k = 0; k + 1 < writes.size() && !without; ++k)
        if (!barriers_between(writes[k]->name, writes[k + 1]->name)) without = writes[k]->name;
    /* One write in a loop that has no barrier either. */
    for (size_t i = body; i < body_end && !without; ++i) {
        if (!is(i, "for") && !is(i, "while")) continue;
        size_t end = closing(i + 1) + 1;
        end = punct(end) == '{' ? closing(end) : end;
        while (end < body_end && punct(end) != ';' && punct(end) != '}') ++end;
        for (const Write *w : writes)
            if (i < w->name && w->name < end && !barriers_between(i, end)) without = w->name;
    }
    if (!without) return;
    warnings_.push_back(
        {without,
         "'" + text(without) +
             "' passes values between the threads of a warp with no "
             "barrier in between. The CPU device keeps a warp in step here; no GPU since Volta "
             "promises to: put __syncwarp() after each step, or use __shfl_down_sync"});
}

void Steps::find_writes(size_t body, size_t body_end) {
    const size_t first_write = writes_.size();
    for (size_t i = body + 1; i < body_end; ++i) {
        const size_t op_end = assigns(i);
        if (!op_end) continue;
        Write w = {};
        w.body = body;
        if (read_write(i, &w)) {
            size_t since = w.first;
            for (size_t k = first_write; k < writes_.size(); ++k)
                if (text(writes_[k].name) == text(w.name)) since = writes_[k].end;
            w.exchanges = reads_others(w, since, w.end);
            writes_.push_back(w);
        }
        i = op_end;
    }
}

/* Of the function's writes, those that are made in step: not to flags, nor under a lock, which one
 * lane after another has. */
void Steps::choose(size_t first_write, size_t body, size_t body_end) {
    std::set<std::string> exchanged;
    for (size_t k = first_write; k < writes_.size(); ++k)
        if (reads_others(writes_[k], body, body_end)) exchanged.insert(text(writes_[k].name));
    bool locks = false;
    for (size_t i = body; i < body_end && !locks; ++i)
        locks = is(i, "atomicCAS") || is(i, "atomicExch");
    std::vector<Write> kept(writes_.begin(), writes_.begin() + (long)first_write);
    for (size_t k = first_write; k < writes_.size(); ++k) {
        const std::string name = text(writes_[k].name);
        if (is_waited_for(name, body, body_end) || (locks && !exchanged.count(name))) continue;
        kept.push_back(writes_[k]);
        kept.back().anywhere = exchanged.count(name) != 0;
    }
    writes_ = kept;
}

void Steps::read(size_t begin, size_t body, size_t body_end) {
    here_ = names_.in(begin, body_end);
    if (here_.empty()) {
        bool casts = false;
        for (size_t i = body; i < body_end && !casts; ++i) casts = is(i, "volatile");
        if (!casts) return;
    }
    const size_t first_write = writes_.size();
    find_writes(body, body_end);
    choose(first_write, body, body_end);
    warn(first_write, body, body_end);
}
