/* What host code may not use of the device's, and which code is whose.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <algorithm>

#include "cpu_device/translator/refuse/library.h"
#include "cpu_device/translator/refuse/sides.h"

namespace {

/* CUDA's own that host functions may not call. */
const std::set<std::string> kDeviceLibrary = {"__syncthreads",
                                              "__syncthreads_count",
                                              "__syncthreads_and",
                                              "__syncthreads_or",
                                              "__syncwarp",
                                              "__threadfence",
                                              "__threadfence_block",
                                              "__threadfence_system",
                                              "__shfl_sync",
                                              "__shfl_up_sync",
                                              "__shfl_down_sync",
                                              "__shfl_xor_sync",
                                              "__ballot_sync",
                                              "__any_sync",
                                              "__all_sync",
                                              "__activemask",
                                              "atomicAdd",
                                              "atomicSub",
                                              "atomicMin",
                                              "atomicMax",
                                              "atomicExch",
                                              "atomicCAS",
                                              "atomicInc",
                                              "atomicDec",
                                              "atomicAnd",
                                              "atomicOr",
                                              "atomicXor"};

} // namespace

Sides::Sides(const Source &src, const Names &names, bool relaxed_constexpr)
    : Tokens(src),
      names_(names),
      declarations_(names.declarations()),
      headers_(src),
      relaxed_constexpr_(relaxed_constexpr) {
    for (size_t i = 1; i + 1 < t_.size(); ++i) {
        if (t_[i].kind != kName) continue;
        uses_std_ = uses_std_ || (!t_[i].system && is(i, "std") && is(i - 1, "namespace") &&
                                  punct(i + 1) == ';');
        if (!t_[i].system && is(i - 1, "using") && is(i, "std") && punct(i + 3) == ';')
            used_of_std_.insert(text(i + 2));
        if (t_[i].system && punct(i + 1) == '(' && file(i).compare(0, 5, "/usr/") != 0)
            kit_calls_.insert(
                std::string_view(src_.text).substr(t_[i].begin, t_[i].end - t_[i].begin));
    }
}

void Sides::check(const Function &f, Problems *out) const {
    if (f.for_device()) {
        check_device(f, out);
        if (compiled_for_host(f)) check_host(f, true, out);
    } else if (!f.on_both) {
        check_host(f, false, out);
    }
}

/* ---- which code is whose ---- */

/* A function of both sides that is in the program, called by the host or not, and that does not
 * ask for __CUDA_ARCH__. */
bool Sides::compiled_for_host(const Function &f) const {
    return f.for_both() && f.place == Declarations::kFree && !f.templated &&
           !has(f.head, f.body, "static") && !is_inline(f) &&
           f.path.find(kUnnamed) == std::string::npos && names_.device_part(f).first == f.body + 1;
}

bool Sides::is_inline(const Function &f) const {
    /* __forceinline__ is CUDA's own macro, so what it stands for lies before the head. */
    for (size_t i = f.head; i-- > 0 && t_[i].system && !strchr(";{}", punct(i) ? punct(i) : ' ');)
        if (is(i, "inline")) return true;
    return has(f.head, f.body, "inline");
}

/* nvcc makes device code of such functions only where the program uses them. */
bool Sides::compiled_for_use_alone(const Function &f) const {
    return !is(f.name_at, "operator") && f.place != Declarations::kLambda &&
           (f.place == Declarations::kMember || f.templated || is_inline(f) ||
            (!f.global &&
             (has(f.head, f.body, "static") || f.path.find(kUnnamed) != std::string::npos)));
}

/* The call at token i may be one of a header's function: C's or CUDA's, or one of std that it sees. */
bool Sides::may_be_of_header(const Function &f, size_t i) const {
    if (is(i - 1, "::")) return false; /* the program's own namespace, or none: see callees */
    const std::string name = text(i);
    size_t open = i + 1;
    if (punct(open) == '<') open = closing_angle(open) + 1;
    const size_t given = count_between(open, closing(open));
    if (headers_.global(name, given)) return true;
    if (!headers_.of_std(name, given)) return false;
    if (f.for_device())
        return uses_std_ && kConstexprOfStd.count(name) != 0; /* else it is the host's, too */
    if (uses_std_ || used_of_std_.count(name)) return true;
    for (size_t j = open + 1; j < closing(open); ++j)
        if (speaks_of_std(j)) return true;
    return false;
}

