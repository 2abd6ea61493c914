/* Makes calls of launches.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cpu_device/translator/rewrite/launch_calls.h"

#include <string.h>

#include <set>

namespace {

/* A string literal of the text. */
std::string quoted(const std::string &text) {
    std::string s = "\"";
    for (char c : text) s += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    return s + "\"";
}

} // namespace

bool LaunchCalls::begins(size_t i) const {
    return punct(i) == '<' && punct(i + 1) == '<' && punct(i + 2) == '<' && i > 0 &&
           !is(i - 1, "operator");
}

void LaunchCalls::rewrite(size_t i) {
    Launch l = {};
    if (!read(i, &l) || !check_shape(l) || !check_kernel(l)) return;
    const std::string check = plain_call(l), checked = check.empty() ? "" : "::cpu_device::checked";
    replace(l.first, l.open + 2,
            check +
                (l.named ? "::cpu_device::launch<" + kind(l) + ">(" + checked + runtime_arguments(l)
                         : "::cpu_device::launch_pointer(" + pointer_arguments(l, checked)) +
                ", ::cpu_device::LaunchShape(");
    replace(l.close, l.close + 2, "))");
}

/* ---- reading ---- */

bool LaunchCalls::read(size_t i, Launch *l) {
    l->open = i;
    l->first = callee_start(i);
    if (l->first >= i) return fail(i, "'<<<' without a kernel's name before it"), false;
    if (continues_statement(l->first))
        return fail(l->first - 1, "expected a \";\" at the end of this line"), false;
    l->close = configuration_end(i);
    if (!l->close) return fail(i, "'<<<' without '>>>'"), false;
    l->arguments = l->close + 3;
    size_t last = i - 1, first = l->first;
    while (punct(first) == '(' && closing(first) == last && last > first + 1)
        ++first, --last; /* (kernel) */
    l->base = punct(last) == '>' ? opening_angle(last) - 1 : last;
    l->named = names_kernel(first, l->base);
    return true;
}

/* Tokens [first, base] are a name, and one of the program's functions bears it. All else is an
 * expression, of which only the running program knows what it launches. */
bool LaunchCalls::names_kernel(size_t first, size_t base) const {
    for (size_t j = first; j <= base; ++j) {
        if (punct(j) == '<' && closing_angle(j)) j = closing_angle(j);
        else if (t_[j].kind != kName && !is(j, "::")) return false;
    }
    const std::string name = text(base);
    if (!known_.names.is_function(name) && known_.device.kernels_named(name) == 0) return false;
    return first != base || !known_.names.sees_variable(base);
}

/* The first token of the expression that names the kernel and ends before token `i`. */
size_t LaunchCalls::callee_start(size_t i) const {
    static const std::set<std::string> before = {"return", "else", "do",     "if",
                                                 "while",  "for",  "switch", "case"};
    size_t at = i - 1;
    for (;;) {
        if (punct(at) == '>' && !is(at, "->")) {
            const size_t open = opening_angle(at);
            if (!open) return i;
            at = open - 1;
            continue;
        }
        if (punct(at) == ')' || punct(at) == ']') {
            const bool subscript = punct(at) == ']';
            at = opening(at);
            const bool called =
                at > 0 &&
                (t_[at - 1].kind == kName || punct(at - 1) == ')' || punct(at - 1) == ']' ||
                 (punct(at - 1) == '>' && !is(at - 1, "->") && opening_angle(at - 1)));
            if (!(subscript || called) || before.count(text(at - 1)) || ends_head(at - 1))
                return at;
            --at;
            continue;
        }
        if (t_[at].kind != kName) return i;
        if (at > 0 && (is(at - 1, "::") || is(at - 1, ".") || is(at - 1, "->"))) {
            const bool scope = is(at - 1, "::");
            if (at < 2 || (scope && t_[at - 2].kind != kName && punct(at - 2) != '>'))
                return at - 1;
            if (scope && is(at - 2, "return")) return at - 1;
            at -= 2;
            continue;
        }
        return at;
    }
}

/* Token i is the ) of if (...), for (...) or while (...), which a statement follows, or of a cast. */
bool LaunchCalls::ends_head(size_t i) const {
    const size_t open = opening(i);
    if (punct(i) != ')' || open == 0) return false;
    static const std::set<std::string> heads = {"if", "for", "while", "switch", "constexpr"};
    if (heads.count(text(open - 1))) return true;
    if (t_[open - 1].kind == kName || (punct(open - 1) && strchr(")]>", punct(open - 1))))
        return false; /* a call */
    if (t_[open + 1].kind != kName && !is(open + 1, "::")) return false;
    for (size_t j = open + 1; j < i; ++j)
        if (t_[j].kind == kPunct && !strchr("*&<>:,", punct(j))) return false;
    return true;
}

/* Before token i, on another line, stands what needs a semicolon. */
bool LaunchCalls::continues_statement(size_t i) const {
    static const std::set<std::string> before = {"else", "do", "return"};
    const Token &t = t_[i - 1];
    return t.line != t_[i].line && t.file == t_[i].file &&
           (t.kind == kNumber || t.kind == kText || (punct(i - 1) == ']' && punct(i - 2) != ']') ||
            (t.kind == kName && !before.count(text(i - 1))));
}

/* The >>> of the <<< at token i: the last three of the first run of '>' outside brackets; 0: none. */
size_t LaunchCalls::configuration_end(size_t i) const {
    size_t close = i + 3;
    for (; close + 1 < t_.size(); ++close) {
        const char c = punct(close);
        if (c == '(' || c == '[' || c == '{') close = closing(close);
        if (c == ';' || c == '}') return 0;
        if (c == '>' && punct(close + 1) == '>' && punct(close + 2) == '>' &&
            punct(close + 3) != '>')
            break;
    }
    return close;
}

