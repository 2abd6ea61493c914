/* The reader's beliefs as lines of text.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cpu_device/translator/cut/beliefs.h"

#include <stdio.h>

#include <string>

namespace {

class Beliefs : private Tokens {
  public:
    Beliefs(const Source &src, const Reader &reader) : Tokens(src), reader_(reader) {}

    void print() const {
        line(reader_.function_name(), "function " + quoted(reader_.function_name()) + " is read");
        for (const Reader::Variable &v : reader_.variables())
            line(v.token, "variable " + quoted(v.token) + ": " + kind(v));
        for (const auto &[token, k] : reader_.meanings()) {
            const size_t declared = reader_.variables()[(size_t)k].token;
            if (token != declared) line(token, quoted(token) + " is of " + place(declared));
        }
    }

  private:
    void line(size_t i, const std::string &what) const {
        fprintf(stderr, "%s:%s: %s\n", file(i).c_str(), place(i).c_str(), what.c_str());
    }

    std::string quoted(size_t i) const { return "'" + text(i) + "'"; }

    std::string place(size_t i) const {
        const size_t begin = t_[i].begin,
                     line_start = begin ? src_.text.rfind('\n', begin - 1) + 1 : 0;
        return std::to_string(t_[i].line) + ":" + std::to_string(begin - line_start + 1);
    }

    /* "shared array of 1 dimension of pointer to number" */
    static std::string kind(const Reader::Variable &v) {
        std::string out = v.storage == Reader::Variable::kShared ? "shared " : "";
        if (v.reference) out += "reference to ";
        if (v.dims)
            out += "array of " + std::to_string(v.dims) +
                   (v.dims == 1 ? " dimension of " : " dimensions of ");
        if (v.pointer) out += "pointer to ";
        return out + base(v.base) + members(v);
    }

    static const char *base(Reader::Base base) {
        switch (base) {
        case Reader::Base::kNumber: return "number";
        case Reader::Base::kValue: return "value";
        case Reader::Base::kStructure: return "structure";
        case Reader::Base::kTemplateType: return "template type";
        case Reader::Base::kVoid: return "void";
        case Reader::Base::kAuto: return "auto";
        case Reader::Base::kBlock: return "group";
        }
        return "";
    }

    /* " { a, *p, m[][] }", by name. */
    static std::string members(const Reader::Variable &v) {
        if (!v.members) return "";
        std::string out;
        for (const auto &[name, member] : *v.members) {
            out += (out.empty() ? " { " : ", ") + std::string(member.pointer ? "*" : "") + name;
            for (size_t k = 0; k < member.dims; ++k) out += "[]";
        }
        return out + " }";
    }

    const Reader &reader_;
};

} // namespace

void print_beliefs(const Source &src, const Reader &reader) { Beliefs(src, reader).print(); }