/* Token i, among a call's arguments, tells of an object of std, of which std's functions are seen. */
bool Sides::speaks_of_std(size_t i) const {
    if (t_[i].kind != kName) return false;
    if (is(i, "std") || is(i, "begin") || is(i, "end")) return true;
    for (size_t j : names_.places().of(text(i))) {
        if (t_[j].system || !names_.declares(j)) continue;
        size_t first = j;
        while (first > 0 && !strchr(";{}(,", punct(first - 1) ? punct(first - 1) : ' '))
            first = punct(first - 1) == '>' && opening_angle(first - 1) ? opening_angle(first - 1)
                                                                        : first - 1;
        for (size_t k = first; k < j; ++k)
            if (is(k, "std") || is(k, "auto")) return true;
    }
    return false;
}

/* ---- host code ---- */

/* What to say where the host reads or writes, by its name, a variable that lies in the device's
 * memory; empty: it does not, or it is not clear. */
std::string Sides::device_variable(const Function &f, size_t i) const {
    const std::string name = text(i);
    const auto variable = declarations_.device_variables().find(name);
    if (t_[i].kind != kName || variable == declarations_.device_variables().end() ||
        variable->second.managed || declarations_.variables().count(name) ||
        names_.is_function(name) || punct(i - 1) == '.' || is(i - 1, "->") || is(i - 1, "::") ||
        names_.unevaluated(i) || names_.declared_in(f, name))
        return "";
    const std::string what = std::string("a ") + variable->second.keyword + " variable \"" + name +
                             "\" cannot be directly ";
    const bool shared = variable->second.keyword == std::string("__shared__");
    if (names_.is_written(i))
        return what + "written in a host function" + (shared ? "" : ": use cudaMemcpyToSymbol");
    const size_t open = names_.places().around(i);
    const bool printed = punct(open) == '(' && (is(open - 1, "printf") || is(open - 1, "fprintf"));
    const bool element = punct(i + 1) == '[' && punct(i - 1) != '&' && punct(open) != '(';
    if ((printed && punct(i - 1) != '&') || element || is(i - 1, "return"))
        return what + "read in a host function" + (shared ? "" : ": use cudaMemcpyFromSymbol");
    return "";
}

/* only_builtins: the function is of both sides. */
void Sides::check_host(const Function &f, bool only_builtins, Problems *out) const {
    std::set<std::string> said;
    for (size_t i = f.body + 1; i < f.body_end; ++i) {
        if (is(i, "__device__") || is(i, "__global__")) { /* a lambda for the device */
            while (i < f.body_end && punct(i) != '{' && punct(i) != ';') ++i;
            if (punct(i) == '{') i = closing(i);
            continue;
        }
        const std::string name = text(i);
        if (t_[i].kind == kName && names_.is_builtin(i) && !names_.unevaluated(i) &&
            said.insert(name).second) {
            out->push_back({i,
                            "identifier \"" + name +
                                "\" is undefined in host code: only kernels and "
                                "__device__ functions run in threads and blocks, and \"" +
                                f.name + "\" is a " + f.kind() + " function",
                            false});
            continue;
        }
        if (only_builtins) continue;
        const std::string touched = device_variable(f, i);
        if (!touched.empty() && said.insert(name).second) out->push_back({i, touched, true});
        if (names_.is_call(i)) check_host_call(f, i, &said, out);
    }
}

/* A call in host code of what is the device's alone. */
void Sides::check_host_call(const Function &f, size_t i, std::set<std::string> *said,
                            Problems *out) const {
    const std::string name = text(i);
    if (kDeviceLibrary.count(name) && !names_.is_function(name) && !names_.declared_in(f, name) &&
        said->insert(name).second) {
        out->push_back({i,
                        "calling a __device__ function(\"" + name +
                            "\") from a __host__ function(\"" + f.name +
                            "\") is not allowed: call it in a kernel",
                        false});
        return;
    }
    const std::vector<const Function *> candidates = names_.callees(i);
    if (candidates.empty() || names_.declares(i)) return;
    const auto all = [&](auto which) {
        return std::all_of(candidates.begin(), candidates.end(),
                           [&](const Function *g) { return which(*g); });
    };
    const bool kernel = all([](const Function &g) { return g.global; });
    const bool device = all([](const Function &g) { return g.device && !g.on_both; });
    if ((!kernel && !device) || may_be_of_header(f, i) || names_.declared_in(f, name) ||
        !said->insert(name).second)
        return;
    const char before = punct(i - 1);
    const bool statement = before == ';' || before == '{' || before == '}' || before == ')' ||
                           before == ':' || is(i - 1, "else") || is(i - 1, "do");
    if (kernel && statement)
        out->push_back({i,
                        "a __global__ function call must be configured: launch it with " + name +
                            "<<<grid, block>>>(...)",
                        false});
    if (device)
        out->push_back(
            {i,
             "calling a __device__ function(\"" + name + "\") from a __host__ function(\"" +
                 f.name +
                 "\") is not allowed: declare it __host__ __device__, or call it in a kernel",
             false});
}
