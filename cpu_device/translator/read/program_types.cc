/* Reads declarations outside of functions.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cpu_device/translator/read/program_types.h"

#include "cpu_device/translator/read/vocabulary.h"

ProgramTypes::ProgramTypes(const Source &src) : Tokens(src), groups_{"cooperative_groups"} {
    scan(0, t_.size() - 1);
}

/* ---- going through ---- */

/* Function bodies are passed over; namespaces and classes are looked into. */
void ProgramTypes::scan(size_t from, size_t to) {
    size_t first = from; /* of the declaration */
    for (size_t i = from; i < to; ++i) {
        if (t_[i].system) {
            first = i + 1;
            continue;
        }
        if (t_[i].kind == kName) {
            note_declared(i);
            if (is(i, "typedef")) i = read_typedef(i);
            else if (is(i, "using")) i = read_using(i);
            else if (is(i, "namespace") && t_[i + 1].kind == kName && is(i + 2, "=") &&
                     is(i + 3, "cooperative_groups"))
                groups_.insert(text(i + 1));
            else if (is(i, "typename") && t_[i + 1].kind == kName && !is(i + 2, "::"))
                note_type(text(i + 1), kUnknown);
            else if (is(i, "enum")) read_enum(i);
            else if (is(i, "struct") || is(i, "class") || is(i, "union")) read_struct(i, false);
        }
        const char c = punct(i);
        if (c == '{') {
            if (is_function_body(i)) {
                i = closing(i);
                first = i + 1;
            } else if (i > first && (punct(i - 1) == '=' || punct(i - 1) == ']')) {
                i = closing(i); /* an initialiser */
            } else {
                first = i + 1;
            }
        } else if (c == ';') {
            read_file_scope(first, i);
            first = i + 1;
        } else if (c == '}' ||
                   (c == ':' && i > first && (is(i - 1, "public") || is(i - 1, "private")))) {
            first = i + 1;
        } else if (c == '>' && is(first, "template") && punct(first + 1) == '<' &&
                   closing_angle(first + 1) == i) {
            continue;
        }
    }
}

/* Behind parameters, and what may stand between them and a body. */
bool ProgramTypes::is_function_body(size_t open) const {
    static const std::set<std::string> between = {"const",     "noexcept",   "override",
                                                  "final",     "mutable",    "try",
                                                  "constexpr", "__device__", "__host__"};
    size_t i = open;
    while (i > 0 && t_[i - 1].kind == kName && between.count(text(i - 1))) --i;
    if (i == 0) return false;
    if (punct(i - 1) == ')') return true;
    /* Initialisers of members, a result type behind ->: somewhere before, parameters end. */
    for (size_t j = i; j-- > 0;) {
        const char c = punct(j);
        if (c == ')' || c == '}' || c == ']') {
            if (c == ')' && (punct(j + 1) == ':' || is(j + 1, "->"))) return !is(j + 1, "::");
            if (c == '}' && punct(j + 1) != ',') return false;
            j = opening(j);
            continue;
        }
        if (c == ';' || c == '{') return false;
    }
    return false;
}

/* The name at token i stands where one is declared. */
void ProgramTypes::note_declared(size_t i) {
    if (i == 0) return;
    const char before = punct(i - 1), after = punct(i + 1);
    const bool typed = (t_[i - 1].kind == kName && !is(i - 1, "return")) || before == '*' ||
                       before == '&' || before == '>' || before == ']' || before == ')' ||
                       (before == ',' && after != '>');
    const bool ends = after == '(' || after == ';' || after == ',' || after == '=' ||
                      after == '[' || after == '{' || after == ')' || after == '<' ||
                      after == ':' || is(i + 1, "final");
    const bool wrapped = before == '(' && after == ')' && punct(i + 2) == '(';
    if ((typed && ends) || wrapped) declared_.insert(text(i));
}

/* ---- types ---- */

void ProgramTypes::note_type(const std::string &name, Kind kind, bool is_enum,
                             const Members &members) {
    declared_.insert(name);
    Type &t = types_[name];
    t.kind = ++t.declarations == 1 ? kind : kUnknown;
    t.is_enum = is_enum;
    t.members = members;
}

