/* How a kernel may be declared.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <set>

#include "cpu_device/translator/refuse/rules.h"

namespace {

const std::set<std::string> kNumberTypes = {"bool",     "char",    "short",    "int",     "long",
                                            "unsigned", "signed",  "float",    "double",  "size_t",
                                            "int32_t",  "int64_t", "uint32_t", "uint64_t"};
/* What may stand before a kernel's name beside its type. */
const std::set<std::string> kSpecifiers = {"__global__", "static",     "inline",
                                           "extern",     "__host__",   "constexpr",
                                           "__device__", "__inline__", "__noinline__"};

} // namespace

void KernelRules::check(const Function &f, Problems *out) const {
    const auto say = [&](const std::string &message) {
        out->push_back({f.name_at, message, false});
    };
    if (f.place == Declarations::kMember && !is(f.name_at - 1, "::"))
        return say(
            "a __global__ function or function template cannot be a member function: declare \"" +
            f.name + "\" outside of the class");
    if (f.device || f.host)
        return say(
            "illegal combination of memory qualifiers: a kernel is __global__ alone, without "
            "__host__ or __device__");
    const size_t open = f.name_at + 1;
    if (punct(open) != '(') return;
    const size_t close = closing(open);
    bool nothing = false, number = false, deduced = false, type = false;
    for (size_t i = after_template(f.head); i < f.name_at; ++i) {
        if (punct(i) == '(') i = closing(i); /* of __launch_bounds__ or an attribute */
        if (punct(i) == '[' || punct(i) == '<') return;
        nothing = nothing || is(i, "void");
        number = number || kNumberTypes.count(text(i)) || punct(i) == '*';
        deduced = deduced || is(i, "auto");
        type = type || (t_[i].kind == kName && !kSpecifiers.count(text(i)) &&
                        text(i).compare(0, 2, "__") != 0);
    }
    if (deduced && !is(close + 1, "->"))
        return say("a __global__ function must not have a deduced return type: write void");
    if (number || (!nothing && !type))
        return say("a __global__ function must have a void return type: give \"" + f.name +
                   "\" a pointer to write its results to");
    check_parameters(f, open, close, out);
}

void KernelRules::check_parameters(const Function &f, size_t open, size_t close,
                                   Problems *out) const {
    for (size_t i = open + 1; i < close; ++i) {
        const char c = punct(i);
        if (is_undefined_type(f, i)) {
            out->push_back({i, "identifier \"" + text(i) + "\" is undefined", false});
            return;
        }
        if (c == '(' || c == '[' || c == '{') {
            i = closing(i);
        } else if (c == '.' && punct(i + 1) == '.' && i + 3 == close &&
                   (punct(i - 1) == ',' || punct(i - 1) == '(')) {
            out->push_back({f.name_at,
                            "a __global__ function cannot have ellipsis: name the parameters "
                            "of \"" +
                                f.name + "\"",
                            false});
        } else if (c == '&' && punct(i + 1) == '&' && !f.templated) {
            out->push_back({f.name_at,
                            "a __global__ function cannot have a parameter with rvalue "
                            "reference type: pass it by value",
                            false});
            return;
        } else if (is(i, "initializer_list") && is(i - 1, "::")) {
            out->push_back({f.name_at,
                            "a __global__ function cannot have a parameter with type "
                            "std::initializer_list: pass a pointer from cudaMalloc",
                            false});
        }
    }
}

/* The name at token i is that of a parameter's type, and neither the program nor any header says
 * it anywhere else than among parameters of kernels. */
bool KernelRules::is_undefined_type(const Function &f, size_t i) const {
    static const std::set<std::string> known = {"const",   "volatile", "void",     "auto",
                                                "wchar_t", "char16_t", "char32_t", "char8_t",
                                                "struct",  "class",    "enum",     "typename"};
    const char after = punct(i + 1), before = punct(i - 1);
    const std::string name = text(i);
    if (t_[i].kind != kName || !(before == '(' || before == ',' || is(i - 1, "const")) ||
        !(after == '*' || after == '&' || t_[i + 1].kind == kName) || name[0] == '_' ||
        name.compare(0, 4, "cuda") == 0 || known.count(name) || kNumberTypes.count(name))
        return false;
    for (size_t j : names_.places().of(name)) {
        if (j < f.name_at || j > closing(f.name_at + 1)) return false;
    }
    return true;
}
