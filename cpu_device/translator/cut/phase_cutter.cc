/* Goes through a function's statements: which of them a phase gathers, and what stays around
 * phases.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cpu_device/translator/cut/phase_cutter.h"

#include <algorithm>

namespace {

std::set<std::string> with(std::set<std::string> names, const std::set<std::string> &more) {
    names.insert(more.begin(), more.end());
    return names;
}

} // namespace

PhaseCutter::PhaseCutter(const Source &src, Phases *all, const Phases::Function &f,
                         const Reader &reader)
    : Tokens(src),
      all_(*all),
      f_(f),
      reader_(reader),
      constants_(with(all->constants_, reader.template_parameters().values)),
      variables_(src, reader, {all->names_, all->types_, constants_}) {}

void PhaseCutter::fail(size_t i, const std::string &why) {
    if (!failed_) refusal_ = {i, why};
    failed_ = true;
}

bool PhaseCutter::cut() {
    name_ = opening(f_.body - 1) - 1;
    start_ = reader_.template_parameters().first;
    if (!f_.kernel && !read_signature()) return false;
    variables_.find(f_.kernel);
    frame_.assign(variables_.all().size(), false);
    body(reader_.statements());
    if (failed_) return false;
    find_frames();
    if (failed_) return false;
    writing_ = true;
    next_region_ = 0;
    body(reader_.statements());
    if (failed_) return false;
    rename_thread_index();
    return true;
}

std::vector<Edit> PhaseCutter::edits() const {
    std::vector<Edit> out = edits_;
    std::map<size_t, std::string> insertions = after_;
    for (const auto &entry : before_) insertions[t_[entry.first].begin] += entry.second;
    for (const auto &entry : insertions) out.push_back({entry.first, entry.first, entry.second});
    return out;
}

Phases::Copy PhaseCutter::copy() const {
    return {start_,
            f_.body,
            f_.body_end,
            f_.kernel ? "" : head(),
            edits(),
            parameters_,
            frame_type(),
            !reader_.template_parameters().text.empty(),
            result_ == "void ",
            barriers_,
            calls_,
            false,
            ""};
}

/* ---- looking ---- */

/* `if (the same for all) break;` stays outside of the phases. */
bool PhaseCutter::leaves_loop(const Statement &s) const {
    if (s.kind != Statement::kIf || s.other || loops_ == 0 || masks_ > 0) return false;
    const Statement *part = &s.parts[0];
    if (part->kind == Statement::kBlock && part->parts.size() == 1) part = &part->parts[0];
    return part->kind == Statement::kSimple &&
           (is(part->first, "break") || is(part->first, "continue")) &&
           variables_.is_uniform(s.open + 1, s.close - 1);
}

bool PhaseCutter::header_is_uniform(const Statement &s) const {
    return s.close == s.open + 1 || variables_.is_uniform(s.open + 1, s.close - 1);
}

/* ---- statements ---- */

void PhaseCutter::body(const std::vector<Statement> &list) {
    region_ = -1;
    loops_ = masks_ = 0;
    headed_ = false;
    if (writing_)
        after(f_.body,
              f_.kernel
                  ? " ::cpu_device::BlockRun cu_b; const ::cpu_device::Mask &cu_m = cu_b.live(); "
                  : " ::cpu_device::FrameMark cu_mark(cu_b); ");
    statements(list, true);
}

/* Before the first statement that is in a phase, or has one in it: frames. */
void PhaseCutter::head_before(size_t i, bool top) {
    if (!top || headed_) return;
    headed_ = true;
    head_ = i;
    if (writing_) before(i, frames_text());
}

