/* What device code may not use of the host's.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>

#include <algorithm>

#include "cpu_device/translator/refuse/library.h"
#include "cpu_device/translator/refuse/sides.h"

namespace {

const char *const kNotRelaxed =
    " is not allowed: declare it __host__ __device__. nvcc's flag --expt-relaxed-constexpr allows it";

} // namespace

void Sides::check_device(const Function &f, Problems *out) const {
    if (compiled_for_use_alone(f) && names_.uses_of(f.name) < 2) return;
    std::set<std::string> said;
    check_host_parameters(f, out);
    const Names::Part part = names_.device_part(f);
    for (size_t i = part.first; i < part.end; ++i) {
        if (t_[i].kind != kName || is(i + 1, "::")) continue;
        const bool of_object = punct(i - 1) == '.' || is(i - 1, "->");
        bool warning = f.for_both();
        std::string message = of_object ? host_method(f, i) : of_library(f, i);
        if (message.empty() && !of_object) message = host_constructor(f, i);
        if (message.empty() && !of_object && is(i - 1, "::")) {
            message = host_call(f, i, &warning);
        } else if (message.empty() && !of_object) {
            message = host_variable(f, i);
            const bool emitted =
                f.place == Declarations::kFree && !f.templated && !has(f.head, f.body, "static");
            if (!message.empty()) warning = warning && !emitted;
            else message = host_call(f, i, &warning);
        }
        if (!message.empty() && said.insert(text(i)).second) out->push_back({i, message, warning});
    }
}

/* The value of token i is needed when the program is compiled: in template arguments, lengths,
 * after constexpr. A value of the host's may be used so. */
bool Sides::constant_expression(const Function &f, size_t i) const {
    for (size_t j = i; j > f.body && punct(j) != ';' && punct(j) != '{' && punct(j) != '}'; --j)
        if (is(j, "constexpr") || is(j, "static_assert") || is(j, "case") || is(j, "enum"))
            return true;
    for (size_t j = i; j-- > f.body && punct(j) != ';' && punct(j) != '{';)
        if (punct(j) == '<' && closing_angle(j) > i) return true;
    const size_t open = names_.places().around(i);
    return punct(open) == '[' && names_.declares(open - 1);
}

/* &name, as an operand by itself. */
bool Sides::address_taken(size_t i) const {
    const char before = punct(i - 2);
    return punct(i - 1) == '&' && !names_.declares(i) && before != '&' &&
           (is(i - 2, "return") || (before && strchr("(,=;{}?:", before)));
}

/* Why device code may not use the variable that token i may name; empty: it may. */
std::string Sides::host_variable(const Function &f, size_t i) const {
    const std::string name = text(i);
    const auto variable = declarations_.variables().find(name);
    if (variable == declarations_.variables().end() ||
        declarations_.device_variables().count(name) || names_.is_function(name) ||
        names_.unevaluated(i) || names_.declared_in(f, name))
        return "";
    const auto all = [&](auto which) {
        return std::all_of(variable->second.begin(), variable->second.end(),
                           [&](const Declarations::Variable &v) {
                               return which(v) && f.path.compare(0, v.path.size(), v.path) == 0;
                           });
    };
    const std::string undefined = "identifier \"" + name + "\" is undefined in device code: ";
    if (all([](const Declarations::Variable &v) { return !v.constant; }))
        return undefined +
               "it is a variable of the host's. Pass it to the kernel as an argument, or "
               "make it a __device__ or __constant__ variable";
    if (all([](const Declarations::Variable &v) { return v.constant && v.array; }) &&
        !constant_expression(f, i))
        return undefined +
               "a constexpr array lies in the host's memory. Make it a __constant__ "
               "variable, or declare it in the function";
    if (all([](const Declarations::Variable &v) { return v.constant; }) && address_taken(i) &&
        !constant_expression(f, i))
        return undefined +
               "device code may use the value of the host's constant, and not its "
               "address. Make it a __constant__ variable, or copy it to one of the function's";
    return "";
}

/* Why device code may not call what token i names; empty: it may, or it is no call. */
std::string Sides::host_call(const Function &f, size_t i, bool *warning) const {
    if (!names_.is_call(i)) return "";
    const std::string name = text(i);
    const std::string where = std::string(" a ") + f.kind() + " function(\"" + f.name + "\")";
    if (!names_.is_function(name)) {
        if (name.size() > 5 && name.compare(0, 4, "cuda") == 0 && isupper((unsigned char)name[4]) &&
            !f.for_both())
            return name +
                   " in device code (dynamic parallelism) is not supported on the CPU device: see "
                   "docs/cpu_device.md, \"What is supported\"";
        return "";
    }
    const bool qualified = is(i - 1, "::");
    const std::vector<const Function *> candidates = names_.callees(i);
    if (candidates.empty() || may_be_of_header(f, i) || names_.declared_in(f, name)) return "";
    const auto all = [&](auto which) {
        return std::all_of(candidates.begin(), candidates.end(),
                           [&](const Function *g) { return which(*g); });
    };
    if (all([](const Function &g) { return g.global; }) && !f.for_both() && !names_.declares(i))
        return "a __global__ function call must be configured, and a kernel cannot be called in device "
               "code: make \"" +
               name + "\" a __device__ function";
    if (all([&](const Function &g) {
            return !g.for_device() && !g.on_both &&
                   (qualified || f.path.compare(0, g.path.size(), g.path) == 0);
        }))
        return "calling a __host__ function(\"" + name + "\") from" + where +
               " is not allowed: declare it __device__, or __host__ __device__";
    if (!relaxed_constexpr_ && all([&](const Function &g) {
            return !g.for_device() && g.constant &&
                   (qualified || f.path.compare(0, g.path.size(), g.path) == 0);
        }))
        return "calling a constexpr __host__ function(\"" + name + "\") from" + where + kNotRelaxed;
    *warning = false;
    return "";
}