/* How many expressions stand between two tokens. */
size_t LaunchCalls::arguments_between(size_t first, size_t last) const {
    size_t n = last > first + 1;
    for (size_t j = first + 1; j < last; ++j) {
        const char c = punct(j);
        if (c == '(' || c == '[' || c == '{') j = closing(j);
        n += c == ',';
    }
    return n;
}

/* ---- what nvcc refuses, or is not supported ---- */

bool LaunchCalls::check_shape(const Launch &l) {
    const size_t i = l.open, shape = arguments_between(i + 2, l.close);
    if (shape == 0)
        return fail(i, "a launch needs a grid and a block: kernel<<<grid, block>>>(...)"), false;
    if (shape > 4)
        return fail(
                   i,
                   "too many arguments between <<< and >>>: grid, block, bytes of shared memory, stream"),
               false;
    if (shape == 1)
        warn(i, "this launch has one thread a block: write kernel<<<grid, block>>>(...)");
    if (l.arguments >= t_.size() || punct(l.arguments) != '(')
        return fail(i, "a launch needs its arguments in parentheses after '>>>'"), false;
    if (known_.device.function_around(i))
        return fail(
                   i,
                   "a launch inside a kernel (dynamic parallelism) is not supported on the CPU device: see "
                   "docs/cpu_device.md, \"What is supported\""),
               false;
    return true;
}

bool LaunchCalls::check_kernel(const Launch &l) {
    if (l.base != l.first) return true;
    std::string problem = rules_.launch_problem(l.base);
    if (problem.empty()) problem = rules_.argument_problem(l.base, l.arguments);
    if (!problem.empty()) return fail(l.base, problem), false;
    const size_t lambda = rules_.host_lambda(l.base, l.arguments);
    if (lambda)
        fail(
            lambda,
            "the closure type of a lambda of the host's cannot be used in the template argument type "
            "of a __global__ function: mark it __device__, as in [=] __device__ (...) {...}");
    return !lambda;
}

/* ---- writing ---- */

/* The launch as a call that is never made, so that the compiler judges the arguments as it does
 * those of functions: in its own words, in the program's own line. Empty where arguments cannot
 * stand twice (lambdas), or no statement begins. Warnings are left to the launch itself. */
std::string LaunchCalls::plain_call(const Launch &l) const {
    const char before = punct(l.first - 1);
    const bool statement =
        (before && strchr(";{})", before)) || is(l.first - 1, "else") || is(l.first - 1, "do");
    const size_t open = l.arguments, close = closing(open);
    for (size_t j = open; j < close; ++j)
        if (punct(j) == '{' ||
            (punct(j) == '[' && t_[j - 1].kind == kPunct && !strchr(")]", punct(j - 1))))
            return "";
    if (!statement || close + 1 >= t_.size()) return "";
    const auto marker = [&](size_t j, const char *flags) {
        return line_mark(j, t_[j].begin, flags);
    };
    const auto source = [&](size_t from, size_t to) {
        return src_.text.substr(t_[from].begin, t_[to].end - t_[from].begin);
    };
    return marker(l.first, " 3") + "(false ? (void)" + marker(l.first, " 3") +
           source(l.first, l.open - 1) + marker(open, " 3") + source(open, close) + " : (void)0)," +
           marker(l.first, "");
}

/* How the kernel's threads run. */
std::string LaunchCalls::kind(const Launch &l) const {
    switch (known_.phases.form(text(l.base))) {
    case Phases::kNeverWaits: return "::cpu_device::kNeverWaits";
    case Phases::kCut: return "::cpu_device::kWholeBlock";
    default: return "::cpu_device::kMayWait";
    }
}

/* The first arguments of the runtime's launch: the kernel as a function of its arguments, what
 * tells its parameters' types, what tells its address, and where the launch stands.
 *
 * Of a kernel with a parameter pack, a name tells nothing before the arguments are there. */
std::string LaunchCalls::runtime_arguments(const Launch &l) const {
    const std::string kernel = text(l.first, l.open - 1);
    const bool variadic = known_.device.is_variadic(text(l.base));
    const auto probe = [](const std::string &call) {
        return "[&](auto cu_p) -> decltype(" + call + ") { return " + call + "; }";
    };
    const std::string sign = variadic ? "0" : probe("cu_p(" + kernel + ")");
    const std::string tag = variadic ? "0" : probe("cu_p.template symbol<(" + kernel + ")>()");
    return "([=](const auto &...cu_a) { " + kernel + "(cu_a...); }), " + sign + ", " + tag + ", " +
           place(l);
}

/* The same where an expression gives the kernel: its value, which must be a pointer to a function,
 * and what judges the arguments in this line. */
std::string LaunchCalls::pointer_arguments(const Launch &l, const std::string &checked) const {
    const std::string mark = line_mark(l.first, t_[l.first].begin);
    return "[](auto cu_k) { static_assert(" + mark +
           "::cpu_device::kMayBeKernel<decltype(cu_k)>, \"a host "
           "function call cannot be configured: <<<...>>> launches __global__ functions\"); return cu_k; }(" +
           mark + src_.text.substr(t_[l.first].begin, t_[l.open - 1].end - t_[l.first].begin) +
           "), " + checked + "([](auto cu_k, const auto &...cu_a) { cu_k(cu_a...); }), " + place(l);
}

std::string LaunchCalls::place(const Launch &l) const {
    return "::cpu_device::LaunchPlace{" + quoted(text(l.first, l.open - 1)) + ", \"" +
           file(l.open) + "\", " + std::to_string(t_[l.open].line) + ", nullptr}";
}