void PhaseCutter::statements(const std::vector<Statement> &list, bool top) {
    for (const Statement &s : list) {
        if (failed_) return;
        if (cuts(s.first, s.last)) {
            close_region();
            head_before(s.first, top);
            cut_statement(s);
        } else if (s.kind == Statement::kSimple && s.first == s.last) {
            continue; /* a lone ; */
        } else if (s.shared || reader_.declares_group(s.first) ||
                   variables_.declares_uniform(s.first) || variables_.changes_uniform(s)) {
            close_region();
        } else if (variables_.declares_derived(s.first)) {
            if (writing_) replace(s.first, s.last, "");
        } else if (variables_.declares_mixture(s.first)) {
            mixture(s, top);
        } else if (leaves_loop(s)) {
            close_region();
        } else {
            head_before(s.first, top);
            extend(s);
        }
    }
    close_region();
}

/* Variables of different kinds, declared together: each where it belongs. */
void PhaseCutter::mixture(const Statement &s, bool top) {
    std::string uniform, own;
    for (int k : variables_.declared(s.first)) {
        const PhaseVariable &v = vars()[(size_t)k];
        if (v.uniform) uniform += declaration_of(v) + "; ";
        else if (!v.derived && !lies_in_frame(k)) own += declaration_of(v) + "; ";
    }
    if (!uniform.empty()) close_region();
    if (writing_ && !uniform.empty()) before(s.first, " " + uniform);
    head_before(s.first, top);
    extend(s);
    if (writing_) replace(s.first, s.last, own.empty() ? ";" : own);
}

/* A statement with a cut in it. */
void PhaseCutter::cut_statement(const Statement &s) {
    switch (s.kind) {
    case Statement::kSimple: return cut_simple(s);
    case Statement::kBlock: return statements(s.parts, false);
    case Statement::kIf:
        if (!cuts(s.open, s.close) && variables_.is_uniform(s.open + 1, s.close - 1)) {
            for (const Statement &part : s.parts) governed(part);
        } else {
            narrow(s);
        }
        return;
    case Statement::kFor:
    case Statement::kWhile:
    case Statement::kDo:
        if (cuts(s.open, s.close))
            return fail(s.open, "a barrier, a warp operation or a call with one in a loop's head");
        if (!header_is_uniform(s))
            return fail(
                s.open,
                "a loop with a barrier or warp operation in it, of which it is not plain that all threads go round equally often");
        ++loops_;
        governed(s.parts[0], ends_threads() ? " if (!cu_b.live().any()) break;" : "");
        --loops_;
        return;
    default: return fail(s.first, "a barrier or warp operation in a switch");
    }
}

/* Threads of the kernel return early: when all have, no loop goes on. */
bool PhaseCutter::ends_threads() const {
    return f_.kernel &&
           std::any_of(regions_.begin(), regions_.end(), [](const Region &r) { return r.returns; });
}

/* What an if or a loop governs; `first` is done before it. */
void PhaseCutter::governed(const Statement &part, const std::string &first) {
    if (part.kind == Statement::kBlock) {
        if (writing_ && !first.empty()) after(part.first, first);
        return statements(part.parts, false);
    }
    if (writing_) before(part.first, " {" + first);
    statements({part}, false);
    if (writing_) after(part.last, " }");
}

/* An if that some threads of a warp may pass and others not. Where both branches have operations,
 * lanes in one may wait for lanes in the other. */
void PhaseCutter::narrow(const Statement &s) {
    if (s.other && cuts(s.parts[0].first, s.parts[0].last) &&
        cuts(s.parts[1].first, s.parts[1].last))
        return fail(s.other,
                    "operations in both branches of an if that not all threads pass alike");
    if (cuts(s.open, s.close))
        return fail(s.open, "a barrier, a warp operation or a call with one in a condition");
    if (s.open != s.first + 1)
        return fail(s.first,
                    "an 'if constexpr' of which it is not plain that all threads pass it alike");
    const int r = new_region();
    if (!writing_) regions_[(size_t)r].ranges.emplace_back(s.open + 1, s.close - 1);
    const std::string id = std::to_string(r), yes = "cu_yes" + id, no = "cu_no" + id;
    const auto with_mask = [](const std::string &mask) {
        return "if (" + mask + ".any()) { const ::cpu_device::Mask &cu_m = " + mask + ";";
    };
    if (writing_) {
        const std::string masks =
            "::cpu_device::Mask " + yes + " = {}" + (s.other ? ", " + no + " = {}" : "") + "; ";
        replace(s.first, s.open, "{ " + masks + begin_of(r) + "if (");
        replace(s.close, s.close,
                ") " + yes + ".add(cu_t.linear);" +
                    (s.other ? " else " + no + ".add(cu_t.linear);" : "") + end_of(r) + " " +
                    with_mask(yes));
        if (s.other) replace(s.other, s.other, with_mask(no));
    }
    ++masks_;
    for (const Statement &part : s.parts) {
        statements({part}, false);
        if (writing_) after(part.last, " }");
    }
    --masks_;
    if (writing_) after(s.last, " }");
}

