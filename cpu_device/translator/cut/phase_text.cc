/* What phases share, which lies in frames between them, and the text around each phase.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "cpu_device/translator/cut/phase_cutter.h"

namespace {

std::string each(const std::string &first_idle = "") {
    return "for (::cpu_device::Each cu_t(cu_b, cu_m" +
           (first_idle.empty() ? "" : ", " + first_idle) + "); cu_t.next();) { ";
}
const char *const kLanes = "for (::cpu_device::Lanes cu_t(cu_b, cu_m); cu_t.next();) { ";

/* Calls and words that read no memory, in a phase of Lanes. */
const std::set<std::string> kQuiet = {"if",   "return", "sizeof", "min",   "max",  "abs",
                                      "fabs", "fabsf",  "fmax",   "fmaxf", "fmin", "fminf"};

} // namespace

/* ---- what phases share ---- */

/* The variables that a phase speaks of, and those that the derived ones among them come of. */
std::set<int> PhaseCutter::used_in(const Region &r) const {
    std::set<int> used;
    for (const Range &range : r.ranges)
        for (size_t i = range.first; i <= range.second; ++i) {
            const int k = variables_.at(i);
            if (k >= 0) use(k, &used);
        }
    return used;
}

void PhaseCutter::use(int k, std::set<int> *used) const {
    if (!used->insert(k).second || !vars()[(size_t)k].derived) return;
    const Declarator &d = vars()[(size_t)k].declarator;
    for (size_t i = d.init_first; i <= d.init_last; ++i)
        if (variables_.at(i) >= 0) use(variables_.at(i), used);
}

/* Which variables lie in frames; of these, what cannot. */
void PhaseCutter::find_frames() {
    for (size_t k = 0; k < vars().size(); ++k) {
        const PhaseVariable &v = vars()[k];
        if (v.uniform || v.derived) continue;
        if (v.in_header)
            return fail(
                v.declarator.name,
                "a loop with barriers or warp operations in it, and a variable of which it is not plain that it is the same for all threads");
        if (v.parameter && !f_.kernel) continue; /* in the frame that the caller made */
        int users = 0;
        bool elsewhere = false;
        for (const Region &r : regions_) {
            if (!used_in(r).count((int)k)) continue;
            ++users;
            elsewhere = elsewhere || !r.declares.count((int)k);
        }
        if (v.parameter ? users == 0 || v.changes.empty() : users == 0 || !elsewhere) continue;
        if (!can_lie_in_frame((int)k))
            return fail(v.declarator.name,
                        "'" + v.name +
                            "' of this type, which lives from one part of the kernel to the next");
        frame_[k] = true;
        kept_members_ += member(v.declaration, v.declarator, member_name((int)k)) + " ";
    }
}

/* It is an array in a frame, and has no declaration beside. */
bool PhaseCutter::lies_in_frame(int k) const { return frame_[(size_t)k] && lies_there(k); }

/* In a frame it would be used where it lies, and have no declaration beside: an array. */
bool PhaseCutter::lies_there(int k) const {
    const PhaseVariable &v = vars()[(size_t)k];
    return !v.parameter && v.declarator.array && !v.declarator.init_first &&
           (v.declaration.declarators.size() == 1 ||
            variables_.declares_mixture(v.declaration.first));
}

/* Its length is known where frames are made. That no address of it is kept, the reader has seen. */
bool PhaseCutter::can_lie_in_frame(int k) const {
    const PhaseVariable &v = vars()[(size_t)k];
    if (v.declaration.is_auto || v.declarator.reference || v.declaration.is_static) return false;
    for (size_t i = v.declarator.name + 1; i <= v.declarator.last; ++i) {
        const int in_length = variables_.at(i);
        if (in_length < 0) continue;
        const PhaseVariable &length = vars()[(size_t)in_length];
        if (!(length.uniform && length.declarator.name < head_)) return false;
    }
    return true;
}

/* Nothing in the phase can fail, and it does not ask which thread it is. */
bool PhaseCutter::is_quiet(const Region &r) const {
    for (int k : used_in(r))
        if (asks_thread(vars()[(size_t)k])) return false;
    for (const Range &range : r.ranges)
        for (size_t i = range.first; i <= range.second; ++i)
            if (!is_quiet_token(i, range.first)) return false;
    return true;
}

