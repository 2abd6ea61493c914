/* Reads functions and statements.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cpu_device/translator/cut/reader.h"

#include <string.h>

#include "cpu_device/translator/read/vocabulary.h"

bool Reader::read(size_t begin, size_t name, size_t body) {
    function_name_ = name;
    try {
        require(name, punct(name + 1) == '(' && closing(name + 1) + 1 == body,
                "its head is not of a form that is read");
        const Waits::Reason &unnamed = program_.waits.unnamed();
        require(name, !unnamed.token,
                "a constructor or operator of the program may wait: " + unnamed.what);
        read_template(begin);
        read_parameters(name + 1, body);
        block(body, purpose_ == kCut, &statements_);
    } catch (const Refused &) {
        return false;
    }
    return true;
}

void Reader::refuse(size_t i, const std::string &why) {
    refusal_ = {i, why};
    throw Refused();
}

void Reader::expect(const char *punctuation) {
    require(at_, is(at_, punctuation),
            "'" + std::string(punctuation) + "' is expected where " + quoted(at_) + " stands");
    ++at_;
}

const Declaration *Reader::declaration(size_t first) const {
    auto at = declarations_.find(first);
    return at == declarations_.end() ? nullptr : &at->second;
}

int Reader::variable_at(size_t i) const {
    auto at = meanings_.find(i);
    return at == meanings_.end() ? -1 : at->second;
}

std::vector<std::pair<size_t, size_t>> Reader::pieces(size_t first, size_t end) const {
    std::vector<std::pair<size_t, size_t>> out;
    if (first >= end) return out;
    size_t from = first;
    for (size_t i = first; i < end; ++i) {
        const char c = punct(i);
        auto angle = angles_.find(i);
        if (angle != angles_.end()) i = angle->second;
        else if (c == '(' || c == '[' || c == '{') i = closing(i);
        else if (c == ',') {
            out.emplace_back(from, i);
            from = i + 1;
        }
    }
    out.emplace_back(from, end);
    return out;
}

/* ---- cuts ---- */

bool Reader::is_cut(size_t i) const {
    if (t_[i].kind != kName || i == function_name_) return false;
    size_t next = i + 1;
    if (punct(next) == '<') {
        const size_t close = closing_angle(next);
        next = close ? close + 1 : next;
    }
    if (punct(next) != '(') return false;
    const std::string name = text(i);
    if (name == "sync") return punct(i - 1) == '.' || is(i - 1, "::");
    if (punct(i - 1) == '.' || is(i - 1, "->") || is(i - 1, "::")) return false;
    const Callee *callee = program_.callee(name);
    if (callee) return callee->cut;
    if (program_.types.declares(name)) return false;
    const vocabulary::Does does = vocabulary::does(name);
    return does == vocabulary::kBarrier || does == vocabulary::kWarpBarrier ||
           does == vocabulary::kWarpOperation;
}

bool Reader::cuts(size_t first, size_t last) const {
    for (size_t i = first; i <= last; ++i)
        if (is_cut(i)) return true;
    return false;
}

/* ---- what stands before the body ---- */

void Reader::read_template(size_t begin) {
    size_t first = begin;
    while (first > 0 && punct(first - 1) != ';' && punct(first - 1) != '}' &&
           punct(first - 1) != '{') {
        if (punct(first - 1) == '>') {
            const size_t open = opening_angle(first - 1);
            if (open > 0 && is(open - 1, "template")) break;
        }
        --first;
    }
    template_.first = first;
    if (first == 0 || punct(first - 1) != '>') return;
    const size_t open = opening_angle(first - 1), close = first - 1;
    require(first, close > open + 1, "a template's specialisation");
    template_.text = text(open - 1, close) + " ";
    for (size_t i = open + 1; i < close;) {
        size_t name = 0, end = i;
        const bool type = is(i, "class") || is(i, "typename");
        for (; end < close && punct(end) != ','; ++end) {
            require(end, punct(end) != '.' && punct(end) != '<',
                    "template parameters of this form");
            if (is(end, "=")) { /* the default is nothing to the function */
                while (end + 1 < close && punct(end + 1) != ',')
                    end = punct(end + 1) == '(' ? closing(end + 1) : end + 1;
                continue;
            }
            if (t_[end].kind == kName) name = end;
        }
        require(i, name > i && !is(i, "auto"), "a template parameter of this form");
        size_t after = 0;
        require(i, type || program_.types.type_at(i, &after) == ProgramTypes::kArithmetic,
                "a template parameter of this type");
        template_.arguments += (template_.arguments.empty() ? "<" : ", ") + text(name);
        if (type) template_.types.push_back(text(name));
        else template_.values.insert(text(name));
        local_names_.insert(text(name));
        i = end + 1;
    }
    template_.arguments += ">";
}

