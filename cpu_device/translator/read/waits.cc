/* Finds device functions that never wait, by their calls and loops.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cpu_device/translator/read/waits.h"

#include <set>

#include "cpu_device/translator/read/vocabulary.h"

void Waits::read() {
    for (const DeviceFunction &f : device_.functions())
        if (f.name != "operator") add(f.name, f.begin, f.body, f.body_end, f.begin);
    for (const auto &lambda : device_.lambdas())
        add("", lambda.first, lambda.first, lambda.second, function_around(lambda.first));
    find_unnamed();
    while (propagate()) continue;
}

void Waits::add(const std::string &name, size_t begin, size_t body, size_t body_end, size_t scope) {
    Function f = {name, begin, body, body_end, scope, {0, ""}, false, false, {}, {}};
    read_body(&f);
    if (!name.empty()) by_name_[name].push_back(functions_.size());
    functions_.push_back(f);
}

/* ---- one function ---- */

void Waits::read_body(Function *f) const {
    static const std::set<std::string> marks = {"volatile", "__ldcv", "asm", "__asm__", "__asm"};
    const auto note = [&](size_t i, const std::string &what) {
        if (!f->reason.token) f->reason = {i, what};
    };
    for (size_t i = f->begin; i < f->body_end; ++i) {
        if (t_[i].kind != kName) continue;
        const std::string name = text(i);
        f->loops = f->loops || name == "while" || name == "for" || name == "goto";
        if (marks.count(name) || volatile_names_.holds(name))
            note(i, "'" + name + "', by which threads may wait for each other");
        if (i <= f->body) continue;
        size_t next = i + 1;
        if (punct(next) == '<' && closing_angle(next)) next = closing_angle(next) + 1;
        if (punct(next) == '(') read_call(i, f);
    }
}

/* A name with parentheses behind it, or template arguments and parentheses. */
void Waits::read_call(size_t i, Function *f) const {
    const auto note = [&](const std::string &what) {
        if (!f->reason.token) f->reason = {i, what};
    };
    const std::string name = text(i);
    const bool method = punct(i - 1) == '.' || is(i - 1, "->");
    if (declares_variable(i)) return;
    const bool qualified = is(i - 1, "::");
    if (method && (vocabulary::waits_as_method(name) || name == "operator"))
        note("the call of '" + name + "()', which may wait");
    if (!method && (name == "sync" || name == "wait"))
        note("the call of '" + name + "()', which waits");
    size_t after = 0;
    std::string type;
    if (device_.is_device_function(name)) {
        f->calls.emplace_back(name, i);
    } else if (method) {
        if (!vocabulary::tells_of_group(name) && !vocabulary::waits_as_method(name))
            note("the call of the method '" + name + "()', which is not known");
    } else if (is_object(i, *f)) {
        f->objects.push_back(i);
    } else if (vocabulary::is_keyword(name) || vocabulary::is_specifier(name) || name == "void" ||
               types_.type_at(i, &after, &type) != ProgramTypes::kUnknown || types_.is_type(name)) {
        /* no call, or the constructor of a type: see unnamed_ */
    } else {
        const vocabulary::Does does =
            types_.declares(name) ? vocabulary::kUnknown : vocabulary::does(name);
        if (does == vocabulary::kAtomic) f->atomics = f->atomics || result_is_used(i);
        if (does == vocabulary::kBarrier || does == vocabulary::kWarpBarrier ||
            does == vocabulary::kWarpOperation || does == vocabulary::kWaits)
            note("the call of '" + name + "()', at which threads wait");
        else if (does == vocabulary::kUnknown && !(qualified && is(i - 2, "cpu_device")) &&
                 !(qualified && name == "this_thread_block") && name != "this_thread_block")
            note("the call of '" + name + "()', which is not known");
    }
}

/* `Complex c(x, y), z(0, 0);` */
bool Waits::declares_variable(size_t i) const {
    if (t_[i - 1].kind == kName) return !vocabulary::is_keyword(text(i - 1)) && !is(i - 1, "new");
    const size_t angle = punct(i - 1) == '>' ? opening_angle(i - 1) : 0;
    if (angle && types_.is_type(text(angle - 1))) return true;
    if (punct(i - 1) != ',') return false;
    size_t first = i - 1;
    for (; first > 0; --first) {
        const char c = punct(first);
        if (c == ')' || c == ']' || c == '}') first = opening(first);
        else if (c == '(' || c == '[' || c == '{' || c == ';') break;
    }
    if (punct(first) == '(' || punct(first) == '[') return false;
    for (++first; vocabulary::is_specifier(text(first));) ++first;
    size_t after = 0;
    if (types_.type_at(first, &after) == ProgramTypes::kUnknown && !types_.is_type(text(first)))
        return false;
    return t_[after].kind == kName;
}

/* Where the function begins in whose body token i is, from its parameters on. */
size_t Waits::function_around(size_t i) const {
    size_t outer = i;
    for (size_t j = i; j-- > 0;) {
        const char c = punct(j);
        if (c == ')' || c == ']' || c == '}') j = opening(j);
        else if (c == '{') outer = j;
    }
    return outer > 0 && punct(outer - 1) == ')' ? opening(outer - 1) : outer;
}

/* The name at token i is a parameter of the function or a variable in it: calling it is calling a
 * function object, or through a pointer. */
