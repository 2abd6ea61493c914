/* Reads declarations: of plain types, arrays of them and pointers to them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cpu_device/translator/cut/reader.h"

#include <algorithm>

#include "cpu_device/translator/read/vocabulary.h"

/* A type, or what may stand before one, begins at token i. */
bool Reader::begins_type(size_t i) const {
    if (t_[i].kind != kName || lookup(text(i)) >= 0) return false;
    if (vocabulary::is_specifier(text(i)) || is(i, "volatile") || is(i, "auto") ||
        is(i, "struct") || is(i, "void"))
        return true;
    const auto &types = template_.types;
    if (std::find(types.begin(), types.end(), text(i)) != types.end()) return true;
    size_t after = 0;
    return program_.types.type_at(i, &after) != ProgramTypes::kUnknown ||
           program_.types.is_type(text(i));
}

/* `float x`, and neither `float(x)` nor `x * y`; also what looks like a declaration of a type that
 * is not known. */
bool Reader::begins_declaration() const {
    if (t_[at_].kind != kName) return false;
    if (begins_type(at_)) {
        size_t after = 0;
        program_.types.type_at(at_, &after);
        const size_t next = after > at_ ? after : at_ + 1;
        return punct(next) != '(' && !(punct(next) == '{' && !vocabulary::is_specifier(text(at_)));
    }
    return lookup(text(at_)) < 0 && t_[at_ + 1].kind == kName; /* Frag f; */
}

/* The specifiers and the words of a type that begin at at_. */
Reader::Type Reader::read_type(bool shared) {
    Type type = {};
    bool typed = false;
    const size_t first = at_;
    for (;;) {
        const std::string word = text(at_);
        if (t_[at_].kind != kName) break;
        if (word == "__attribute__" || word == "__align__" || word == "alignas") {
            require(at_, shared, "alignment of a local variable");
            skip_attribute();
            continue;
        }
        if (word == "volatile") refuse(at_, "'volatile', by which threads may wait for each other");
        if (shared && (word == "__shared__" || word == "extern")) {
            ++at_;
            continue;
        }
        if (vocabulary::is_specifier(word)) {
            type.constant = type.constant || word == "const" || word == "constexpr";
            type.is_static = type.is_static || word == "static";
            ++at_;
            continue;
        }
        if (typed) break;
        typed = true;
        const auto &types = template_.types;
        size_t after = 0;
        std::string name;
        if (word == "auto") {
            type.is_auto = true;
            type.base = Base::kAuto;
            ++at_;
        } else if (word == "void") {
            type.base = Base::kVoid;
            ++at_;
        } else if (std::find(types.begin(), types.end(), word) != types.end()) {
            require(at_, punct(at_ + 1) != '<' && !is(at_ + 1, "::"),
                    "a type that depends on a template parameter");
            type.base = Base::kTemplateType;
            ++at_;
        } else {
            if (word == "struct" || word == "enum") ++at_;
            foreign(at_);
            switch (program_.types.type_at(at_, &after, &name)) {
            case ProgramTypes::kUnknown:
                refuse(at_,
                       "the type " + quoted(at_) + ", which is not known to hold plain values");
            case ProgramTypes::kArithmetic:
                type.base = Base::kNumber;
                type.builtin = true;
                break;
            case ProgramTypes::kStruct:
                type.base = Base::kStructure;
                type.members = program_.types.members(name);
                break;
            case ProgramTypes::kThreadBlock:
                type.base = Base::kBlock;
                type.is_group = true;
                break;
            case ProgramTypes::kValue: type.base = Base::kValue; break;
            }
            at_ = after;
        }
    }
    require(first, typed, "a declaration of this form");
    type.last = at_ - 1;
    return type;
}

void Reader::skip_attribute() { at_ = punct(at_ + 1) == '(' ? closing(at_ + 1) + 1 : at_ + 1; }

/* One statement's or loop's variables. */
void Reader::read_declaration(bool kept) {
    Declaration d = {};
    const size_t first = d.first = at_;
    const Type type = read_type(false);
    if (type.is_group) return group_declaration(first);
    d.type_last = type.last;
    d.builtin = type.builtin;
    d.is_auto = type.is_auto;
    d.is_static = type.is_static;
    require(first, !type.is_static || type.constant, "a static variable of the function's");
    for (;;) {
        declarator(&d, type, kept, Variable::kLocal);
        if (type.is_auto && groups_.count(first)) return; /* auto block = this_thread_block(); */
        if (punct(at_) != ',') break;
        ++at_;
    }
    declarations_[first] = d;
}

void Reader::shared_declaration() {
    Declaration d = {};
    d.first = at_;
    const Type type = read_type(true);
    require(d.first, !type.is_auto && !type.is_group, "a shared variable of this type");
    for (;;) {
        if (is(at_, "__align__") || is(at_, "__attribute__")) skip_attribute();
        declarator(&d, type, true, Variable::kShared);
        if (punct(at_) != ',') break;
        ++at_;
    }
}

/* thread_block block = this_thread_block(); and nothing else of the kind. */
void Reader::group_declaration(size_t first) {
    require(at_, t_[at_].kind == kName && is(at_ + 1, "="), "a group of this form");
    const size_t name = at_;
    at_ += 2;
    const size_t after = after_whole_block(at_);
    require(at_, after && punct(after) == ';', "a group that is not the whole block");
    Variable v = {};
    v.name = text(name);
    v.storage = Variable::kGroup;
    v.base = Base::kBlock;
    v.token = name;
    v.scope_end = scope_end_;
    meanings_[name] = declare(v);
    groups_.insert(first);
    at_ = after;
}

