/* All that is wrong with a program.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cpu_device/translator/refuse/problems.h"

#include <algorithm>
#include <set>
#include <utility>

#include "cpu_device/translator/refuse/rules.h"
#include "cpu_device/translator/refuse/sides.h"

Problems problems_of(const Source &src, const Names &names, bool relaxed_constexpr) {
    const Sides sides(src, names, relaxed_constexpr);
    const KernelRules kernels(src, names);
    const LanguageRules language(src, names);
    Problems all, out;
    for (const auto *functions : names.declarations().all_functions())
        for (const Declarations::Function &f : *functions) {
            if (src.tokens[f.head].system) continue;
            if (f.global) kernels.check(f, &all);
            if (!f.body || f.constant) continue;
            sides.check(f, &all);
            language.check(f, &all);
        }
    language.check_shared_on_host(&all);
    /* Of one line: errors before warnings, and the first of each. */
    std::stable_sort(all.begin(), all.end(), [](const Problem &a, const Problem &b) {
        return a.warning != b.warning ? b.warning : a.token < b.token;
    });
    std::set<std::pair<int, int>> lines;
    for (const Problem &p : all)
        if (lines.insert({src.tokens[p.token].file, src.tokens[p.token].line}).second)
            out.push_back(p);
    return out;
}