bool Waits::is_object(size_t i, const Function &f) const {
    const std::string name = text(i);
    for (size_t j = f.scope + 1; j < i; ++j) {
        if (t_[j].kind != kName || !is(j, name.c_str())) continue;
        const char before = punct(j - 1), after = punct(j + 1);
        const bool typed = t_[j - 1].kind == kName || before == '>' || before == '*' ||
                           (before == '&' && j < f.body);
        if (typed && (j < f.body ? after == ',' || after == ')' || after == '='
                                 : after == ';' || after == '{' || after == '='))
            return !is(j - 1, "return") && !is(j - 1, "else");
    }
    return false;
}

/* The call at token i is more than a statement of its own. */
bool Waits::result_is_used(size_t i) const {
    const char before = punct(i - 1);
    const bool begins = before == ';' || before == '{' || before == '}' || before == ')' ||
                        is(i - 1, "else") || is(i - 1, "do");
    return !begins || punct(i + 1) != '(' || punct(closing(i + 1) + 1) != ';';
}

/* ---- functions that no call names ---- */

/* The declaration around token i says that the device may run it. */
bool Waits::is_of_device(size_t i) const {
    for (size_t j = i; j-- > 0;) {
        const char c = punct(j);
        if (c == ';' || c == '{' || c == '}') return false;
        if (is(j, "__device__")) return true;
    }
    return false;
}

/* The { of the device's constructor, destructor or operator that begins at token i; 0: none does. */
size_t Waits::unnamed_body(size_t i) const {
    static const std::set<std::string> before = {"__host__", "__device__", "inline",
                                                 "explicit", "constexpr",  "__inline__"};
    size_t open = i + 1;
    if (is(i, "operator")) {
        if (!is_of_device(i)) return 0;
        while (open + 1 < t_.size() && punct(open) != '(' && punct(open) != ';') ++open;
        if (punct(open + 1) == ')' && punct(open + 2) == '(') open += 2; /* operator()() */
    } else if (is(i, "__device__")) {
        for (;; ++open) {
            if (is(open, "__attribute__")) open = closing(open + 1); /* __forceinline__ is one */
            else if (!(t_[open].kind == kName && before.count(text(open))) && punct(open) != '~')
                break;
        }
        if (t_[open++].kind != kName) return 0; /* a constructor has no type before its name */
    }
    if (punct(open) != '(') return 0;
    bool members = false; /* the initialisers are gone through */
    size_t body = closing(open) + 1;
    for (; body + 1 < t_.size(); ++body) {
        const char c = punct(body);
        if (c == ':') members = true;
        if (c == ';' || c == '}' || c == '=') return 0;
        if (c == '{' && !(members && t_[body - 1].kind == kName)) return body;
        if (c == '(' || c == '{') body = closing(body);
    }
    return 0;
}

void Waits::find_unnamed() {
    for (size_t i = 1; i + 4 < t_.size(); ++i) {
        if (t_[i].system || !(is(i, "operator") || is(i, "__device__"))) continue;
        const size_t body = unnamed_body(i);
        if (body) add("", i, body, closing(body), i);
    }
}

/* ---- all functions ---- */

/* Of "...: ...: why" the last part. */
static std::string first_cause(const std::string &what) {
    const size_t at = what.rfind(": ");
    return at == std::string::npos ? what : what.substr(at + 2);
}

/* Marks callers of functions that wait as waiting. True if something changed. */
bool Waits::propagate() {
    bool changed = false;
    size_t waiting_object = 0;
    for (const Function &f : functions_)
        if (f.reason.token && !device_.is_kernel(f.begin)) waiting_object = f.reason.token;
    for (Function &f : functions_) {
        if (f.reason.token) continue;
        for (const auto &[name, token] : f.calls)
            for (size_t k : by_name_.at(name)) {
                const Function &callee = functions_[k];
                if (callee.begin >= f.begin) f.loops = true; /* recursion goes round too */
                if (callee.atomics && !f.atomics) f.atomics = changed = true;
                if (callee.reason.token && !f.reason.token)
                    f.reason = {token, "the call of '" + name + "()', which may wait: " +
                                           first_cause(callee.reason.what)};
            }
        if (!f.objects.empty() && waiting_object && !f.reason.token)
            f.reason = {f.objects[0], "the call through '" + text(f.objects[0]) +
                                          "', which may be of a function that waits"};
        if (f.loops && f.atomics && !f.reason.token)
            f.reason = {
                f.body,
                "a loop with atomic operations whose results are used, by which threads may wait for each other"};
        if (unnamed_.token && !f.reason.token)
            f.reason = {f.body, "a constructor or operator of the program that may wait"};
        changed = changed || f.reason.token;
        if (f.name.empty() && f.reason.token && !unnamed_.token) unnamed_ = f.reason;
    }
    for (const Function &f : functions_)
        if (f.name.empty() && f.reason.token && !unnamed_.token)
            unnamed_ = f.reason, changed = true;
    return changed;
}

Waits::Reason Waits::reason(const std::string &name) const {
    auto at = by_name_.find(name);
    if (at == by_name_.end()) return {0, ""};
    for (size_t k : at->second)
        if (functions_[k].reason.token) return functions_[k].reason;
    return {0, ""};
}

bool Waits::spins(size_t begin) const {
    for (const Function &f : functions_)
        if (f.begin == begin) return f.loops && f.atomics;
    return true;
}