bool PhaseCutter::asks_thread(const PhaseVariable &v) const {
    for (size_t i = v.declarator.init_first; v.derived && i <= v.declarator.init_last; ++i)
        if (is(i, "threadIdx")) return true;
    return false;
}

/* `first` is the first token of its range. */
bool PhaseCutter::is_quiet_token(size_t i, size_t first) const {
    const char c = punct(i);
    if (c && (strchr("[/%", c) || is(i, "->"))) return false;
    if (c == '*' && (i == first || (t_[i - 1].kind != kNumber && variables_.at(i - 1) < 0)))
        return false;
    if (is(i, "threadIdx")) return false;
    const bool call = t_[i].kind == kName && punct(i - 1) != '.' &&
                      (punct(i + 1) == '(' || (punct(i + 1) == '<' && reader_.variable_at(i) < 0));
    return !call || (kQuiet.count(text(i)) && !all_.types_.declares(text(i))) || is_cut(i);
}

/* It is declared in the phase: with a value, or gets one. */
bool PhaseCutter::has_value_after(const Region &r, const PhaseVariable &v) const {
    return !v.scalar || v.declarator.init_first || changed_in(r, v);
}

bool PhaseCutter::changed_in(const Region &r, const PhaseVariable &v) const {
    for (size_t change : v.changes)
        for (const Range &range : r.ranges)
            if (range.first <= change && change <= range.second) return true;
    return false;
}

/* ---- writing ---- */

void PhaseCutter::replace(size_t first, size_t last, const std::string &with) {
    edits_.push_back({t_[first].begin, t_[last].end, with});
}

/* threadIdx in phases is a local value. */
void PhaseCutter::rename_thread_index() {
    for (size_t i = f_.body + 1; i < f_.body_end; ++i)
        if (t_[i].kind == kName && all_.names_.is_builtin(i) && is(i, "threadIdx"))
            replace(i, i, "cu_t.index");
}

/* What follows is, to the compiler's messages, where token i is. */
std::string PhaseCutter::at_its_place(size_t i) const {
    const size_t line_start = src_.text.rfind('\n', t_[i].begin) + 1;
    return "\n# " + std::to_string(t_[i].line) + " \"" + file(i) + "\"\n" +
           std::string(t_[i].begin - line_start, ' ');
}

/* Tokens on one line, with the built-in variables as a phase knows them. */
std::string PhaseCutter::render(size_t first, size_t last) const {
    std::string s;
    for (size_t i = first; i <= last; ++i) {
        if (!all_.names_.is_builtin(i)) s += text(i);
        else s += is(i, "threadIdx") ? "cu_t.index" : Names::builtin_call(text(i));
        if (i == last || !touch(i)) s += " ";
    }
    return s;
}

/* The variable's declaration, alone. */
std::string PhaseCutter::declaration_of(const PhaseVariable &v) const {
    const Declarator &d = v.declarator;
    size_t last = d.last;
    if (d.init_first) last = punct(d.last + 1) == '=' ? d.init_last : d.init_last + 1;
    return render(v.declaration.first, v.declaration.type_last) + render(d.first, last);
}

std::string PhaseCutter::member_name(int k) const {
    return vars()[(size_t)k].name + "_" + std::to_string(k);
}

/* The frames of the function and of those that it calls. A kernel's parameters that threads
 * change are copied into theirs. */
std::string PhaseCutter::frames_text() const {
    std::string s;
    if (!kept_members_.empty())
        s += " struct CuKept { " + kept_members_ + "}; CuKept *const cu_k = cu_b.frames<CuKept>();";
    for (const std::string &pointer : frame_pointers_) s += " " + pointer;
    std::string copies;
    for (size_t k = 0; k < vars().size(); ++k)
        if (vars()[k].parameter && f_.kernel && frame_[k])
            copies += "::cpu_device::keep(cu_k[cu_t.linear]." + member_name((int)k) + ", " +
                      vars()[k].name + "); ";
    if (!copies.empty()) s += " " + each() + copies + "}";
    return s;
}

/* The loop over threads, and in it the variables under their own names: derived ones computed
 * anew, others read from their frames. */
