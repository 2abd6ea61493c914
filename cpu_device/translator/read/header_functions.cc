/* See header_functions.h. Only what stands in namespaces is looked at, and no function's body.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cpu_device/translator/read/header_functions.h"

HeaderFunctions::HeaderFunctions(const Source &src) : Tokens(src) {
    scan(0, t_.size() - 1, &global_);
}

void HeaderFunctions::scan(size_t from, size_t to, Functions *into) {
    for (size_t i = from; i < to;) {
        const char c = punct(i);
        if (is(i, "namespace")) {
            i = enter_namespace(i, into);
        } else if (is(i, "extern") && t_[i + 1].kind == kText && punct(i + 2) == '{') {
            scan(i + 3, closing(i + 2), into);
            i = closing(i + 2) + 1;
        } else if (t_[i].system && is(i, "using") &&
                   !is(i + 1, "namespace")) { /* using std::abs; */
            size_t end = i;
            while (end < to && punct(end) != ';' && punct(end) != '=') ++end;
            if (punct(end) == ';') (*into)[text(end - 1)] = ~(uint64_t)0;
            i = end + 1;
        } else if (c == '{' || c == '[' || (c == '(' && t_[i - (i > 0)].kind != kName)) {
            i = closing(i) + 1;
        } else if (c == '(') {
            if (t_[i].system) (*into)[text(i - 1)] |= arities(i);
            i = closing(i) + 1;
        } else {
            ++i;
        }
    }
}

/* Reads what stands in the namespace at token i; returns the token behind it. An inline one's
 * names are those of the one around it. */
size_t HeaderFunctions::enter_namespace(size_t i, Functions *into) {
    size_t open = i + 1;
    while (punct(open) != '{' && punct(open) != ';' && punct(open) != '=' && open + 1 < t_.size())
        open = punct(open) == '(' || punct(open) == '[' ? closing(open) + 1 : open + 1;
    if (punct(open) != '{') return open + 1;
    Functions *inside = &elsewhere_;
    if ((i > 0 && is(i - 1, "inline")) || !t_[i].system) inside = into;
    else if (into == &global_ && is(i + 1, "std") && !is(i + 2, "::")) inside = &std_;
    else if (into == &global_ && is(i + 1, "cooperative_groups"))
        inside = &global_; /* by `using`, or its groups */
    scan(open + 1, closing(open), inside);
    return closing(open) + 1;
}

/* With how many arguments the function can be called whose parameters token `open` opens. */
uint64_t HeaderFunctions::arities(size_t open) const {
    const size_t close = closing(open);
    if (close == open + 2 && is(open + 1, "void")) return 1;
    const size_t most = count_between(open, close);
    size_t defaults = 0;
    for (size_t i = open + 1; i < close; ++i) {
        const char c = punct(i);
        defaults += c == '=';
        if (c == '.') return ~(uint64_t)0; /* a parameter pack, or ellipsis */
        if (c == '(' || c == '[' || c == '{') i = closing(i);
    }
    uint64_t bits = 0;
    for (size_t n = most > defaults ? most - defaults : 0; n <= most && n < 64; ++n)
        bits |= (uint64_t)1 << n;
    return bits;
}

bool HeaderFunctions::takes(const Functions &functions, const std::string &name, size_t arguments) {
    const auto at = functions.find(name);
    return at != functions.end() && arguments < 64 && at->second >> arguments & 1;
}
