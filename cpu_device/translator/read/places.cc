/* See places.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cpu_device/translator/read/places.h"

#include <algorithm>

Places::Places(const Source &src) : Tokens(src), around_(src.tokens.size(), 0) {
    std::vector<size_t> open;
    for (size_t i = 0; i < t_.size(); ++i) {
        const char c = punct(i);
        around_[i] = open.empty() ? 0 : open.back();
        if ((c == ')' || c == ']' || c == '}') && !open.empty()) open.pop_back();
        if (c == '(' || c == '[' || c == '{') open.push_back(i);
        if (t_[i].kind == kName)
            by_name_[std::string_view(src_.text).substr(t_[i].begin, t_[i].end - t_[i].begin)]
                .push_back(i);
    }
}

Places::Range Places::of(const std::string &name) const { return of(name, 0, t_.size()); }

Places::Range Places::of(const std::string &name, size_t first, size_t end) const {
    const auto at = by_name_.find(std::string_view(name));
    if (at == by_name_.end()) return {nullptr, nullptr};
    const std::vector<size_t> &all = at->second;
    const auto from = std::lower_bound(all.begin(), all.end(), first);
    const auto to = std::lower_bound(from, all.end(), std::max(first, end));
    return {all.data() + (from - all.begin()), all.data() + (to - all.begin())};
}