size_t ProgramTypes::read_typedef(size_t i) {
    size_t end = i;
    while (end + 1 < t_.size() && punct(end) != ';')
        end = punct(end) == '{' || punct(end) == '(' ? closing(end) + 1 : end + 1;
    size_t first = i + 1, after = 0;
    if (is(first, "struct") || is(first, "enum") || is(first, "union") || is(first, "class")) {
        const bool is_enum = is(first, "enum");
        size_t open = first + 1;
        if (t_[open].kind == kName) ++open;
        if (punct(open) == '{') {
            if (is_enum) read_enum(first);
            Members members;
            const bool plain = is_enum || (is(first, "struct") && read_members(open, &members));
            const size_t name = closing(open) + 1;
            if (t_[name].kind == kName && punct(name + 1) == ';') {
                if (open == first + 2 && text(first + 1) != text(name) && !is_enum)
                    read_struct(first, true);
                note_type(text(name),
                          is_enum ? kArithmetic
                          : plain ? kStruct
                                  : kUnknown,
                          is_enum, members);
            }
            return end;
        }
        first += is_enum || is(first, "struct"); /* typedef struct X Y; */
    }
    while (is(first, "const")) ++first;
    const Kind kind = type_at(first, &after);
    if (t_[end - 1].kind == kName)
        note_type(text(end - 1),
                  after == end - 1 && kind != kStruct && kind != kThreadBlock ? kind : kUnknown);
    else
        for (size_t j = i; j < end; ++j) /* of a pointer, an array, a function */
            if (t_[j].kind == kName && !vocabulary::is_arithmetic(text(j)) &&
                !vocabulary::is_specifier(text(j)) && !vocabulary::is_value_type(text(j)))
                note_type(text(j), kUnknown);
    return end;
}

size_t ProgramTypes::read_using(size_t i) {
    size_t end = i;
    while (end + 1 < t_.size() && punct(end) != ';')
        end = punct(end) == '{' || punct(end) == '(' ? closing(end) + 1 : end + 1;
    if (is(i + 1, "namespace")) {
        uses_groups_ = uses_groups_ || (is(i + 2, "cooperative_groups") && i + 3 == end);
    } else if (t_[i + 1].kind == kName && is(i + 2, "=")) {
        size_t after = 0, first = i + 3;
        while (is(first, "const")) ++first;
        const Kind kind = type_at(first, &after);
        note_type(text(i + 1),
                  after == end && kind != kStruct && kind != kThreadBlock ? kind : kUnknown);
    } else if (t_[end - 1].kind == kName) {
        note_type(text(end - 1), kUnknown); /* using space::name; */
    }
    return end;
}

void ProgramTypes::read_enum(size_t i) {
    size_t open = i + 1;
    if (is(open, "class") || is(open, "struct")) ++open;
    const size_t name = open;
    while (open + 1 < t_.size() && punct(open) != '{' && punct(open) != ';') ++open;
    if (punct(open) != '{') return;
    if (t_[name].kind == kName) note_type(text(name), kArithmetic, true);
    for (size_t j = open; j < closing(open); ++j) {
        if (t_[j].kind != kName || (punct(j - 1) != '{' && punct(j - 1) != ',')) continue;
        enumerators_.insert(text(j));
        declared_.insert(text(j));
    }
}

void ProgramTypes::read_struct(size_t i, bool is_typedef) {
    if (i > 0 && is(i - 1, "enum")) return;
    if (i > 0 && is(i - 1, "typedef") && !is_typedef) return;
    if (t_[i + 1].kind != kName) return;
    const bool of_template =
        i > 0 && (punct(i - 1) == '<' || punct(i - 1) == ',' || punct(i - 1) == '>');
    if (punct(i + 2) == '{') {
        Members members;
        const bool plain = !of_template && is(i, "struct") && read_members(i + 2, &members);
        note_type(text(i + 1), plain ? kStruct : kUnknown, false, members);
    } else if (punct(i + 2) == ':' || is(i + 2, "final") || of_template) {
        note_type(text(i + 1), kUnknown);
    }
}

/* Data members of plain types alone. */
bool ProgramTypes::read_members(size_t open, Members *members) const {
    const size_t end = closing(open);
    for (size_t first = open + 1; first < end;) {
        size_t last = first;
        while (last < end && punct(last) != ';') {
            if (punct(last) == '(' || punct(last) == '{' || punct(last) == ':' ||
                punct(last) == '=')
                return false;
            ++last;
        }
        if (!read_variables(first, last, members)) return false;
        first = last + 1;
    }
    return true;
}

