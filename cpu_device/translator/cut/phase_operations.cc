/* Statements with barriers, warp operations or calls of functions that are cut: first, in a phase
 * of its own, each thread brings its values; then the operations are done for the block; then
 * the statement is done, in a phase again, with what each thread gets.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cpu_device/translator/cut/phase_cutter.h"

#include <algorithm>

#include "cpu_device/translator/read/vocabulary.h"

const std::map<std::string, WarpOperation> kWarpOperations = {
    {"__shfl_sync", {"shuffle", false}},
    {"__shfl_up_sync", {"shuffle_up", false}},
    {"__shfl_down_sync", {"shuffle_down", false}},
    {"__shfl_xor_sync", {"shuffle_xor", false}},
    {"__ballot_sync", {"ballot", true}},
    {"__any_sync", {"any", true}},
    {"__all_sync", {"all", true}}};

namespace {

enum { kMaxOperations = 4 }; /* in one statement; BlockRun's slots */

} // namespace

void PhaseCutter::cut_simple(const Statement &s) {
    if (reader_.is_barrier(s.first)) {
        if (masks_)
            return fail(
                s.first,
                "a barrier in an if of which it is not plain that all threads pass it alike");
        barriers_ = true;
        if (writing_) replace(s.first, s.last - 1, "cu_b.barrier()");
        return;
    }
    if (is(s.first, "__syncwarp") && closing(s.first + 1) + 1 == s.last) return cut_syncwarp(s);
    std::vector<Operation> operations;
    if (!read_operations(s, &operations)) return;
    bring(s, operations);
    if (failed_) return;
    take(s, operations);
}

void PhaseCutter::cut_syncwarp(const Statement &s) {
    const int r = new_region();
    const bool has_mask = s.last > s.first + 3;
    if (has_mask && !writing_) regions_[(size_t)r].ranges.emplace_back(s.first + 2, s.last - 2);
    if (!writing_) return;
    const std::string mask = has_mask ? render(s.first + 2, s.last - 2) : "0xffffffffu";
    if (variables_.is_uniform(s.first + 2, s.last - 2))
        return replace(s.first, s.last, "cu_b.meet(0, cu_m, " + mask + ");");
    const std::string meeting = "cu_w" + std::to_string(r);
    replace(s.first, s.last,
            "const auto " + meeting + " = cu_b.meet(0, cu_m); " + begin_of(r) + meeting +
                ".barrier(cu_t.linear, " + mask + ");" + end_of(r));
}

/* ---- reading ---- */

/* The operations of a statement, all of which are done whatever their values. */
bool PhaseCutter::read_operations(const Statement &s, std::vector<Operation> *operations) {
    std::set<std::string> so_far, earlier; /* names, and those that stand before a comma */
    bool pure = true;                      /* nothing so far stores, or may */
    int depth = 0;
    for (size_t i = s.first; i < s.last; ++i) {
        const char c = punct(i);
        if (c == '(' || c == '[' || c == '{') ++depth;
        if (c == ')' || c == ']' || c == '}') --depth;
        if (c == ',' && depth == 0) earlier = so_far;
        if (t_[i].kind == kName) so_far.insert(text(i));
        if (is_cut(i)) {
            Operation o = {};
            if (!read_operation(i, &o)) return false;
            if (!may_go_first(s, o, earlier) || (!earlier.empty() && !pure))
                return fail(
                           i,
                           "'" + text(i) +
                               "' in a statement of which other parts may have to be done before it"),
                       false;
            operations->push_back(o);
            i = o.close;
        } else if (needs_order(i)) {
            return fail(
                       i,
                       "'?', '&&', '||', '++' or '--' in one statement with a warp operation or a call with one"),
                   false;
        } else {
            pure = pure && !may_store(i);
        }
    }
    const auto is_warp = [&](const Operation &o) {
        return kWarpOperations.count(text(o.name)) != 0;
    };
    const auto warps = std::count_if(operations->begin(), operations->end(), is_warp);
    if (warps && (size_t)warps < operations->size()) /* the function's own would take its slots */
        return fail(s.first, "a warp operation in one statement with a call that has some"), false;
    if (operations->empty() || operations->size() > kMaxOperations)
        return fail(s.first, "a barrier or warp operation of this form"), false;
    return true;
}

/* A call there may store something. */
bool PhaseCutter::may_store(size_t i) const {
    if (t_[i].kind != kName || punct(i + 1) != '(' || reader_.variable_at(i) >= 0) return false;
    return vocabulary::does(text(i)) != vocabulary::kComputes || all_.types_.declares(text(i));
}

