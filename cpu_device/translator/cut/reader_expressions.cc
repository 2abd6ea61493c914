/* Reads expressions. What matters of one is which variables of the function it may change, and
 * whether it may give the address of one.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include <algorithm>

#include "cpu_device/translator/cut/reader.h"
#include "cpu_device/translator/read/vocabulary.h"

/* ---- operators ---- */

/* How many tokens the operator at token i has; 0: none is there. */
size_t Reader::operator_length(size_t i) const {
    static const char *const three[] = {"<<=", ">>="};
    static const char *const two[] = {"<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=",
                                      "-=", "*=", "/=", "%=", "&=", "|=", "^=", "++", "--"};
    const char c = punct(i);
    if (!c || is(i, "::") || is(i, "->") || !strchr("+-*/%<>=!&|^?:~", c)) return 0;
    const char a = touch(i) ? punct(i + 1) : 0, b = a && touch(i + 1) ? punct(i + 2) : 0;
    for (const char *op : three)
        if (c == op[0] && a == op[1] && b == op[2]) return 3;
    for (const char *op : two)
        if (c == op[0] && a == op[1]) return 2;
    return 1;
}

bool Reader::is_operator(size_t i, const char *op) const {
    if (punct(i) != op[0] || operator_length(i) != strlen(op)) return false;
    for (size_t k = 1; op[k]; ++k)
        if (punct(i + k) != op[k]) return false;
    return true;
}

/* ---- values ---- */

/* What is left of a value when it is used: of an array of the function's, the address of its first
 * element. */
Reader::Value Reader::rvalue(Value v, size_t i) {
    if (v.root >= 0)
        require(i, variables_[(size_t)v.root].storage != Variable::kGroup, "a group as a value");
    if (v.dims && v.root >= 0 && variables_[(size_t)v.root].storage != Variable::kShared) {
        change(v, v.token);
        v.address = true;
    }
    v.lvalue = v.direct = false;
    v.root = -1;
    v.dims = 0;
    return v;
}

/* It is assigned to, or may be, by its address. */
void Reader::change(const Value &v, size_t i) {
    require(i, v.lvalue, "a change of what is no variable");
    if (v.root < 0) return;
    Variable &changed = variables_[(size_t)v.root];
    require(i, changed.storage != Variable::kGroup, "a change of a group");
    require(i, !(purpose_ == kCut && changed.storage == Variable::kParameter && changed.members),
            "a change of a parameter that is a structure");
    if (changed.storage == Variable::kParameter || changed.storage == Variable::kLocal)
        changed.changes.push_back(v.token);
}

/* The name at token i is none of the function's variables. */
void Reader::foreign(size_t i) {
    const std::string name = text(i);
    require(i,
            !local_names_.count(name) || template_.values.count(name) ||
                std::find(template_.types.begin(), template_.types.end(), name) !=
                    template_.types.end(),
            quoted(i) + " means something else elsewhere in the function");
    foreign_names_.insert(name);
}

/* ---- expressions ---- */

Reader::Value Reader::expression() {
    Value v = assignment();
    while (punct(at_) == ',') {
        rvalue(v, at_);
        ++at_;
        v = rvalue(assignment(), at_);
    }
    return v;
}

Reader::Value Reader::assignment() {
    const size_t first = at_;
    const Value left = conditional();
    const size_t n = operator_length(at_);
    static const char *const assigning[] = {
        "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="};
    if (!n || std::none_of(std::begin(assigning), std::end(assigning),
                           [&](const char *op) { return is_operator(at_, op); }))
        return left;
    require(first, left.lvalue && !left.dims, "an assignment to this");
    at_ += n;
    Value right;
    if (punct(at_) == '{') braces();
    else right = rvalue(assignment(), at_);
    change(left, first);
    if (right.address) {
        const bool pointer = left.direct && left.root >= 0 &&
                             variables_[(size_t)left.root].pointer &&
                             !variables_[(size_t)left.root].kept;
        require(
            first, pointer,
            "the address of a local variable is stored, and may be used in another part of the kernel");
    }
    Value result = left;
    result.direct = false;
    result.address = left.address || right.address;
    return result;
}

