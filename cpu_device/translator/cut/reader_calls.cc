/* Reads calls: of the device's own functions by their exact names, and of the program's that were
 * read before.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include <algorithm>

#include "cpu_device/translator/cut/reader.h"
#include "cpu_device/translator/read/vocabulary.h"

Reader::Value Reader::call(size_t i) {
    const std::string word = text(i);
    foreign(i);
    size_t open = i + 1;
    if (program_.waits.is_function(word) || program_.callee(word)) return device_call(i, &open);
    require(i, !program_.types.declares(word), "the call of " + quoted(i) + ", which is not known");
    const vocabulary::Does does = vocabulary::does(word);
    at_ = open;
    switch (does) {
    case vocabulary::kUnknown: refuse(i, "the call of " + quoted(i) + ", which is not known");
    case vocabulary::kBarrier: refuse(i, "a barrier that is no statement of its own");
    case vocabulary::kWaits:
        refuse(i, "the call of " + quoted(i) + ", at which kernels are not cut");
    case vocabulary::kWarpBarrier:
    case vocabulary::kWarpOperation: {
        require(i, purpose_ == kCut, "the call of " + quoted(i));
        for (const Value &v : arguments())
            require(i, !v.address, "the address of a local variable in " + quoted(i));
        return Value();
    }
    case vocabulary::kPrints: {
        for (const Value &v : arguments())
            require(i, !v.address, "the address of a local variable in " + quoted(i));
        return Value();
    }
    default: break;
    }
    const std::vector<Value> given = arguments();
    conclude(i, given, nullptr);
    Value v;
    for (const Value &argument : given)
        v.address = v.address || (does == vocabulary::kWrites && argument.address);
    return v;
}

/* "line 12: " */
std::string Reader::place(size_t i) const { return "line " + std::to_string(t_[i].line) + ": "; }

/* A function of the program's. */
Reader::Value Reader::device_call(size_t i, size_t *open) {
    const Callee *callee = program_.callee(text(i));
    if (punct(*open) == '<') *open = template_arguments(*open);
    at_ = *open;
    if (callee && callee->cut) {
        require(i, purpose_ == kCut, "the call of " + quoted(i) + ", which has barriers");
        for (const Value &v : arguments())
            require(i, !v.address,
                    "the address of a local variable for " + quoted(i) + ", which has barriers");
        return Value();
    }
    require(i, callee,
            "the call of " + quoted(i) + ", which is defined further down, or calls itself");
    const Waits::Reason reason = program_.waits.reason(text(i));
    require(i, program_.waits.is_function(text(i)) && !reason.token,
            "the call of " + quoted(i) + ", which waits and is not cut: " +
                (callee->waits_itself ? place(callee->why.token) + callee->why.why : reason.what));
    conclude(i, arguments(), callee);
    return Value();
}

/* <float, 32> of a call: plain types and numbers; returns the token behind. */
size_t Reader::template_arguments(size_t open) {
    const size_t close = closing_angle(open);
    require(open, close && punct(close + 1) == '(', "template arguments of this form");
    angles_[open] = close;
    for (at_ = open + 1; at_ < close;) {
        size_t end = at_;
        while (end < close && punct(end) != ',')
            end = punct(end) == '(' ? closing(end) + 1 : end + 1;
        if (begins_type(at_)) require(at_, type_name(end), "a template argument of this type");
        for (; at_ < end; ++at_) {
            const bool number = t_[at_].kind == kNumber || template_.values.count(text(at_)) ||
                                program_.constants.count(text(at_)) ||
                                program_.types.is_enumerator(text(at_)) || is(at_, "true") ||
                                is(at_, "false");
            require(at_, number || (punct(at_) && strchr("+-*/%()", punct(at_))),
                    "a template argument of this form");
        }
        at_ = end + (punct(end) == ',');
    }
    return close + 1;
}

/* The arguments in the parentheses at at_. */
std::vector<Reader::Value> Reader::arguments() {
    std::vector<Value> out;
    require(at_, punct(at_) == '(', "a call of this form");
    const size_t close = closing(at_);
    ++at_;
    while (at_ < close) {
        require(at_, punct(at_) != '{', "an argument in braces");
        Value v = assignment();
        if (v.dims) v = rvalue(v, at_);
        if (v.root >= 0)
            require(at_, variables_[(size_t)v.root].storage != Variable::kGroup,
                    "a group as an argument");
        out.push_back(v);
        if (at_ < close) expect(",");
    }
    ++at_;
    return out;
}

/* What the call may do to the function's variables: through references, and their addresses. */
void Reader::conclude(size_t i, const std::vector<Value> &given, const Callee *callee) {
    for (const Value &v : given) {
        const bool referred = callee && callee->takes_references && v.lvalue && v.root >= 0;
        if (referred) change(v, v.token);
        if (callee)
            require(i, callee->keeps_nothing || !(v.address || referred),
                    "the address of a local variable for " + quoted(i) + ", which may keep it");
    }
}