/* It is done before the rest of the statement; what stands before a comma comes before it. */
bool PhaseCutter::may_go_first(const Statement &s, const Operation &o,
                               const std::set<std::string> &earlier) const {
    auto callee = all_.copies_.find(text(o.name));
    if (callee != all_.copies_.end()) {
        const bool alone = s.first == o.name && o.close + 1 == s.last;
        return earlier.empty() && (alone || !callee->second.is_void);
    }
    for (size_t i = o.open; i < o.close; ++i)
        if (t_[i].kind == kName && earlier.count(text(i))) return false;
    return !stores(s) || !reads_memory(o);
}

/* The statement stores where other threads may read: it assigns to no plain variable. */
bool PhaseCutter::stores(const Statement &s) const {
    for (size_t i = s.first; i < s.last && punct(i) != '='; ++i)
        if (punct(i) == '[' || punct(i) == '*' || is(i, "->")) return true;
    return false;
}

/* In its mask, lane or width, which each thread looks at when its turn to take has come. */
bool PhaseCutter::reads_memory(const Operation &o) const {
    for (size_t k = 0; k < o.arguments.size(); ++k)
        for (size_t i = o.arguments[k].first; k != 1 && i < o.arguments[k].second; ++i)
            if (punct(i) == '[' || is(i, "->") || (punct(i) == '*' && i == o.arguments[k].first))
                return true;
    return false;
}

bool PhaseCutter::read_operation(size_t i, Operation *o) {
    o->name = i;
    o->open = punct(i + 1) == '<' ? closing_angle(i + 1) + 1 : i + 1;
    o->close = closing(o->open);
    o->arguments = reader_.pieces(o->open + 1, o->close);
    if (cuts(o->open, o->close))
        return fail(i, "a warp operation or a call with one among the arguments of another"), false;
    if (kWarpOperations.count(text(i))) {
        if (o->arguments.size() < 2) return fail(i, "a warp operation of this form"), false;
        return true;
    }
    auto callee = all_.copies_.find(text(i));
    if (callee == all_.copies_.end()) return fail(i, "'" + text(i) + "' in an expression"), false;
    if (callee->second.barriers && masks_)
        return fail(
                   i,
                   "a call with a barrier in it in an if of which it is not plain that all threads pass it alike"),
               false;
    return true;
}

/* ?:, && and || may skip an operation; ++ and -- may change what the next one brings. */
bool PhaseCutter::needs_order(size_t i) const {
    const char c = punct(i);
    const bool twice = c && punct(i + 1) == c && touch(i);
    return c == '?' || (twice && (c == '&' || c == '|' || c == '+' || c == '-'));
}

/* ---- bringing ---- */

/* First each thread brings its values, and functions run. */
void PhaseCutter::bring(const Statement &s, const std::vector<Operation> &operations) {
    const int r = new_region();
    Bringing made;
    for (size_t k = 0; k < operations.size(); ++k) {
        const Operation &o = operations[k];
        if (kWarpOperations.count(text(o.name))) bring_value(r, (int)k, o, &made);
        else if (!bring_call(r, o, &made))
            return fail(o.name, "the call of '" + text(o.name) +
                                    "', of which there are several, or with default arguments");
    }
    if (!writing_) return;
    if (!made.loop.empty()) made.loop = begin_of(r) + made.loop + end_of(r);
    before(s.first, made.opening + made.loop + made.closing);
}

/* A warp operation's value: given by each lane, or read where it lies in the lanes' frames. */
void PhaseCutter::bring_value(int r, int slot, const Operation &o, Bringing *made) {
    const bool votes = kWarpOperations.at(text(o.name)).votes;
    const size_t first = o.arguments[1].first, last = o.arguments[1].second - 1;
    if (!writing_) regions_[(size_t)r].ranges.emplace_back(first, last);
    const std::string meeting = meeting_name(o), lies = votes ? "" : place_in_frames(o);
    made->opening += " const auto " + meeting + " = cu_b.meet(" + std::to_string(slot) + ", cu_m" +
                     common_mask(o) + lies + ");";
    if (!lies.empty()) return;
    const std::string brought = at_its_place(first) + render(first, last);
    made->loop += meeting + (votes ? ".vote(cu_t.linear, (" + brought + ") != 0); "
                                   : ".give(cu_t.linear, " + brought + "); ");
}

std::string PhaseCutter::meeting_name(const Operation &o) const { return "cu_w" + id_of(o); }

/* The operation's mask, if all threads name the same. */
std::string PhaseCutter::common_mask(const Operation &o) const {
    const auto &mask = o.arguments[0];
    if (mask.first == mask.second || !variables_.is_uniform(mask.first, mask.second - 1)) return "";
    return ", " + render(mask.first, mask.second - 1);
}

/* What the lanes bring is a variable that lies in their frames: frames, and where in the first. */
std::string PhaseCutter::place_in_frames(const Operation &o) const {
    const auto &value = o.arguments[1];
    const int k = variables_.at(value.first);
    if (common_mask(o).empty() || value.second != value.first + 1 || k < 0) return "";
    const PhaseVariable &v = vars()[(size_t)k];
    if (!v.scalar || v.uniform || v.derived) return "";
    if (v.parameter && !f_.kernel) return ", cu_a, cu_a->" + v.name;
    return frame_[(size_t)k] ? ", cu_k, cu_k->" + member_name(k) : "";
}

