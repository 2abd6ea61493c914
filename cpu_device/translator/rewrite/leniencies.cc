/* See leniencies.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cpu_device/translator/rewrite/leniencies.h"

#include <string.h>

#include <set>

void Leniencies::write() {
    for (size_t i = 1; i + 1 < t_.size(); ++i) {
        if (t_[i].system) continue;
        if (is_label(i) && punct(i + 2) == '}') close_label(i + 1);
        else if (is(i, "const") || is(i, "volatile")) drop_repeated(i);
        else if (is(i, "switch") && punct(i + 1) == '(' && punct(closing(i + 1) + 1) == '{' &&
                 for_device_alone(i))
            brace_cases(closing(i + 1) + 1);
    }
}

/* name: where a statement begins. */
bool Leniencies::is_label(size_t i) const {
    static const std::set<std::string> others = {"public", "private", "protected"};
    const char before = punct(i - 1);
    return t_[i].kind == kName && punct(i + 1) == ':' && !is(i + 1, "::") && before &&
           strchr(";{}:", before) && !others.count(text(i)) && !is(i - 1, "::");
}

void Leniencies::close_label(size_t colon) {
    edits_.add_after(colon, " ;");
    warn(colon, "expected a statement behind the label: write a \";\"");
}

/* const const int, const int const: nvcc takes a qualifier again. */
void Leniencies::drop_repeated(size_t i) {
    static const std::set<std::string> types = {"int",   "char",   "short", "long",  "unsigned",
                                                "float", "double", "bool",  "size_t"};
    const std::string word = text(i);
    const size_t again = types.count(text(i + 1)) ? i + 2 : i + 1;
    if (!is(again, word.c_str())) return;
    replace(again, again, "");
    warn(again, "type qualifier \"" + word + "\" specified more than once");
}

/* ---- jumps past an initialisation ---- */

/* Code that nvcc gives to no host compiler, which would refuse the jump. */
bool Leniencies::for_device_alone(size_t i) const {
    const DeviceFunction *f = known_.device.function_around(i);
    for (size_t j = f ? known_.device.declaration_start(f->begin) : 0; f && j < f->body; ++j)
        if (is(j, "__host__")) return false;
    return f != nullptr;
}

/* Between a label and the next one of the switch whose { is `open`, from the first declaration with
 * an initialiser on, all goes into braces; but what is spoken of later is declared without. */
void Leniencies::brace_cases(size_t open) {
    const size_t close = closing(open);
    size_t declared = 0, first = 0, last = 0; /* the name, and its statement */
    for (size_t i = open + 1; i < close;) {
        const size_t labelled = label_end(i, close);
        if (labelled) {
            if (declared) {
                warn(declared, "transfer of control bypasses initialization of \"" +
                                   text(declared) +
                                   "\": put the statements of this case into braces");
                if (known_.places.of(text(declared), i, close).size() == 0 || !split(first, last)) {
                    edits_.add_after(first - 1, " {");
                    edits_.add(t_[i].begin, t_[i].begin, "} ");
                }
            }
            declared = 0;
            i = labelled;
            continue;
        }
        size_t end = i; /* of the statement */
        while (end < close && punct(end) != ';' && punct(end) != '{')
            end = punct(end) == '(' || punct(end) == '[' ? closing(end) + 1 : end + 1;
        if (!declared && (declared = initialised(i, end))) first = i, last = end;
        while (end < close && punct(end) == '{') end = closing(end) + 1; /* a block, or = {...} */
        i = punct(end) == ';' ? end + 1 : end == i ? i + 1 : end;
    }
}

/* `case 3:` or `default:` at token i: the token behind it; 0: something else. */
size_t Leniencies::label_end(size_t i, size_t close) const {
    if (is(i, "default") && punct(i + 1) == ':') return i + 2;
    if (!is(i, "case")) return 0;
    for (size_t j = i + 1; j < close; ++j) {
        if (punct(j) == '(') j = closing(j);
        if (punct(j) == ':' && !is(j, "::")) return j + 1;
    }
    return 0;
}

/* Tokens [i, end) are `type name = ...`, or several of them: the first name that has a value; 0: none. */
size_t Leniencies::initialised(size_t i, size_t end) const {
    static const std::set<std::string> none = {"return", "goto", "delete", "throw", "else",
                                               "do",     "if",   "for",    "while", "using"};
    if (t_[i].kind != kName || none.count(text(i))) return 0;
    bool type = false;
    for (size_t j = i; j < end; ++j) {
        if (punct(j) == '<' && closing_angle(j)) j = closing_angle(j);
        else if (punct(j) == '(' || punct(j) == '[') j = closing(j);
        if (t_[j].kind == kName && j > i &&
            (t_[j - 1].kind == kName || punct(j - 1) == '*' || punct(j - 1) == '&' ||
             punct(j - 1) == '>'))
            type = type || !(punct(j - 1) == '*' && j == i + 2 && punct(j + 1) == '(');
        if (punct(j) == '=' && punct(j + 1) != '=' && type &&
            (t_[j - 1].kind == kName || punct(j - 1) == ']')) {
            size_t name = punct(j - 1) == ']' ? opening(j - 1) - 1 : j - 1;
            while (punct(name) == ']') name = opening(name) - 1;
            return name;
        }
        if (punct(j) && strchr(".+-/%|^!?", punct(j))) return 0;
    }
    return 0;
}

/* int a = 3, *p = &a; as int a; a = 3; int *p; p = &a; where the type is a number's: true. */
bool Leniencies::split(size_t first, size_t end) {
    static const std::set<std::string> types = {"int",    "char",  "short",  "long", "unsigned",
                                                "signed", "float", "double", "bool", "size_t"};
    size_t name = first;
    while (types.count(text(name))) ++name;
    if (name == first) return false;
    const std::string type = text(first, name - 1);
    for (size_t j = name; j < end; ++j)
        if (punct(j) == '&' || (punct(j) == '[' && t_[j - 1].kind == kName && j < name + 3))
            return false;
    for (size_t j = name; j < end; ++j) {
        const char c = punct(j);
        if (c == '(' || c == '[' || c == '{') j = closing(j);
        else if (c == '=' && t_[j - 1].kind == kName && punct(j + 1) != '=')
            replace(j, j, "; " + text(j - 1) + " =");
        else if (c == ',') replace(j, j, "; " + type);
    }
    return true;
}
