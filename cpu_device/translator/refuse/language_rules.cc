/* What may stand in device code, and which side may write what.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cpu_device/translator/refuse/rules.h"

void LanguageRules::check(const Function &f, Problems *out) const {
    if (f.for_device()) check_device(f, out);
    check_constant_memory(f, out);
}

/* ---- device code ---- */

void LanguageRules::check_device(const Function &f, Problems *out) const {
    if (f.templated && names_.uses_of(f.name) < 2) return; /* never compiled */
    const Names::Part part = names_.device_part(f);
    for (size_t i = part.first; i < part.end; ++i) {
        if (t_[i].kind != kName) continue;
        const auto say = [&](const std::string &message) { out->push_back({i, message, false}); };
        if ((is(i, "try") && punct(i + 1) == '{') || (is(i, "throw") && punct(i + 1) != '('))
            say("device code does not support exception handling: write what went wrong to memory that "
                "the host reads, or use assert()");
        else if (is(i, "dynamic_cast") || is(i, "typeid"))
            say("the operator '" + text(i) + "' is not allowed in device code");
        else if (is(i, "thread_local"))
            say("cannot use thread_local specifier for variable declarations in device code: the "
                "variables of a kernel are each thread's own");
        else if (punct(i + 1) == '[' && declares_array(f, i)) check_array_length(f, i, out);
    }
}

/* A statement that begins with the array's type: `unsigned int *name[...`. */
bool LanguageRules::declares_array(const Function &f, size_t i) const {
    /* On two lines, it is rather a ; that is missing in between. */
    if (t_[i - 1].line != t_[i].line || !names_.declares(i) ||
        !opens_block(f, names_.places().around(i)))
        return false;
    size_t j = i - 1;
    for (; t_[j].kind == kName || punct(j) == '*' || is(j, "::") || punct(j) == '>'; --j)
        if (punct(j) == '>' && (j = opening_angle(j)) == 0) return false;
    return strchr(";{}", punct(j) ? punct(j) : ' ') != nullptr;
}

/* Token i is the { of statements, and not of values. */
bool LanguageRules::opens_block(const Function &f, size_t i) const {
    if (punct(i) != '{' || i < f.body) return false;
    if (i == f.body || is(i - 1, "else") || is(i - 1, "do")) return true;
    const char before = punct(i - 1);
    if (before == '{') return opens_block(f, i - 1);
    return before == ')' || before == ';' || before == '}';
}

/* i: the name of an array that is declared there. */
void LanguageRules::check_array_length(const Function &f, size_t i, Problems *out) const {
    for (size_t open = i + 1; punct(open) == '['; open = closing(open) + 1) {
        const std::string name = runtime_name(f, open + 1, closing(open));
        if (name.empty()) continue;
        bool shared = false;
        for (size_t j = i; j > f.body && !strchr(";{}", punct(j) ? punct(j) : ' '); --j)
            shared = shared || is(j, "__shared__");
        const std::string depends =
            ": the length of \"" + text(i) + "\" depends on \"" + name + "\". ";
        out->push_back(
            {i,
             (shared ? "a variable length array cannot have static storage duration" + depends +
                           "Declare extern __shared__ " +
                           "...[], and give its size in bytes as the "
                           "launch's third argument"
                     : "expression must have a constant value" + depends +
                           "An array in device code needs a constant, or a template parameter"),
             false});
        return;
    }
}

/* Among tokens [first, end) one that names a value which is known only when the kernel runs;
 * empty: there is none. */
std::string LanguageRules::runtime_name(const Function &f, size_t first, size_t end) const {
    for (size_t i = first; i < end; ++i) {
        if (t_[i].kind != kName) continue;
        if (is(i, "sizeof") || is(i, "decltype")) {
            if (punct(i + 1) == '(') i = closing(i + 1);
            continue;
        }
        if (names_.is_builtin(i)) return text(i);
        if (punct(i - 1) == '.' || is(i - 1, "->") || is(i - 1, "::") || is(i + 1, "::")) continue;
        size_t declared = 0;
        for (size_t j : names_.places().of(text(i), f.name_at + 1, first))
            if (names_.declares(j) && names_.scope_end(j) >= i) declared = j;
        if (!declared) continue;
        if (punct(names_.places().around(declared)) == '(')
            return text(i); /* a parameter, or for's */
        size_t begin = declared;
        while (begin > f.name_at && !strchr(";{}(,<", punct(begin - 1) ? punct(begin - 1) : ' '))
            --begin;
        bool constant = punct(begin - 1) == '<' || punct(begin - 1) == ','; /* a list: unclear */
        for (size_t j = begin; j < declared; ++j)
            constant =
                constant || is(j, "const") || is(j, "constexpr") || is(j, "auto") || is(j, "enum");
        if (!constant) return text(i);
    }
    return "";
}

/* ---- memory ---- */

void LanguageRules::check_constant_memory(const Function &f, Problems *out) const {
    for (size_t i = f.body + 1; i < f.body_end; ++i) {
        if (t_[i].kind != kName || punct(i - 1) == '.' || is(i - 1, "->") || is(i - 1, "::"))
            continue;
        const auto variable = declarations_.device_variables().find(text(i));
        if (variable == declarations_.device_variables().end() ||
            !variable->second.constant_memory || !names_.is_written(i) ||
            declarations_.variables().count(text(i)) || names_.declared_in(f, text(i)))
            continue;
        const bool device = f.for_device();
        const std::string instead =
            ": the host writes __constant__ variables, with cudaMemcpyToSymbol";
        if (variable->second.number)
            out->push_back({i,
                            "expression must be a modifiable lvalue: \"" + text(i) +
                                "\" is a __constant__ variable" + instead,
                            false});
        else if (device)
            out->push_back({i,
                            "cannot store to memory of the __constant__ variable \"" + text(i) +
                                "\" in device code" + instead,
                            true});
    }
}

void LanguageRules::check_shared_on_host(Problems *out) const {
    for (size_t i = 1; i + 1 < t_.size(); ++i) {
        if (t_[i].system || !is(i, "__shared__")) continue;
        const Function *f = names_.innermost_function(i);
        if (!f || f->constant || f->global || (f->device && !f->host)) continue;
        if (f->on_both && !f->for_both()) continue; /* a class's, of a side that is not said here */
        const Names::Part part = names_.device_part(*f);
        if (f->for_both() && part.first != f->body + 1 && part.first <= i && i < part.end) continue;
        bool external = is(i + 1, "extern"), for_device = false;
        for (size_t j = i; j > f->body; --j) {
            const char c = punct(j);
            if (c == ';' || c == '{' || c == '}') break;
            external = external || is(j, "extern");
        }
        for (size_t j = f->body; j < i; ++j) for_device = for_device || is(j, "__device__");
        if (!external && !for_device)
            out->push_back(
                {i,
                 "a static \"__shared__\" variable declaration is not allowed inside a host "
                 "function body: only __global__ and __device__ functions have shared "
                 "memory",
                 false});
    }
}