/* A call: each thread writes its arguments into a frame, and the second form runs for the block. */
bool PhaseCutter::bring_call(int r, const Operation &o, Bringing *made) {
    const std::string name = text(o.name);
    const Phases::Copy &callee = all_.copies_.at(name);
    if (all_.functions_.at(name) != 1 || callee.parameters.size() != o.arguments.size())
        return false;
    calls_.insert(name);
    barriers_ = barriers_ || callee.barriers;
    for (const auto &argument : o.arguments) {
        if (argument.first == argument.second) return false;
        if (!writing_) regions_[(size_t)r].ranges.emplace_back(argument.first, argument.second - 1);
    }
    if (writing_) write_call(o, callee, made);
    else declare_frame(o, callee);
    return true;
}

/* The call's frames are made when it is first reached. Of a template, their type is known only
 * where the arguments stand: there it is also noted which function will run. */
void PhaseCutter::declare_frame(const Operation &o, const Phases::Copy &callee) {
    const std::string id = id_of(o);
    if (callee.is_template)
        frame_pointers_.push_back(
            "void *cu_a" + id + " = nullptr; void (*cu_c" + id +
            ")(::cpu_device::BlockRun &, const ::cpu_device::Mask &, void *) = nullptr;");
    else frame_pointers_.push_back(callee.frame + " *cu_a" + id + " = nullptr;");
}

void PhaseCutter::write_call(const Operation &o, const Phases::Copy &callee, Bringing *made) {
    const std::string name = text(o.name), frame = "cu_a" + id_of(o), function = "cu_c" + id_of(o);
    if (callee.is_template) {
        const std::string type = "decltype(" + frame_call(o) + ")";
        made->loop +=
            "using CuFrame = " + type + "; if (!" + frame + ") { " + frame +
            " = cu_b.frames<CuFrame>(); " + function +
            " = [](::cpu_device::BlockRun &b, const ::cpu_device::Mask &m, void *a) { cu_block_" +
            name + "(b, m, (CuFrame *)a); }; } auto &cu_a = ((CuFrame *)" + frame +
            ")[cu_t.linear]; ";
        made->closing += " if (" + function + ") " + function + "(cu_b, cu_m, " + frame + ");";
        results_[o.name] = "((" + type + " *)" + frame + ")[cu_t.linear].cu_ret";
    } else {
        made->opening +=
            " if (!" + frame + ") " + frame + " = cu_b.frames<" + callee.frame + ">();";
        made->loop += "auto &cu_a = " + frame + "[cu_t.linear]; ";
        made->closing += " cu_block_" + name + "(cu_b, cu_m, " + frame + ");";
        results_[o.name] = frame + "[cu_t.linear].cu_ret";
    }
    made->loop = "{ " + made->loop;
    for (size_t k = 0; k < o.arguments.size(); ++k) {
        const size_t first = o.arguments[k].first, last = o.arguments[k].second - 1;
        made->loop += "cu_a." + callee.parameters[k] + " = " + at_its_place(first) +
                      render(first, last) + "; ";
    }
    made->loop += "} ";
}

/* The call of the function that returns its frame's type. */
std::string PhaseCutter::frame_call(const Operation &o) const {
    std::string s = "cu_frame_" + text(o.name, o.open - 1) + "(";
    for (size_t k = 0; k < o.arguments.size(); ++k)
        s += (k ? ", " : "") + render(o.arguments[k].first, o.arguments[k].second - 1);
    return s + ")";
}

/* ---- taking ---- */

/* Then the statement is done with what each thread gets; of a call that is all of it, nothing
 * is left to do. */
void PhaseCutter::take(const Statement &s, const std::vector<Operation> &operations) {
    if (operations.size() == 1 && s.first == operations[0].name &&
        operations[0].close + 1 == s.last && !kWarpOperations.count(text(s.first))) {
        if (writing_) replace(s.first, s.last, "");
        return;
    }
    extend(s);
    if (!writing_) return;
    for (const Operation &o : operations) take_result(o);
}

void PhaseCutter::take_result(const Operation &o) {
    auto warp = kWarpOperations.find(text(o.name));
    if (warp == kWarpOperations.end()) return replace(o.name, o.close, results_.at(o.name));
    /* The value was brought; only its type is asked for now. */
    const size_t first = o.arguments[1].first, last = o.arguments[1].second - 1;
    replace(o.name, o.open, meeting_name(o) + "." + warp->second.method + "(cu_t.linear, ");
    replace(first, last, "::cpu_device::Typed<decltype(" + render(first, last) + ")>()");
}
