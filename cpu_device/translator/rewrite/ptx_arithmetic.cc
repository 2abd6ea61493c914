/* Translates PTX arithmetic.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cpu_device/translator/rewrite/ptx_arithmetic.h"

#include <map>
#include <set>

namespace {

/* The type that holds twice as much; empty: none. */
std::string wider(const std::string &type) {
    static const std::map<std::string, std::string> types = {
        {"int16_t", "int"}, {"uint16_t", "unsigned"}, {"int", "int64_t"}, {"unsigned", "uint64_t"}};
    auto at = types.find(type);
    return at == types.end() ? "" : at->second;
}

} // namespace

/* add, sub, mul, div, fma, rcp, sqrt of floats in another direction than the nearest. */
std::string PtxArithmetic::rounded(const std::string &type) {
    static const std::map<std::string, std::string> directions = {
        {"rz", "_rz"}, {"rm", "_rd"}, {"rp", "_ru"}};
    static const std::set<std::string> names = {"add", "sub", "mul", "div", "fma", "rcp", "sqrt"};
    if (!names.count(parts_[0])) return "";
    for (const auto &d : directions) {
        if (!has(d.first)) continue;
        const bool wide = type == "double";
        std::vector<std::string> values;
        for (size_t i = 1; i < count(); ++i) values.push_back(value(i, type));
        if (parts_[0] == "fma") return call((wide ? "::__fma" : "::__fmaf") + d.second, values);
        return call(std::string("::__") + (wide ? "d" : "f") + parts_[0] + d.second, values);
    }
    return "";
}

/* add.cc, addc, sub.cc, subc, mad.lo.cc, madc.hi.cc ... */
std::string PtxArithmetic::with_carry(const std::string &type) {
    const std::string &name = parts_[0];
    if (is_float(type) || type == "bool") return "";
    const std::string word = is_wide(type) ? "uint64_t" : kUnsigned;
    std::string a, b;
    if (name == "mad" || name == "madc") {
        if (count() != 4 || !(has("lo") || has("hi"))) return "";
        a = has("hi") ? high(type) : "(" + value(1, word) + " * " + value(2, word) + ")";
        a = kPtx + "as<" + word + ">(" + a + ")";
        b = value(3, word);
    } else {
        if (count() != 3) return "";
        a = value(1, word), b = value(2, word);
    }
    const std::string in = name.back() == 'c' ? ", true" : ", false";
    const std::string out = has("cc") ? ", true>" : ", false>";
    return call(kPtx + (name[0] == 's' ? "subtract<" : "add<") + word + in + out, {a, b});
}

/* The upper half of a product. */
std::string PtxArithmetic::high(const std::string &type) {
    static const std::map<std::string, std::string> calls = {{"int", "::__mulhi("},
                                                             {"unsigned", "::__umulhi("},
                                                             {"int64_t", "::__mul64hi("},
                                                             {"uint64_t", "::__umul64hi("}};
    auto found = calls.find(type);
    if (found == calls.end()) return unknown();
    return found->second + value(1, type) + ", " + value(2, type) + ")";
}

std::string PtxArithmetic::permutation() {
    static const std::set<std::string> modes = {"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"};
    const std::string mode = parts_.back(), u = kUnsigned;
    if (count() != 4 || !has("b32") || (mode != "b32" && !modes.count(mode))) return "";
    return call(kPtx + (mode == "b32" ? "prmt" : "prmt_mode<" + kPtx + mode + ">"),
                {value(1, u), value(2, u), value(3, u)});
}

std::string PtxArithmetic::of_24_bits(const std::string &type) {
    const bool sum = parts_[0] == "mad24";
    if (!(type == "int" || type == kUnsigned) || !(has("lo") || has("hi")) ||
        count() != (sum ? 4u : 3u))
        return "";
    const std::string product = kPtx + "mul24(" + value(1, type) + ", " + value(2, type) +
                                (has("hi") ? ", true)" : ", false)");
    if (!sum) return result(product);
    /* With .sat as without: that is what an H200 does. */
    return result("(" + type + ")(" + product + " + " + value(3, type) + ")");
}