/* The same for x.name(...), and for `Class x;`, where all such names of the program are the
 * host's. */
std::string Sides::host_method(const Function &f, size_t i) const {
    if (f.for_both() || punct(i + 1) != '(') return "";
    const std::string name = text(i);
    bool known = false, constant = true;
    for (const Function &m : declarations_.members()) {
        if (m.name != name) continue;
        if (m.for_device() || (m.on_both && (!m.constant || relaxed_constexpr_))) return "";
        known = true;
        constant = constant && m.constant;
    }
    if (!known || kit_calls_.count(std::string_view(name)) || names_.declared_as_variable(name))
        return "";
    for (const Function &g : declarations_.functions())
        if (g.name == name && (g.for_device() || g.constant)) return "";
    if (constant)
        return "calling a constexpr __host__ function(\"" + name + "\") from a " + f.kind() +
               " function(\"" + f.name + "\")" + kNotRelaxed;
    return "calling a __host__ function(\"" + name + "\") from a " + f.kind() + " function(\"" +
           f.name + "\") is not allowed: declare the method __device__, or __host__ __device__";
}

/* The same for `Class x;`, where the class can only be made by a constructor of the host's. */
std::string Sides::host_constructor(const Function &f, size_t i) const {
    const bool made = t_[i + 1].kind == kName && punct(i + 2) == ';' && t_[i - 1].kind == kPunct &&
                      strchr(";{}", punct(i - 1));
    if (!made || f.for_both()) return "";
    const std::string name = text(i), path = name + "::";
    bool known = false;
    for (const Function &m : declarations_.members()) {
        const size_t n = m.path.size();
        if (m.name != name || n < path.size() ||
            m.path.compare(n - path.size(), path.size(), path) != 0 || is(m.name_at - 1, "~"))
            continue;
        if (m.for_device() || m.on_both) return "";
        known = true;
    }
    if (!known) return "";
    return "calling a __host__ function(\"" + path + name + "\") from a " + f.kind() +
           " function(\"" + f.name +
           "\") is not allowed: declare the constructor __device__, or __host__ __device__";
}

/* Parameters that are the host library's objects may be passed, and not used. */
void Sides::check_host_parameters(const Function &f, Problems *out) const {
    for (size_t i = f.head; i + 4 < f.body; ++i) {
        if (!is(i, "std") || !is(i + 1, "::") || kHostClasses.count(text(i + 2)) == 0) continue;
        const auto &type = *kHostClasses.find(text(i + 2));
        size_t name = i + 3;
        if (punct(name) == '<' && closing_angle(name)) name = closing_angle(name) + 1;
        if (punct(name) == '&') ++name;
        if (t_[name].kind != kName || !names_.declares(name)) continue;
        for (size_t use = f.body + 1; use < f.body_end; ++use) {
            if (!is(use, text(name).c_str()) || (punct(use + 1) != '[' && punct(use + 1) != '.') ||
                punct(use - 1) == '.' || is(use - 1, "->"))
                continue;
            out->push_back({use,
                            "calling a __host__ function of std::" + type.first + " from a " +
                                f.kind() + " function(\"" + f.name + "\") is not allowed" +
                                type.second,
                            f.for_both()});
            break;
        }
    }
}

/* What device code may not use of the C and C++ libraries. */
std::string Sides::of_library(const Function &f, size_t i) const {
    const std::string name = text(i);
    const std::string where = std::string(" a ") + f.kind() + " function(\"" + f.name + "\")";
    const bool of_std = is(i - 1, "::") && is(i - 2, "std") && !is(i - 3, "::");
    const bool global =
        !is(i - 1, "::") || (!of_std && t_[i - 2].kind != kName && punct(i - 2) != '>');
    if (of_std ||
        (global && uses_std_ && kUsedUnqualified.count(name) && !names_.declared_in(f, name) &&
         !names_.is_function(name) && !declarations_.variables().count(name) &&
         !declarations_.is_in_class(name) && !names_.is_type(name))) {
        /* std::vector<int> *p says no more than a type. */
        const size_t close = punct(i + 1) == '<' ? closing_angle(i + 1) : 0;
        const bool pointer = close && (punct(close + 1) == '*' || punct(close + 1) == '&');
        const auto type = kHostClasses.find(name);
        if (type != kHostClasses.end() && !pointer)
            return "std::" + name + " is the host's: it cannot be used in" + where + type->second;
        const auto computed = kConstexprOfStd.find(name);
        if (computed != kConstexprOfStd.end() && !relaxed_constexpr_ && !pointer &&
            (punct(i + 1) == '(' || punct(i + 1) == '<') && !names_.unevaluated(i))
            return "calling a constexpr __host__ function(\"std::" + name + "\") from" + where +
                   " is not allowed: " + computed->second +
                   ". nvcc's flag --expt-relaxed-constexpr allows it";
        const auto called = kFunctionsOfStd.find(name);
        if (called != kFunctionsOfStd.end() && !relaxed_constexpr_ &&
            (punct(i + 1) == '(' || punct(i + 1) == '<'))
            return "calling a __host__ function(\"std::" + name + "\") from" + where +
                   " is not allowed" + called->second;
    }
    const auto c = kHostLibrary.find(name);
    if (c == kHostLibrary.end() || !(of_std || global) || names_.is_function(name) ||
        punct(i + 1) != '(' || names_.unevaluated(i) || (!of_std && names_.declared_in(f, name)))
        return "";
    return "calling a __host__ function(\"" + name + "\") from" + where + " is not allowed" +
           c->second;
}