int Reader::declare(const Variable &v) {
    require(v.token, lookup(v.name) < 0, "'" + v.name + "' hides another of that name");
    require(v.token, !foreign_names_.count(v.name),
            "'" + v.name + "' means something else elsewhere in the function");
    require(v.token, v.name.compare(0, 3, "cu_") != 0, "a name that begins with cu_");
    require(v.token, !program_.names.is_builtin(v.token) && v.name != "warpSize",
            "'" + v.name + "' hides CUDA's own");
    local_names_.insert(v.name);
    variables_.push_back(v);
    scope_.push_back((int)variables_.size() - 1);
    return (int)variables_.size() - 1;
}

int Reader::lookup(const std::string &name) const {
    for (size_t k = scope_.size(); k-- > 0;)
        if (variables_[(size_t)scope_[k]].name == name) return scope_[k];
    return -1;
}

void Reader::declarator(Declaration *d, const Type &type, bool kept, Variable::Storage storage) {
    Declarator one = {};
    Variable v = {};
    one.first = at_;
    one.constant = type.constant;
    for (;; ++at_) {
        if (punct(at_) == '*') {
            one.pointer = true;
            one.constant = false;
        } else if (punct(at_) == '&') {
            one.reference = true;
        } else if (is(at_, "const")) {
            one.constant = true;
        } else if (is(at_, "volatile")) {
            refuse(at_, "'volatile', by which threads may wait for each other");
        } else if (!is(at_, "__restrict__") && !is(at_, "__restrict")) {
            break;
        }
    }
    require(at_, t_[at_].kind == kName, "a declaration of this form");
    require(at_, one.pointer || !is(type.last, "void"), "a declaration of this form");
    one.name = at_++;
    for (; punct(at_) == '['; length()) {
        one.array = true;
        ++v.dims;
    }
    one.last = at_ - 1;
    const bool parameter = storage == Variable::kParameter;
    require(one.name, !(one.array && one.pointer) || parameter || storage == Variable::kShared,
            "an array of pointers");
    require(one.name, !one.reference || !kept || parameter,
            "a reference that may live from one part of the kernel to the next");
    require(one.name, !one.reference || purpose_ == kUncut || !parameter,
            "a parameter that is a reference");
    v.name = text(one.name);
    v.storage = storage;
    v.base = type.base;
    v.token = one.name;
    v.scope_end = scope_end_;
    v.kept = kept;
    v.pointer = one.pointer;
    v.reference = one.reference;
    v.members = one.pointer ? nullptr : type.members;
    /* `auto block = this_thread_block();` */
    size_t after = at_ + 1;
    if (type.is_auto && is(at_, "=")) {
        program_.types.is_groups_namespace(at_ + 1, &after);
        if (is(after, "this_thread_block") && after > at_ + 1) {
            at_ = one.name;
            return group_declaration(d->first);
        }
    }
    const bool initialised = is(at_, "=") && !parameter;
    const bool direct = (punct(at_) == '(' || punct(at_) == '{') && !parameter;
    require(one.name, !one.reference || initialised || direct || parameter,
            "a reference of this form");
    const int k = declare(v);
    meanings_[one.name] = k;
    if (initialised || direct) initialiser(&one, k);
    require(one.name, storage != Variable::kShared || !one.init_first,
            "a shared variable with an initialiser");
    d->declarators.push_back(one);
}

/* [n]: of numbers that are known when the kernel is compiled, or the same for all threads. */
void Reader::length() {
    const size_t close = closing(at_);
    ++at_;
    if (at_ < close) require(at_, !rvalue(expression(), at_).address, "a length of this form");
    require(at_, at_ == close, "a length of this form");
    ++at_;
}

void Reader::initialiser(Declarator *d, int k) {
    const Variable v = variables_[(size_t)k];
    const bool equals = is(at_, "=");
    const size_t open = at_;
    d->init_first = ++at_;
    if (!equals || punct(at_) == '{') {
        const size_t brace = equals ? at_ : open, close = closing(brace);
        at_ = brace;
        if (punct(brace) == '{') {
            braces();
        } else {
            const std::vector<Value> values = arguments();
            for (const Value &value : values)
                require(brace, !value.address, "the address of a local variable in an initialiser");
        }
        require(open, !v.reference, "a reference of this form");
        d->init_last = equals ? close : close - 1;
        return;
    }
    Value value = assignment();
    if (v.reference) {
        if (value.root >= 0)
            change(value, value.token); /* whoever changes the reference changes it */
    } else {
        value = rvalue(value, d->init_first);
        require(
            d->init_first, !value.address || (v.pointer && !v.kept),
            "a pointer to a local variable, which may live from one part of the kernel to the next");
    }
    d->init_last = at_ - 1;
}

/* {1, x[i], {}} */
void Reader::braces() {
    const size_t close = closing(at_);
    ++at_;
    while (at_ < close) {
        if (punct(at_) == '{') braces();
        else
            require(at_, !rvalue(assignment(), at_).address,
                    "the address of a local variable in an initialiser");
        if (at_ < close) expect(",");
    }
    ++at_;
}