/* Of one operand. */
std::string PtxArithmetic::unary(const std::string &type) {
    static const std::map<std::string, std::string> of_float = {
        {"abs", "::fabsf("}, {"sqrt", "::sqrtf("}, {"rsqrt", "::rsqrtf("}, {"sin", "::sinf("},
        {"cos", "::cosf("},  {"ex2", "::exp2f("},  {"lg2", "::log2f("},    {"tanh", "::tanhf("},
        {"rcp", "(1.0f / "}, {"neg", "(-"}};
    static const std::map<std::string, std::string> of_double = {{"abs", "::fabs("},
                                                                 {"sqrt", "::sqrt("},
                                                                 {"rsqrt", "::rsqrt("},
                                                                 {"rcp", "(1.0 / "},
                                                                 {"neg", "(-"}};
    static const std::map<std::string, std::string> of_word = {
        {"abs", "::abs("}, {"popc", "::__popc("}, {"clz", "::__clz("}, {"brev", "::__brev("}};
    static const std::map<std::string, std::string> of_wide = {{"abs", "::llabs("},
                                                               {"popc", "::__popcll("},
                                                               {"clz", "::__clzll("},
                                                               {"brev", "::__brevll("}};
    const std::string a = value(1, type);
    if (parts_[0] == "bfind" && !is_float(type))
        return result(kPtx + (has("shiftamt") ? "bfind_shiftamt(" : "bfind(") + a + ")");
    if (parts_[0] == "not") return result(type == "bool" ? "!" + a : "(" + type + ")~" + a);
    if (parts_[0] == "neg" && !is_float(type)) return result("(" + type + ")-" + a);
    const auto &calls = type == "float"    ? of_float
                        : type == "double" ? of_double
                        : is_wide(type)    ? of_wide
                                           : of_word;
    auto found = calls.find(parts_[0]);
    return found == calls.end() || type == "bool" ? "" : result(found->second + a + ")");
}

std::string PtxArithmetic::binary(const std::string &type) {
    static const std::map<std::string, std::string> operators = {{"add", "+"}, {"sub", "-"},
                                                                 {"div", "/"}, {"rem", "%"},
                                                                 {"and", "&"}, {"or", "|"},
                                                                 {"xor", "^"}};
    const std::string &name = parts_[0], a = value(1, type);
    if (name == "shl" || name == "shr") return call(kPtx + name, {a, value(2, kUnsigned)});
    const std::string b = value(2, type);
    if (name == "copysign") return call(type == "float" ? "::copysignf" : "::copysign", {b, a});
    if (operators.count(name))
        return result("(" + type + ")(" + a + " " + operators.at(name) + " " + b + ")");
    if (name == "min" || name == "max") return call("::" + name, {a, b});
    if (name != "mul") return "";
    if (has("hi")) return result(high(type));
    if (!has("wide")) return result("(" + type + ")(" + a + " * " + b + ")");
    return wider(type).empty() ? "" : result("(" + wider(type) + ")" + a + " * " + b);
}

std::string PtxArithmetic::ternary(const std::string &type) {
    const std::string &name = parts_[0], a = value(1, type), b = value(2, type), u = kUnsigned;
    if (name == "selp") return result("(" + predicate(3) + " ? " + a + " : " + b + ")");
    if (name == "mad" && has("wide") && !wider(type).empty())
        return result("(" + wider(type) + ")" + a + " * " + b + " + " + value(3, wider(type)));
    if (name == "mad" && has("hi"))
        return result("(" + type + ")(" + high(type) + " + " + value(3, type) + ")");
    if (name == "bfe" && type == u) return call(kPtx + "bfe", {a, value(2, u), value(3, u)});
    if (name == "shf" && (has("wrap") || has("clamp"))) {
        const std::string way = std::string(has("l") ? "l" : "r") + (has("clamp") ? "c" : "");
        return call("::__funnelshift_" + way, {a, b, value(3, u)});
    }
    if (name == "sad" && (type == "int" || type == u))
        return call(type == "int" ? "::__sad" : "::__usad", {a, b, value(3, u)});
    const std::string c = value(3, type);
    if (name == "dp4a" && parts_.size() == 3 && parts_[1] == parts_[2])
        return call("::__dp4a", {a, b, c});
    if ((name == "mad" && has("lo")) || (name == "mad" && has("rn")))
        return result("(" + type + ")(" + a + " * " + b + " + " + c + ")");
    if (name == "fma") return call(type == "double" ? "::fma" : "::fmaf", {a, b, c});
    return "";
}

std::string PtxArithmetic::arithmetic(const std::string &type) {
    const std::string &name = parts_[0];
    if (name == "mul24" || name == "mad24") return of_24_bits(type);
    if (has("sat")) return "";
    if (has("rz") || has("rm") || has("rp")) return rounded(type);
    if (has("cc") || name == "addc" || name == "subc" || name == "madc") return with_carry(type);
    if (count() == 2) return unary(type);
    if (count() == 3) return binary(type);
    if (count() == 4) return ternary(type);
    if (count() == 5 && (name == "bfi" || name == "lop3") && type == kUnsigned)
        return call(kPtx + name, {value(1, type), value(2, type), value(3, type), value(4, type)});
    return "";
}
