/* See template_parameters.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cpu_device/translator/rewrite/template_parameters.h"

#include <string.h>

#include <set>

bool TemplateParameters::begin_at(size_t first) {
    if (!is(first, "template") || punct(first + 1) != '<') return false;
    open_ = first + 1;
    close_ = closing_angle(open_);
    return close_ != 0;
}

std::string TemplateParameters::arguments() {
    std::string out = "<";
    for (size_t i = open_ + 1; i < close_; ++i) {
        out += (out.size() > 1 ? ", " : "") + parameter_name(i, end_of_parameter(i));
        while (i < close_ && punct(i) != ',') i = after_bracket(i);
    }
    return out + ">";
}

std::string TemplateParameters::head() const {
    std::string out = "template <";
    for (size_t i = open_ + 1; i < close_; ++i) {
        out += text(i) + (punct(i) == '.' ? "" : " ");
        const auto given = given_.find(i);
        if (given != given_.end()) out += given->second + " ";
    }
    return out + ">";
}

/* The token behind token i, or behind what it opens. */
size_t TemplateParameters::after_bracket(size_t i) const {
    if (punct(i) == '<' && closing_angle(i)) return closing_angle(i) + 1;
    return punct(i) && strchr("([{", punct(i)) ? closing(i) + 1 : i + 1;
}

/* Behind the last token of the parameter that begins at token i, without its default. */
size_t TemplateParameters::end_of_parameter(size_t i) const {
    while (i < close_ && punct(i) != ',' && punct(i) != '=') i = after_bracket(i);
    return i;
}

/* The name of the parameter at tokens [first, end), with ... behind that of a pack. */
std::string TemplateParameters::parameter_name(size_t first, size_t end) {
    static const std::set<std::string> no_names = {"class", "typename", "int",   "unsigned", "bool",
                                                   "char",  "short",    "long",  "size_t",   "auto",
                                                   "float", "double",   "signed"};
    const size_t last = end - 1; /* the name, or what it would follow */
    bool pack = false;
    for (size_t i = first; i + 1 < end; ++i) {
        pack = pack || (punct(i) == '.' && punct(i + 1) == '.');
        if (punct(i) == '(' && (punct(i + 1) == '*' || punct(i + 1) == '&')) /* void (*f)(int) */
            return t_[i + 2].kind == kName ? text(i + 2) : given_name(i + 1);
    }
    const bool named = t_[last].kind == kName && last > first && !no_names.count(text(last)) &&
                       !is(last - 1, "::") && !is(last - 1, "const");
    return (named ? text(last) : given_name(last)) + (pack ? "..." : "");
}

/* A name that goes in behind token i. */
std::string TemplateParameters::given_name(size_t i) {
    const std::string name = "CuParameter" + std::to_string(t_[i].begin);
    edits_.add_after(i, " " + name);
    given_[i] = name;
    return name;
}