Reader::Value Reader::conditional() {
    const Value condition = binary();
    if (!is_operator(at_, "?")) return condition;
    rvalue(condition, at_);
    ++at_;
    const Value yes = rvalue(expression(), at_);
    expect(":");
    Value result = rvalue(assignment(), at_);
    result.address = result.address || yes.address;
    return result;
}

/* What binds how does not matter here: all operands are values. */
Reader::Value Reader::binary() {
    static const char *const operators[] = {"+",  "-",  "*",  "/",  "%", "<<", ">>", "<",  ">",
                                            "<=", ">=", "==", "!=", "&", "^",  "|",  "&&", "||"};
    Value left = unary();
    for (;;) {
        if (std::none_of(std::begin(operators), std::end(operators),
                         [&](const char *op) { return is_operator(at_, op); }))
            return left;
        const bool address = rvalue(left, at_).address;
        at_ += operator_length(at_);
        left = rvalue(unary(), at_);
        left.address = left.address || address;
        left.members = nullptr;
    }
}

Reader::Value Reader::unary() {
    const size_t i = at_;
    if (is_operator(i, "++") || is_operator(i, "--")) {
        at_ += 2;
        Value v = unary();
        require(i, v.lvalue && !v.dims, "'++' or '--' of this");
        change(v, i);
        v.direct = false;
        return v;
    }
    for (const char *op : {"+", "-", "!", "~"})
        if (is_operator(i, op)) {
            ++at_;
            return rvalue(unary(), i);
        }
    if (is_operator(i, "*")) {
        ++at_;
        const Value pointer = rvalue(unary(), i);
        Value v;
        v.lvalue = true;
        v.members = nullptr;
        (void)pointer; /* what a pointer points at holds no addresses of locals */
        return v;
    }
    if (is_operator(i, "&")) {
        ++at_;
        Value v = unary();
        require(i, v.lvalue, "the address of this");
        if (v.root >= 0) {
            const Variable &of = variables_[(size_t)v.root];
            if (of.storage != Variable::kShared) {
                require(i, !(v.direct && of.pointer), "the address of a pointer");
                change(v, v.token);
                v.address = true;
            }
        }
        v.lvalue = v.direct = false;
        v.root = -1;
        v.dims = 0;
        return v;
    }
    if (punct(i) == '(' && is_cast(i)) {
        const size_t close = closing(i);
        ++at_;
        const bool pointer = names_pointer(at_, close);
        require(i, type_name(close), "a conversion to this type");
        ++at_;
        return converted(rvalue(unary(), i), pointer, i);
    }
    if (is(i, "sizeof") || is(i, "alignof")) return size_of();
    return postfix();
}

bool Reader::names_pointer(size_t first, size_t end) const {
    for (size_t i = first; i < end; ++i)
        if (punct(i) == '*') return true;
    return false;
}

/* Of an address only another pointer may be made: a number could go anywhere. */
Reader::Value Reader::converted(Value v, bool to_pointer, size_t i) {
    require(i, !v.address || to_pointer, "the address of a local variable as a number");
    v.members = nullptr;
    return v;
}

bool Reader::is_cast(size_t open) const {
    return begins_type(open + 1) && punct(open + 2) != '{' && !is_cut(open + 1) &&
           punct(open + 2) != '(';
}

/* A type, pointers to it included, from at_ to `end`. */
bool Reader::type_name(size_t end) {
    const Type type = read_type(false);
    if (type.is_auto || type.is_group) return false;
    for (; at_ < end; ++at_)
        if (punct(at_) != '*' && !is(at_, "const") && !is(at_, "__restrict__")) return false;
    return at_ == end;
}