std::string PhaseCutter::begin_of(int r, const std::string &bound_of_threads) const {
    const Region &region = regions_[(size_t)r];
    std::string s = " " + (is_quiet(region) ? kLanes : each(bound_of_threads)), copies;
    bool frame = false, parameters = region.returns && !f_.kernel;
    for (int k : used_in(region)) {
        const PhaseVariable &v = vars()[(size_t)k];
        const bool own = region.declares.count(k) && !lies_there(k);
        if (v.derived) {
            copies += "[[maybe_unused]] " + declaration_of(v) + "; ";
        } else if (v.parameter && !f_.kernel) {
            parameters = true;
            copies += bound(v, "cu_p." + v.name);
        } else if (frame_[(size_t)k]) {
            frame = true;
            if (!own) copies += bound(v, "cu_f." + member_name(k));
        }
    }
    if (frame) s += "auto &cu_f = cu_k[cu_t.linear]; ";
    if (parameters) s += "auto &cu_p = cu_a[cu_t.linear]; ";
    return s + copies + "{ ";
}

/* threadIdx.x, or a variable that is just that. */
bool PhaseCutter::is_thread_index_x(size_t first, size_t last) const {
    if (last == first + 2)
        return is(first, "threadIdx") && all_.names_.is_builtin(first) && punct(first + 1) == '.' &&
               is(last, "x");
    const int k = first == last ? variables_.at(first) : -1;
    if (k < 0 || !vars()[(size_t)k].derived) return false;
    const PhaseVariable &v = vars()[(size_t)k];
    static const std::set<std::string> wide = {"const", "int",    "unsigned", "long",
                                               "auto",  "size_t", "uint32_t", "int32_t"};
    for (size_t i = v.declaration.first; i <= v.declaration.type_last; ++i)
        if (!wide.count(text(i))) return false;
    const Declarator &d = v.declarator;
    return d.init_last == d.init_first + 2 && is_thread_index_x(d.init_first, d.init_last);
}

/* Of a phase that is one statement `if (t < E && ...) ...`, or with ==, where t is threadIdx.x and E the
 * same for all threads: in a row of threads, one from which on they do nothing. Else nothing. The
 * condition stays, so a bound that is too high changes nothing. */
std::string PhaseCutter::first_idle(const Statement &s) const {
    if (s.kind != Statement::kIf || s.other || s.open != s.first + 1) return "";
    size_t sign = 0, sign_end = 0, end = s.close;
    for (size_t i = s.open + 1; i < end; ++i) {
        const char c = punct(i);
        const bool twice = c && punct(i + 1) == c && touch(i);
        if (c == '(' || c == '[') {
            i = closing(i);
        } else if (c == '&' && twice) {
            end = i;
        } else if (!sign && (c == '<' || (c == '=' && twice))) {
            sign = i;
            sign_end = i = c == '<' ? i : i + 1;
        } else if (c && !strchr("+-*/.", c)) {
            return "";
        }
    }
    for (size_t i = end; i < s.close; ++i)
        if (punct(i) && strchr("|?,", punct(i))) return "";
    if (!sign || sign_end + 1 >= end || !is_thread_index_x(s.open + 1, sign - 1) ||
        !variables_.is_uniform(sign_end + 1, end - 1))
        return "";
    return std::string("::cpu_device::first_idle_") + (punct(sign) == '<' ? "from(" : "after(") +
           render(sign_end + 1, end - 1) + ")";
}

/* Numbers and pointers are copied, so that the compiler may hold them in registers. */
std::string PhaseCutter::bound(const PhaseVariable &v, const std::string &from) const {
    return std::string("[[maybe_unused]] ") + (v.declarator.constant ? "const " : "") +
           (v.scalar ? "auto " : "auto &") + v.name + " = " + from + "; ";
}

/* What changed goes back into the frames; a thread that returns needs them no more, and is here
 * after that. */
std::string PhaseCutter::end_of(int r) const {
    const Region &region = regions_[(size_t)r];
    std::string s = " ";
    for (int k : used_in(region)) {
        const PhaseVariable &v = vars()[(size_t)k];
        const bool own = region.declares.count(k) != 0;
        if (v.derived || v.uniform) continue;
        if (v.parameter && !f_.kernel) {
            if (v.scalar && changed_in(region, v)) s += "cu_p." + v.name + " = " + v.name + "; ";
        } else if (frame_[(size_t)k] && (own ? !lies_there(k) && has_value_after(region, v)
                                             : v.scalar && changed_in(region, v))) {
            s += "::cpu_device::keep(cu_f." + member_name(k) + ", " + v.name + "); ";
        }
    }
    s += "} ";
    if (region.returns) s += "cu_end" + std::to_string(r) + ":; ";
    return s + "}";
}
