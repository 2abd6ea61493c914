/* Reads types as clang writes them: `const float *__restrict`, `Pair[4][2]`.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/cpu_device/oracle/kinds.h"

#include <regex>
#include <sstream>

namespace oracle {
namespace {

struct Shape {
    bool reference = false, pointer = false;
    size_t dims = 0;
    std::string base; /* the words that are left */
};

bool take_from_end(std::string *s, const std::string &what) {
    while (!s->empty() && s->back() == ' ') s->pop_back();
    if (s->size() < what.size() || s->compare(s->size() - what.size(), what.size(), what) != 0)
        return false;
    s->resize(s->size() - what.size());
    return true;
}

/* The words of a type without its qualifiers and without the namespaces before a name. */
std::string plain_words(const std::string &type) {
    static const std::set<std::string> dropped = {"const", "volatile", "struct",  "enum",
                                                  "union", "class",    "typename"};
    static const std::regex unnamed("\\(anonymous namespace\\)::");
    std::string out;
    std::istringstream in(std::regex_replace(type, unnamed, ""));
    for (std::string word; in >> word;) {
        if (dropped.count(word)) continue;
        const size_t colons = word.rfind("::");
        out += (out.empty() ? "" : " ") +
               (colons == std::string::npos ? word : word.substr(colons + 2));
    }
    return out;
}

Shape shape_of(std::string type, const TypeNames &names) {
    Shape shape;
    while (take_from_end(&type, "]")) {
        type.resize(type.rfind('['));
        ++shape.dims;
    }
    if (take_from_end(&type, "(*)")) shape.pointer = true, shape.dims = 0; /* to an array */
    if (take_from_end(&type, "(&)")) shape.reference = true;
    for (bool more = true; more;) {
        more = take_from_end(&type, "const") || take_from_end(&type, "__restrict") ||
               take_from_end(&type, "volatile");
        if (take_from_end(&type, "*")) more = shape.pointer = true;
        if (take_from_end(&type, "&")) more = shape.reference = true;
    }
    shape.base = plain_words(type);
    const auto alias = names.aliases.find(shape.base);
    if (alias == names.aliases.end() || plain_words(alias->second) == shape.base) return shape;
    const Shape real = shape_of(alias->second, names);
    shape.pointer = shape.pointer || real.pointer;
    if (!shape.pointer) shape.dims += real.dims;
    shape.base = real.base;
    return shape;
}

bool is_number(const std::string &base, const TypeNames &names) {
    static const std::regex numbers(
        "((unsigned|signed|char|short|int|long|__int128)( (unsigned|signed|char|short|int|long))*|float|double|long double|bool|"
        "wchar_t|char16_t|char32_t|u?int(8|16|32|64)_t|u?int_(fast|least)(8|16|32|64)_t|u?intptr_t|size_t|ssize_t|ptrdiff_t|"
        "clock_t|time_t|uchar|uint|ushort|ulong)");
    return names.enumerations.count(base) || std::regex_match(base, numbers);
}

/* CUDA's vectors and small floating-point numbers, curand's states. */
bool is_value(const std::string &base) {
    static const std::regex values(
        "u?(char|short|int|long|longlong)[1-4](_(16|32)a)?|(float|double)[1-4](_(16|32)a)?|dim3|(__)?half2?|(__)?nv_bfloat16|"
        "(__)?nv_bfloat162|cu(Float|Double)?Complex|curandState.*");
    return std::regex_match(base, values);
}

std::string members(const std::map<std::string, std::string> &members, const TypeNames &names) {
    std::string out;
    for (const auto &[name, type] : members) {
        const Shape shape = shape_of(type, names);
        out += (out.empty() ? " { " : ", ") + std::string(shape.pointer ? "*" : "") + name;
        for (size_t k = 0; k < shape.dims; ++k) out += "[]";
    }
    return out + " }";
}

std::string base_of(const Shape &shape, const TypeNames &names) {
    const std::string &base = shape.base;
    if (base == "void") return "void";
    if (names.template_types.count(base)) return "template type";
    const auto structure = names.structures.find(base);
    if (structure != names.structures.end())
        return "structure" + (shape.pointer ? "" : members(structure->second, names));
    if (is_number(base, names)) return "number";
    if (is_value(base)) return "value";
    if (base == "thread_block") return "group";
    return "'" + base + "'";
}

} // namespace

std::string kind_of(const std::string &type, const TypeNames &names) {
    const Shape shape = shape_of(type, names);
    std::string out = shape.reference ? "reference to " : "";
    if (shape.dims)
        out += "array of " + std::to_string(shape.dims) +
               (shape.dims == 1 ? " dimension of " : " dimensions of ");
    return out + (shape.pointer ? "pointer to " : "") + base_of(shape, names);
}

} // namespace oracle