void Reader::read_parameters(size_t open, size_t body) {
    const size_t close = closing(open);
    scope_end_ = closing(body);
    at_ = open + 1;
    if (is(at_, "void") && at_ + 1 == close) ++at_;
    while (at_ < close) {
        const size_t first = at_;
        Declaration d = {};
        d.first = first;
        const Type type = read_type(false);
        require(first, !type.is_auto && !type.is_static && !type.is_group,
                "a parameter of this type");
        d.type_last = type.last;
        d.builtin = type.builtin;
        declarator(&d, type, purpose_ == kCut, Variable::kParameter);
        Variable &v = variables_.back();
        if (v.dims) v.pointer = true, v.dims = 0;
        if (is(at_, "=")) /* the default value is its callers' */
            while (at_ < close && punct(at_) != ',')
                at_ = punct(at_) == '(' || punct(at_) == '{' ? closing(at_) + 1 : at_ + 1;
        parameters_.push_back(d);
        if (at_ < close) expect(",");
    }
}

/* ---- statements ---- */

/* The statements between the braces. kept: what they declare may live from one phase to another. */
void Reader::block(size_t open, bool kept, std::vector<Statement> *list) {
    const size_t end = closing(open), mark = enter(), outer = scope_end_;
    scope_end_ = end;
    at_ = open + 1;
    while (at_ < end) list->push_back(statement(kept));
    require(at_, at_ == end, "a statement that goes beyond its block");
    ++at_;
    leave(mark);
    scope_end_ = outer;
}

Statement Reader::statement(bool kept) {
    static const std::set<std::string> never = {"goto",         "try",    "asm",       "__asm__",
                                                "__asm",        "case",   "default",   "throw",
                                                "new",          "delete", "co_return", "co_yield",
                                                "static_assert"};
    static const std::set<std::string> local = {
        "struct", "class", "union", "enum", "typedef", "using", "template", "namespace", "extern"};
    require(at_, !never.count(text(at_)),
            quoted(at_) + " is no part of the language in which kernels are cut");
    if (local.count(text(at_)) && !declares_shared(at_))
        refuse(at_, "a declaration that begins with " + quoted(at_));
    if (t_[at_].kind == kName && punct(at_ + 1) == ':' && !is(at_ + 1, "::"))
        refuse(at_, "a label");
    Statement s;
    s.first = at_;
    const bool cut = kept && is_compound(at_) && cuts(at_, end_of_statement(at_));
    if (punct(at_) == '{') {
        s.kind = Statement::kBlock;
        s.last = closing(at_);
        block(at_, cut, &s.parts);
        return s;
    }
    if (is(at_, "for")) return for_statement(cut);
    if (is(at_, "switch")) return switch_statement();
    if (is(at_, "if") || is(at_, "while")) {
        s.kind = is(at_, "if") ? Statement::kIf : Statement::kWhile;
        s.open = at_ + 1 + is(at_ + 1, "constexpr");
        s.close = closing(s.open);
        condition(s.open);
        part(&s, cut);
        if (s.kind == Statement::kIf && is(at_, "else")) {
            s.other = at_++;
            part(&s, cut);
        }
        s.last = at_ - 1;
        return s;
    }
    if (is(at_, "do")) {
        s.kind = Statement::kDo;
        ++at_;
        part(&s, cut);
        require(at_, is(at_, "while"), "a do without its while");
        s.open = at_ + 1;
        s.close = closing(s.open);
        condition(s.open);
        expect(";");
        s.last = at_ - 1;
        return s;
    }
    return simple_statement(kept);
}

/* Other statements may lie in it. */
bool Reader::is_compound(size_t i) const {
    return punct(i) == '{' || is(i, "if") || is(i, "for") || is(i, "while") || is(i, "do") ||
           is(i, "switch");
}

/* What an if or a loop governs. kept: there are cuts in that if or loop, perhaps in its other part. */
void Reader::part(Statement *s, bool kept) {
    const size_t mark = enter();
    if (punct(at_) == '{') {
        Statement b;
        b.kind = Statement::kBlock;
        b.first = at_;
        b.last = closing(at_);
        block(at_, kept, &b.parts);
        s->parts.push_back(b);
    } else {
        s->parts.push_back(statement(kept));
    }
    leave(mark);
}

void Reader::condition(size_t open) {
    require(open, punct(open) == '(', "'(' is expected");
    at_ = open + 1;
    require(at_, !begins_declaration(), "a condition that declares a variable");
    rvalue(expression(), open + 1);
    require(at_, at_ == closing(open), "a condition of more than an expression");
    ++at_;
}

/* The last token of the statement that begins at token i. */
size_t Reader::end_of_statement(size_t i) const {
    if (punct(i) == '{') return closing(i);
    if (is(i, "do")) return closing(end_of_statement(i + 1) + 2) + 1;
    if (is(i, "if") || is(i, "for") || is(i, "while") || is(i, "switch")) {
        const size_t end = end_of_statement(closing(i + 1 + is(i + 1, "constexpr")) + 1);
        return is(i, "if") && is(end + 1, "else") ? end_of_statement(end + 2) : end;
    }
    while (i + 1 < t_.size() && punct(i) != ';')
        i = punct(i) == '(' || punct(i) == '[' || punct(i) == '{' ? closing(i) + 1 : i + 1;
    return i;
}

