/* Puts checks around pointers that come of casts.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cpu_device/translator/rewrite/alignment.h"

void Alignment::leave(size_t first, size_t last) {
    for (size_t i = first; i <= last; ++i) left_.insert(i);
}

/* The last token of the cast to a pointer that begins at token i: its ), or the > of
 * reinterpret_cast<T *>; 0: none begins there. narrow: to bytes, or to nothing known. */
size_t Alignment::cast_end(size_t i, bool *narrow) const {
    const bool named = is(i, "reinterpret_cast") || is(i, "static_cast");
    if (!named && punct(i) != '(') return 0;
    if (!named && i && (t_[i - 1].kind == kName || punct(i - 1) == ')' || punct(i - 1) == ']') &&
        !is(i - 1, "return"))
        return 0; /* a call, or the condition of an if */
    const size_t close = named ? closing_angle(i + 1) : closing(i);
    if (!close || punct(close - 1) != '*') return 0;
    size_t stars = 0;
    *narrow = false;
    for (size_t j = named ? i + 2 : i + 1; j < close; ++j) {
        if (punct(j) == '*') ++stars;
        else if (t_[j].kind != kName && !is(j, "::")) return 0;
        static const std::set<std::string> bytes = {"char",    "void",  "bool", "int8_t",
                                                    "uint8_t", "uchar", "byte"};
        *narrow = *narrow || bytes.count(text(j));
    }
    return stars == 1 ? close : 0;
}

/* The last token of the operand of a cast, which begins at token i. */
size_t Alignment::operand_end(size_t i) const {
    while (punct(i) == '&' || punct(i) == '*') ++i;
    bool narrow = false;
    if (const size_t cast = cast_end(i, &narrow)) return operand_end(cast + 1);
    size_t last = punct(i) == '(' ? closing(i) : i;
    if (t_[i].kind != kName && punct(i) != '(') return 0;
    for (;;) {
        const char c = punct(last + 1);
        if (c == '[' || c == '(') last = closing(last + 1);
        else if ((c == '.' || is(last + 1, "->") || is(last + 1, "::")) &&
                 t_[last + 2].kind == kName)
            last += 2;
        else return last;
    }
}

/* The variable that the cast's value is given to, as a whole. */
void Alignment::note_variable(size_t cast) {
    if (punct(cast - 1) == '=' && t_[cast - 2].kind == kName) variables_.insert(text(cast - 2));
}

/* Tokens [first, last] are a pointer, which a star before or brackets or an arrow behind follow. */
void Alignment::wrap(size_t first, size_t last, bool star) {
    const bool element = punct(last + 1) == '[';
    size_t behind = last + 1;
    while (punct(behind) == '[') behind = closing(behind) + 1;
    const bool member = is(last + 1, "->") || (element && punct(behind) == '.');
    if (!star && !element && !member) return;
    edits_.add(t_[first].begin, t_[first].begin,
               std::string("::cpu_device::aligned<") + (member ? "4" : "16") + ">(");
    edits_.add_after(last, ")");
}

/* A star before a pointer follows it: no program multiplies by one. */
void Alignment::write_cast(size_t i, size_t last) {
    if (left_.count(i)) return;
    if (i && punct(i - 1) == '*') return wrap(i, last, true);
    /* ((T *)x)[i] */
    if (punct(i - 1) == '(' && closing(i - 1) == last + 1 &&
        !(t_[i - 2].kind == kName && !is(i - 2, "return")))
        return wrap(i - 1, last + 1, punct(i - 2) == '*');
    if (t_[i].kind == kName) wrap(i, last, false);
}

void Alignment::write_variable(size_t i) {
    if (left_.count(i) || punct(i - 1) == '.' || is(i - 1, "->") || is(i - 1, "::") ||
        t_[i - 1].kind == kName)
        return;
    const bool star = punct(i - 1) == '*' && t_[i - 2].kind == kPunct &&
                      !strchr(")]>", punct(i - 2)) && punct(i + 1) != '+' && punct(i + 1) != '-';
    if (punct(i - 1) == '*' && !star) return; /* a declaration, or a product */
    wrap(i, i, star);
}

void Alignment::write(size_t body, size_t body_end) {
    variables_.clear();
    for (size_t i = body + 1; i < body_end; ++i) {
        bool narrow = false;
        const size_t close = cast_end(i, &narrow);
        if (!close || narrow) continue;
        const bool named = t_[i].kind == kName;
        const size_t last =
            named ? (punct(close + 1) == '(' ? closing(close + 1) : 0) : operand_end(close + 1);
        if (!last) continue;
        note_variable(i);
        write_cast(i, last);
    }
    for (size_t i = body + 1; i < body_end && !variables_.empty(); ++i)
        if (t_[i].kind == kName && variables_.count(text(i))) write_variable(i);
}