/* Nothing in it is done. */
Reader::Value Reader::size_of() {
    ++at_;
    require(at_, punct(at_) == '(', "'sizeof' of this form");
    const size_t close = closing(at_);
    require(at_, !cuts(at_, close), "a barrier or warp operation in 'sizeof'");
    if (begins_type(at_ + 1)) {
        ++at_;
        require(at_, type_name(close), "'sizeof' of this type");
    } else {
        ++at_;
        expression();
        require(at_, at_ == close, "'sizeof' of this form");
    }
    ++at_;
    return Value();
}

Reader::Value Reader::postfix() {
    Value v = primary();
    for (;;) {
        if (punct(at_) == '[') {
            v = subscript(v);
        } else if (punct(at_) == '.' || is(at_, "->")) {
            v = member(v);
        } else if (is_operator(at_, "++") || is_operator(at_, "--")) {
            require(at_, v.lvalue && !v.dims, "'++' or '--' of this");
            change(v, at_);
            at_ += 2;
            v = rvalue(v, at_);
        } else {
            if (punct(at_) == '(') refuse(at_, "a call of this form");
            return v;
        }
    }
}

Reader::Value Reader::subscript(Value base) {
    const size_t open = at_, close = closing(at_);
    require(open, base.root < 0 || variables_[(size_t)base.root].storage != Variable::kGroup,
            "a group as a value");
    ++at_;
    require(at_, !rvalue(expression(), at_).address, "an index of this form");
    require(at_, at_ == close, "an index of this form");
    ++at_;
    base.direct = false;
    if (base.dims) {
        --base.dims;
        return base;
    }
    Value v; /* what a pointer points at */
    v.lvalue = true;
    return v;
}

Reader::Value Reader::member(Value base) {
    const bool arrow = is(at_, "->");
    const size_t dot = at_++;
    require(at_, t_[at_].kind == kName, "a member of this form");
    const size_t name = at_++;
    const std::string word = text(name);
    if (base.root >= 0 && base.direct &&
        variables_[(size_t)base.root].storage == Variable::kGroup) {
        require(name,
                !arrow && vocabulary::tells_of_group(word) && punct(at_) == '(' &&
                    punct(at_ + 1) == ')',
                "the call of " + quoted(name) + " of a group");
        at_ += 2;
        return Value();
    }
    require(name, punct(at_) != '(', "the call of the method " + quoted(name));
    if (arrow || (base.root < 0 && base.lvalue)) {
        if (arrow) rvalue(base, dot);
        Value v;
        v.lvalue = true;
        return v;
    }
    if (base.root < 0) return Value(); /* of a value that a function gave, or of threadIdx */
    base.direct = false;
    require(dot, !base.dims, "a member of an array");
    if (base.members) {
        auto at = base.members->find(word);
        require(name, at != base.members->end(),
                "the member " + quoted(name) + ", which is not known");
        base.dims = at->second.dims;
        base.members = nullptr;
        return base;
    }
    require(name, word == "x" || word == "y" || word == "z" || word == "w",
            "the member " + quoted(name) + ", which is not known");
    return base;
}

/* ---- primary expressions ---- */

Reader::Value Reader::primary() {
    const size_t i = at_;
    if (t_[i].kind == kNumber || t_[i].kind == kText) {
        while (t_[at_].kind == t_[i].kind && (at_ == i || t_[i].kind == kText)) ++at_;
        return Value();
    }
    if (punct(i) == '(') return parenthesis();
    if (t_[i].kind == kName) return name();
    if (is(i, "::")) refuse(i, "a name of this form");
    if (punct(i) == '[') refuse(i, "a lambda");
    refuse(i, "an expression of this form");
}

Reader::Value Reader::parenthesis() {
    const size_t close = closing(at_);
    ++at_;
    require(at_, punct(at_) != '{', "an expression of this form");
    Value v = expression();
    require(at_, at_ == close, "an expression of this form");
    ++at_;
    return v;
}