/* kept: there are cuts in it, so that it lies around phases, and so does the variable it declares. */
Statement Reader::for_statement(bool kept) {
    Statement s;
    s.kind = Statement::kFor;
    s.first = at_;
    s.open = at_ + 1;
    s.close = closing(s.open);
    require(s.open, punct(s.open) == '(', "'(' is expected");
    const size_t mark = enter(), outer = scope_end_;
    scope_end_ = end_of_statement(s.first);
    at_ = s.open + 1;
    if (begins_declaration()) read_declaration(kept);
    else if (punct(at_) != ';') expression();
    expect(";");
    if (punct(at_) != ';') rvalue(expression(), at_);
    expect(";");
    if (at_ != s.close) expression();
    require(at_, at_ == s.close, "a loop of this form");
    ++at_;
    part(&s, kept);
    require(s.first, at_ - 1 == scope_end_, "a loop of this form");
    leave(mark);
    scope_end_ = outer;
    s.last = at_ - 1;
    return s;
}

/* It lies within a phase: nothing in it is cut. */
Statement Reader::switch_statement() {
    Statement s;
    s.kind = Statement::kSwitch;
    s.first = at_;
    s.open = at_ + 1;
    s.close = closing(s.open);
    condition(s.open);
    require(at_, punct(at_) == '{', "a switch without braces");
    const size_t end = closing(at_), mark = enter(), outer = scope_end_;
    scope_end_ = end;
    require(s.first, !cuts(s.first, end), "a barrier or warp operation in a switch");
    ++at_;
    while (at_ < end) {
        if (is(at_, "case")) {
            ++at_;
            rvalue(conditional(), at_);
            expect(":");
        } else if (is(at_, "default")) {
            ++at_;
            expect(":");
        } else {
            s.parts.push_back(statement(false));
        }
    }
    leave(mark);
    scope_end_ = outer;
    at_ = end + 1;
    s.last = end;
    return s;
}

/* Among the words that begin at token i is __shared__. */
bool Reader::declares_shared(size_t i) const {
    for (; t_[i].kind == kName; i = punct(i + 1) == '(' ? closing(i + 1) + 1 : i + 1)
        if (is(i, "__shared__")) return true;
    return false;
}

Statement Reader::simple_statement(bool kept) {
    Statement s;
    s.first = at_;
    if (punct(at_) == ';') {
        s.last = at_++;
        return s;
    }
    if (is(at_, "break") || is(at_, "continue")) {
        ++at_;
    } else if (is(at_, "return")) {
        ++at_;
        if (punct(at_) != ';') {
            const size_t first = at_;
            if (punct(at_) == '{') braces();
            else
                require(first, !rvalue(expression(), at_).address,
                        "the address of a local variable is returned");
        }
    } else if (barrier_statement()) {
        barriers_.insert(s.first);
    } else if (declares_shared(at_)) {
        s.shared = true;
        shared_declaration();
    } else if (begins_declaration()) {
        read_declaration(kept);
    } else {
        expression();
    }
    expect(";");
    s.last = at_ - 1;
    return s;
}

/* Behind `cg::this_thread_block()` at token i; 0: something else stands there. */
size_t Reader::after_whole_block(size_t i) const {
    size_t name = i;
    if (!program_.types.is_groups_namespace(i, &name) &&
        program_.types.declares("this_thread_block"))
        return 0;
    return is(name, "this_thread_block") && punct(name + 1) == '(' && punct(name + 2) == ')'
               ? name + 3
               : 0;
}

/* __syncthreads(), or the same of the block's group. */
bool Reader::barrier_statement() {
    size_t end = 0;
    size_t after = 0;
    const size_t block = after_whole_block(at_);
    if (block && punct(block) == '.' && is(block + 1, "sync") && punct(block + 2) == '(' &&
        punct(block + 3) == ')')
        end = block + 4;
    if (is(at_, "__syncthreads") && !program_.types.declares("__syncthreads") &&
        punct(at_ + 1) == '(' && punct(at_ + 2) == ')')
        end = at_ + 3;
    const int group = t_[at_].kind == kName ? lookup(text(at_)) : -1;
    if (group >= 0 && variables_[(size_t)group].storage == Variable::kGroup &&
        punct(at_ + 1) == '.' && is(at_ + 2, "sync") && punct(at_ + 3) == '(' &&
        punct(at_ + 4) == ')') {
        end = at_ + 5;
        meanings_[at_] = group;
    }
    if (program_.types.is_groups_namespace(at_, &after) && is(after, "sync") &&
        punct(after + 1) == '(') {
        const size_t argument = after_whole_block(after + 2);
        if (argument && punct(argument) == ')') end = argument + 1;
    }
    if (after && is(after, "sync") && punct(after + 1) == '(' && punct(after + 3) == ')') {
        const int named = lookup(text(after + 2));
        if (named >= 0 && variables_[(size_t)named].storage == Variable::kGroup) {
            end = after + 4;
            meanings_[after + 2] = named;
        }
    }
    if (!end || punct(end) != ';') return false;
    require(at_, purpose_ == kCut, "a barrier");
    at_ = end;
    return true;
}
