/* Cuts kernels at their barriers: all functions of a program, in their order. How one of them is
 * cut: phase_cutter.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cpu_device/translator/cut/phases.h"

#include "cpu_device/translator/cut/phase_cutter.h"

Phases::Phases(const Source &src, const Names &names, const Leaves &leaves)
    : Tokens(src), names_(names), leaves_(leaves), waiting_{"__syncthreads", "__syncwarp"} {
  for (const auto &operation : kWarpOperations) waiting_.insert(operation.first);
  find_enumerators();
  for (const std::string &name : names.constants()) constants_.insert(name);
}

/* Enumerators are numbers that never change. */
void Phases::find_enumerators() {
  for (size_t i = 0; i + 1 < t_.size(); ++i) {
    if (t_[i].system || !is(i, "enum")) continue;
    size_t j = i;
    while (j + 1 < t_.size() && punct(j) != '{' && punct(j) != ';') ++j;
    const size_t end = punct(j) == '{' ? closing(j) : j;
    for (; j < end; ++j)
      if (t_[j].kind == kName && (punct(j - 1) == '{' || punct(j - 1) == ',')) constants_.insert(text(j));
  }
}

void Phases::add(const Function &f) {
  ++functions_[f.name];
  for (size_t i = f.begin; i < f.body; ++i)
    if (punct(i) == '&') references_.insert(f.name);
  PhaseCutter cutter(src_, this, f);
  const bool cut = f.is_free && cutter.cut();
  if (f.kernel) {
    auto at = kernels_.emplace(f.name, cut).first;
    at->second = at->second && cut;
    if (!cut) return;
    const auto edits = cutter.edits();
    edits_.insert(edits_.end(), edits.begin(), edits.end());
    use(cutter.calls());
  } else if (cut) {
    copies_.emplace(f.name, cutter.copy());
    waiting_.insert(f.name);
  }
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

bool Phases::takes_whole_block(const std::string &kernel) const {
  auto at = kernels_.find(kernel);
  return at != kernels_.end() && at->second;
}

std::vector<Phases::Copy> Phases::used_copies() const {
  std::vector<Copy> out;
  for (const auto &entry : copies_)
    if (entry.second.used) out.push_back(entry.second);
  return out;
}