Reader::Value Reader::name() {
    const size_t i = at_;
    const std::string word = text(i);
    static const std::set<std::string> constants = {"true",     "false",
                                                    "nullptr",  "__null",
                                                    "warpSize", "__PRETTY_FUNCTION__",
                                                    "__func__", "__FUNCTION__"};
    if (word == "static_cast" || word == "reinterpret_cast" || word == "const_cast")
        return named_cast();
    if (word == "__extension__") {
        ++at_;
        return primary();
    }
    const int k = lookup(word);
    if (k >= 0) return variable(k, i);
    if (program_.names.is_builtin(i)) {
        ++at_;
        return Value();
    }
    if (is(i + 1, "::")) return qualified();
    if (constants.count(word) && !program_.types.declares(word)) {
        ++at_;
        return Value();
    }
    if (begins_type(i)) { /* float(x), float4{...} */
        const Type type = read_type(false);
        require(i, !type.is_auto && !type.is_static && !type.is_group, "a type as a value");
        require(at_, punct(at_) == '(' || punct(at_) == '{', "a type as a value");
        Value v;
        if (punct(at_) == '{') braces();
        else
            for (const Value &value : arguments())
                require(i, !value.address, "the address of a local variable as a number");
        v.members = type.members;
        return v;
    }
    if (punct(i + 1) == '(' || (punct(i + 1) == '<' && program_.callee(word))) return call(i);
    foreign(i);
    ++at_;
    Value v;
    if (template_.values.count(word) || program_.types.is_enumerator(word)) return v;
    const ProgramTypes::Member *variable = program_.types.variable(word);
    require(i, variable || program_.constants.count(word), quoted(i) + ", which is not known");
    v.lvalue = true;
    v.dims = variable ? variable->dims : 0;
    return v;
}

Reader::Value Reader::variable(int k, size_t i) {
    const Variable &found = variables_[(size_t)k];
    require(i, punct(i + 1) != '(',
            "the call through " + quoted(i) + ", which may be of any function");
    ++at_;
    meanings_[i] = k;
    Value v;
    v.lvalue = v.direct = true;
    v.root = k;
    v.token = i;
    v.dims = found.dims;
    v.members = found.members;
    v.address = found.pointer && !found.kept && found.storage != Variable::kShared;
    if (found.reference && purpose_ == kUncut && found.storage == Variable::kParameter)
        v.address = false;
    return v;
}

/* Names with :: in them, of a few forms. */
Reader::Value Reader::qualified() {
    const size_t i = at_;
    if (program_.types.is_enum(text(i)) && t_[i + 2].kind == kName && punct(i + 3) != '(') {
        at_ += 3;
        return Value();
    }
    if (is(i, "std") && is(i + 2, "numeric_limits") && punct(i + 3) == '<') {
        const size_t close = closing_angle(i + 3);
        at_ = i + 4;
        require(i,
                close && type_name(close) && is(close + 1, "::") && punct(close + 3) == '(' &&
                    punct(close + 4) == ')',
                "a name of this form");
        angles_[i + 3] = close;
        at_ = close + 5;
        return Value();
    }
    if (is(i, "std") && !is(i + 3, "::") &&
        vocabulary::does(text(i + 2)) == vocabulary::kComputes && punct(i + 3) == '(') {
        at_ = i + 3;
        conclude(i + 2, arguments(), nullptr);
        return Value();
    }
    refuse(i, "the name '" + text(i) + "::" + text(i + 2) + "', which is not known");
}

/* static_cast<T>(x) */
Reader::Value Reader::named_cast() {
    const size_t close = punct(at_ + 1) == '<' ? closing_angle(at_ + 1) : 0;
    require(at_, close && punct(close + 1) == '(', "a conversion of this form");
    angles_[at_ + 1] = close;
    const size_t first = at_;
    const bool pointer = names_pointer(at_ + 2, close);
    at_ += 2;
    require(at_, type_name(close), "a conversion to this type");
    at_ = close + 1;
    return converted(rvalue(parenthesis(), at_), pointer, first);
}
