/* What may be launched.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cpu_device/translator/refuse/launch_rules.h"

std::string LaunchRules::launch_problem(size_t token) const {
    const std::string name = text(token);
    const std::vector<size_t> &known = declarations_.named(name);
    if (known.empty()) {
        for (size_t i : names_.places().of(name))
            if (!(punct(i + 1) == '<' && punct(i + 2) == '<')) return "";
        return "identifier \"" + name +
               "\" is undefined: no kernel of this name is declared before";
    }
    for (size_t n : known)
        if (declarations_.functions()[n].global || declarations_.functions()[n].on_both) return "";
    if (names_.declared_as_variable(name)) return "";
    return std::string("a host function call cannot be configured: ") + name + " is a " +
           declarations_.functions()[known.front()].kind() +
           " function, and <<<...>>> launches __global__ ones";
}

/* With how few and how many arguments a function can be called. */
std::pair<size_t, size_t> LaunchRules::arity(const Declarations::Function &f) const {
    const size_t open = f.name_at + 1;
    if (punct(open) != '(') return {0, SIZE_MAX};
    const size_t close = closing(open);
    if (close == open + 2 && is(open + 1, "void")) return {0, 0};
    size_t most = count_between(open, close), defaults = 0;
    for (size_t i = open + 1; i < close; ++i) {
        const char c = punct(i);
        defaults += c == '=';
        if (c == '.') return {0, SIZE_MAX}; /* a parameter pack, or ellipsis */
        if (c == '(' || c == '[' || c == '{') i = closing(i);
    }
    return {most - defaults, most};
}

std::string LaunchRules::argument_problem(size_t token, size_t open) const {
    const std::vector<size_t> &known = declarations_.named(text(token));
    const size_t close = closing(open);
    if (known.empty() || names_.declared_as_variable(text(token))) return "";
    for (size_t i = open; i < close; ++i)
        if (punct(i) == '<' || punct(i) == '[') return ""; /* less, or a template's; a lambda */
    const size_t given = count_between(open, close);
    bool more = false, fewer = false;
    std::pair<size_t, size_t> takes;
    for (size_t n : known) {
        if (!declarations_.functions()[n].global) return "";
        takes = arity(declarations_.functions()[n]);
        if (takes.first <= given && given <= takes.second) return "";
        more = more || given > takes.second;
        fewer = fewer || given < takes.first;
    }
    if (more && fewer)
        return "no instance of overloaded function \"" + text(token) + "\" takes " +
               std::to_string(given) + (given == 1 ? " argument" : " arguments");
    const size_t wanted = more ? takes.second : takes.first;
    return std::string(more ? "too many" : "too few") + " arguments in function call: kernel \"" +
           text(token) + "\" takes " + std::to_string(wanted) + ", and " + std::to_string(given) +
           (given == 1 ? " is given" : " are given");
}

size_t LaunchRules::host_lambda(size_t token, size_t open) const {
    const std::vector<size_t> &known = declarations_.named(text(token));
    if (known.empty()) return 0;
    for (size_t n : known)
        if (!declarations_.functions()[n].global || !declarations_.functions()[n].templated)
            return 0;
    for (size_t i = open + 1; i < closing(open); ++i) {
        if (punct(i) == '[' && (punct(i - 1) == '(' || punct(i - 1) == ',')) {
            size_t body = closing(i) + 1;
            const bool marked = is(body, "__device__") || is(body, "__host__");
            while (body < closing(open) && punct(body) != '{')
                body = punct(body) == '(' ? closing(body) + 1 : body + 1;
            const char after = punct(closing(body) + 1); /* ( where it is called at once */
            if (!marked && (after == ',' || after == ')')) return i;
        }
        if (punct(i) == '(' || punct(i) == '[' || punct(i) == '{') i = closing(i);
    }
    return 0;
}