/* ---- phases ---- */

int PhaseCutter::new_region() {
    if (!writing_) regions_.push_back({});
    return next_region_++;
}

/* The statement goes into the phase that is gathered, or begins one. */
void PhaseCutter::extend(const Statement &s) {
    if (region_ < 0) {
        region_ = new_region();
        region_first_ = s.first;
        only_ = &s;
    } else {
        only_ = nullptr;
    }
    region_last_ = s.last;
    const bool declares = s.kind == Statement::kSimple && variables_.declares(s.first);
    if (!writing_) {
        Region &r = regions_[(size_t)region_];
        r.ranges.emplace_back(s.first, s.last);
        if (declares)
            for (int k : variables_.declared(s.first)) r.declares.insert(k);
    }
    check_jumps(s, false);
    if (writing_ && declares && variables_.declared(s.first).size() == 1 &&
        lies_in_frame(variables_.declared(s.first)[0]))
        replace(s.first, s.last, "");
}

void PhaseCutter::close_region() {
    if (region_ < 0) return;
    const int r = region_;
    region_ = -1;
    if (!writing_) return;
    before(region_first_, begin_of(r, only_ ? first_idle(*only_) : ""));
    after(region_last_, end_of(r));
}

/* break and continue of a loop around the phase cannot leave it; return ends the thread. */
void PhaseCutter::check_jumps(const Statement &s, bool in_loop) {
    if (s.kind == Statement::kSimple) {
        if (!in_loop && (is(s.first, "break") || is(s.first, "continue")))
            fail(s.first,
                 "'" + text(s.first) + "' of a loop with a barrier or warp operation in it");
        if (is(s.first, "return")) returns(s);
        return;
    }
    if (s.kind == Statement::kSwitch) {
        for (size_t i = s.first; i < s.last; ++i)
            if (is(i, "return") || (!in_loop && is(i, "continue")))
                fail(i, "'" + text(i) + "' in a switch");
        return;
    }
    const bool loop =
        s.kind == Statement::kFor || s.kind == Statement::kWhile || s.kind == Statement::kDo;
    for (const Statement &part : s.parts) check_jumps(part, in_loop || loop);
}

/* A return jumps to the end of its phase. A kernel's thread takes part in none after it; a device
 * function's would have to, and may return in the last one only. */
void PhaseCutter::returns(const Statement &s) {
    const bool value = s.last > s.first + 1;
    if (f_.kernel && value) return fail(s.first, "a kernel that returns a value");
    regions_[(size_t)region_].returns = true;
    if (!f_.kernel) {
        if (loops_ || masks_ || value == (result_ == "void "))
            return fail(
                s.first,
                "a device function that returns within a loop or an if with barriers or warp operations in it");
    }
    if (!writing_) return;
    const std::string leave = "goto cu_end" + std::to_string(region_) + "; }";
    if (f_.kernel) {
        replace(s.first, s.last, "{ cu_b.end(cu_t.linear); " + leave);
    } else if (!value) {
        replace(s.first, s.last, "{ " + leave);
    } else {
        replace(s.first, s.first, "{ cu_p.cu_ret =");
        replace(s.last, s.last, "; " + leave);
    }
    if (!f_.kernel && region_ + 1 != (int)regions_.size())
        fail(s.first, "a device function that returns before its last barrier or warp operation");
}