/* Tokens [first, end) as declarations of variables of one plain type. */
bool ProgramTypes::read_variables(size_t first, size_t end, Members *variables) const {
    size_t i = first;
    while (i < end) {
        if (is(i, "__attribute__") || is(i, "__align__") || is(i, "alignas"))
            i = closing(i + 1) + 1;
        else if (vocabulary::is_specifier(text(i)) || is(i, "__constant__") ||
                 is(i, "__shared__") || is(i, "__managed__") || is(i, "extern"))
            ++i;
        else break;
    }
    size_t after = 0;
    const Kind kind = type_at(i, &after);
    if (kind == kUnknown || kind == kThreadBlock || after >= end) return false;
    for (i = after; is(i, "const"); ++i) continue;
    while (i < end) {
        Member m = {};
        for (; i < end &&
               (punct(i) == '*' || is(i, "const") || is(i, "__restrict__") || is(i, "__restrict"));
             ++i)
            m.pointer = m.pointer || punct(i) == '*';
        if (i >= end || t_[i].kind != kName || vocabulary::is_specifier(text(i))) return false;
        const std::string name = text(i++);
        for (; i < end && punct(i) == '['; i = closing(i) + 1) ++m.dims;
        if (i < end && is(i, "=")) {
            ++i;
            while (i < end && punct(i) != ',')
                i = punct(i) == '(' || punct(i) == '{' || punct(i) == '[' ? closing(i) + 1 : i + 1;
        }
        if (i < end && punct(i) == '{') i = closing(i) + 1;
        if (i < end && punct(i) != ',') return false;
        ++i;
        (*variables)[name] = m;
    }
    return true;
}

/* Those of one statement outside of functions. */
void ProgramTypes::read_file_scope(size_t first, size_t end) {
    Members found;
    if (first < end && read_variables(first, end, &found)) {
        for (const auto &v : found) {
            variables_[v.first] = v.second;
            ++variable_count_[v.first];
            declared_.insert(v.first);
        }
        return;
    }
    for (size_t i = first; i < end;
         ++i) /* of another form: whatever bears such a name is not known */
        if (t_[i].kind == kName) variable_count_[text(i)] += 1000;
}

/* ---- questions ---- */

ProgramTypes::Kind ProgramTypes::type_at(size_t i, size_t *after, std::string *type) const {
    *after = i;
    if (t_[i].kind != kName) return kUnknown;
    if (is(i, "struct") || is(i, "enum")) ++i;
    const std::string name = text(i);
    if (vocabulary::is_arithmetic(name) && !types_.count(name)) {
        while (vocabulary::is_arithmetic(text(i)) ||
               (is(i, "const") && vocabulary::is_arithmetic(text(i + 1))))
            ++i;
        *after = i;
        return kArithmetic;
    }
    *after = i + 1;
    auto at = types_.find(name);
    if (at != types_.end() && !is(i + 1, "::") && punct(i + 1) != '<') {
        if (type) *type = name;
        return at->second.kind;
    }
    if (is(i, "std") && is(i + 1, "::") &&
        vocabulary::is_arithmetic(text(i + 2))) { /* std::size_t */
        *after = i + 3;
        return kArithmetic;
    }
    if (at == types_.end() && vocabulary::is_value_type(name) && !declares(name)) return kValue;
    size_t of_group = i;
    const bool qualified = is_groups_namespace(i, &of_group);
    if ((qualified || (uses_groups_ && !declares(name))) && is(of_group, "thread_block")) {
        *after = of_group + 1;
        return kThreadBlock;
    }
    return kUnknown;
}

const ProgramTypes::Members *ProgramTypes::members(const std::string &type) const {
    auto at = types_.find(type);
    return at != types_.end() && at->second.kind == kStruct ? &at->second.members : nullptr;
}

const ProgramTypes::Member *ProgramTypes::variable(const std::string &name) const {
    auto count = variable_count_.find(name);
    if (count == variable_count_.end() || count->second != 1) return nullptr;
    return &variables_.at(name);
}

bool ProgramTypes::is_enum(const std::string &name) const {
    auto at = types_.find(name);
    return at != types_.end() && at->second.is_enum && at->second.kind == kArithmetic;
}

bool ProgramTypes::is_groups_namespace(size_t i, size_t *after) const {
    if (t_[i].kind != kName || !is(i + 1, "::") || !groups_.count(text(i))) return false;
    *after = i + 2;
    return true;
}
