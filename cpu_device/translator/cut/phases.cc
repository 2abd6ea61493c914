/* Cuts kernels at their barriers: all functions of a program, in their order. How one of them is
 * cut: phase_cutter.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cpu_device/translator/cut/phases.h"

#include "cpu_device/translator/cut/phase_cutter.h"
#include "cpu_device/translator/read/vocabulary.h"

Phases::Phases(const Source &src, const Names &names, const ProgramTypes &types, const Waits &waits)
    : Tokens(src), names_(names), types_(types), waits_(waits) {
    for (const std::string &name : names.constants()) constants_.insert(name);
}

Reader::Program Phases::program() const {
    return {names_, types_, waits_, constants_, [this](const std::string &name) {
                auto at = callees_.find(name);
                return at == callees_.end() ? nullptr : &at->second;
            }};
}

void Phases::add(const Function &f, bool may_be_cut) {
    ++functions_[f.name];
    Reader::Refusal why = {f.begin, "the compiler's flags say so"};
    const bool never = f.kernel && waits_.never(f.name);
    const size_t guarded = guarded_.size();
    const bool cut = !never && may_be_cut && cut_function(f, &why);
    if (!f.kernel) return keep_callee(f, cut, why);
    const Form form = never                       ? kNeverWaits
                      : guarded_.size() > guarded ? kGuarded
                      : cut                       ? kCut
                                                  : kWhole;
    decisions_.push_back({f.name, name_of(f), form, why});
    auto at = forms_.emplace(f.name, form).first;
    if (at->second != form) at->second = kWhole;
}

bool Phases::cut_function(const Function &f, Reader::Refusal *why) {
    *why = {f.body, "it is a member of a class"};
    if (!f.is_free) return false;
    if (!f.kernel && vocabulary::does(f.name) != vocabulary::kUnknown) {
        *why = {f.body, "it bears the name of one of CUDA's own, so that a call may be of either"};
        return false;
    }
    if (waits_.spins(f.begin)) {
        *why = {
            f.body,
            "a loop with atomic operations whose results are used, by which threads may wait for each other"};
        return false;
    }
    Reader reader(src_, program(), Reader::kCut);
    const Waits::Reason waits = waits_.reason(f.name);
    *why = {waits.token, waits.what};
    if (!reader.cuts(f.body, f.body_end)) return false;
    const bool in_language = reader.read(f.begin, name_of(f), f.body);
    *why = reader.refusal();
    if (!in_language) return false;
    if (watcher_) watcher_(reader);
    PhaseCutter cutter(src_, this, f, reader);
    const bool cut = cutter.cut();
    *why = cutter.refusal();
    if (!cut) return false;
    if (f.kernel) use(cutter.calls());
    if (f.kernel && !reader.template_parameters().types.empty()) {
        guarded_.push_back(cutter.copy());
        for (const std::string &type : reader.template_parameters().types)
            guarded_.back().guard += (guarded_.back().guard.empty() ? "" : " && ") +
                                     ("::cpu_device::kPlain<" + type + ">");
    } else if (f.kernel) {
        const auto edits = cutter.edits();
        edits_.insert(edits_.end(), edits.begin(), edits.end());
    } else {
        copies_.emplace(f.name, cutter.copy());
    }
    return true;
}

/* What is known of a device function from now on; of several that bear the name, the worst. */
void Phases::keep_callee(const Function &f, bool cut, const Reader::Refusal &why) {
    Reader reader(src_, program(), Reader::kUncut);
    Reader::Callee c = {cut, f.is_free && reader.read(f.begin, name_of(f), f.body), false,
                        reader.cuts(f.body, f.body_end), why};
    if (c.keeps_nothing && watcher_) watcher_(reader);
    for (size_t i = f.begin; i < f.body; ++i)
        c.takes_references = c.takes_references || punct(i) == '&';
    auto at = callees_.emplace(f.name, c).first;
    at->second.cut = at->second.cut || c.cut;
    if (!c.cut) at->second.why = why;
    at->second.keeps_nothing = at->second.keeps_nothing && c.keeps_nothing;
    at->second.takes_references = at->second.takes_references || c.takes_references;
}

void Phases::use(const std::set<std::string> &functions) {
    for (const std::string &name : functions) {
        Copy &c = copies_.at(name);
        if (c.used) continue;
        c.used = true;
        /* The first form may have no users any more; that is nothing to warn of. */
        edits_.push_back({t_[c.start].begin, t_[c.start].begin, "[[maybe_unused]] "});
        use(c.calls);
    }
}

Phases::Form Phases::form(const std::string &kernel) const {
    auto at = forms_.find(kernel);
    return at == forms_.end() ? kWhole : at->second;
}

std::vector<Phases::Copy> Phases::used_copies() const {
    std::vector<Copy> out;
    for (const auto &entry : copies_)
        if (entry.second.used) out.push_back(entry.second);
    out.insert(out.end(), guarded_.begin(), guarded_.end());
    return out;
}
