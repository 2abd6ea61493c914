/* What stands before the body of a function that is cut: its template parameters; a device
 * function's result and parameters, which become the members of a frame.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cpu_device/translator/cut/phase_cutter.h"

/* A device function's result and parameters: values only. */
bool PhaseCutter::read_signature() {
    if (!read_result()) {
        fail(name_, "a result of this type of a device function with barriers or warp operations");
        return false;
    }
    for (const Declaration &d : reader_.parameters()) {
        if (read_parameter(d)) continue;
        fail(d.first,
             "a parameter of this type of a device function with barriers or warp operations");
        return false;
    }
    return true;
}

bool PhaseCutter::read_result() {
    static const std::set<std::string> dropped = {"__device__", "__host__",    "__forceinline__",
                                                  "__inline__", "inline",      "static",
                                                  "constexpr",  "__noinline__"};
    bool points = false;
    for (size_t i = start_; i < name_; ++i) points = points || punct(i) == '*';
    for (size_t i = start_; i < name_; ++i) {
        if (is(i, "auto") || is(i, "extern") || punct(i) == '&' || punct(i) == '[') return false;
        if (is(i, "const") && !points) continue; /* of a value: nothing to a caller */
        if (is(i, "::") && i + 1 == name_) return false;
        if ((is(i, "__attribute__") || is(i, "__launch_bounds__")) && punct(i + 1) == '(') {
            i = closing(i + 1);
            continue;
        }
        if (!dropped.count(text(i))) result_ += text(i) + " ";
    }
    return !result_.empty();
}

bool PhaseCutter::read_parameter(const Declaration &d) {
    const Declarator &one = d.declarators[0];
    if (one.reference || d.is_auto) return false;
    if (one.array && closing(one.name + 1) != one.last) return false;
    parameters_.push_back(text(one.name));
    members_ += member(d, one, text(one.name)) + " ";
    types_ += (types_.empty() ? "" : ", ") + text(d.first, one.last);
    return true;
}

/* The declaration of a frame's member: it is assigned to, so no const of its own. */
std::string PhaseCutter::member(const Declaration &d, const Declarator &one,
                                const std::string &name) const {
    std::string s;
    for (size_t i = d.first; i <= d.type_last; ++i) {
        if (is(i, "static") || is(i, "constexpr") || is(i, "register")) continue;
        if (is(i, "const") && !one.pointer && !(one.array && is_parameter(one))) continue;
        s += text(i) + " ";
    }
    if (one.array && is_parameter(one)) return s + "*" + name + ";";
    size_t last_star = one.first;
    for (size_t i = one.first; i < one.name; ++i)
        if (punct(i) == '*') last_star = i;
    for (size_t i = one.first; i <= one.last; ++i) {
        if (is(i, "const") && i < one.name && i > last_star) continue;
        s += i == one.name ? name : text(i);
        s += " ";
    }
    return s + ";";
}

/* The type of a device function's parameters and result. */
std::string PhaseCutter::frame_type() const {
    return "CuFrame" + std::to_string(t_[f_.begin].begin);
}

/* What a second form begins with: the frame's type, a function that is only declared and tells
 * that type from arguments, and the form's own head. */
std::string PhaseCutter::head() const {
    const Reader::Template &t = reader_.template_parameters();
    const std::string type = frame_type(), name = text(name_);
    const std::string result = result_ == "void " ? "" : result_ + "cu_ret; ";
    return " " + t.text + "struct " + type + " { " + members_ + result + "}; " + t.text + type +
           t.arguments + " cu_frame_" + name + "(" + types_ + "); " + t.text +
           "[[maybe_unused]] static void cu_block_" + name +
           "([[maybe_unused]] ::cpu_device::BlockRun &cu_b, [[maybe_unused]] const ::cpu_device::Mask &cu_m, "
           "[[maybe_unused]] " +
           type + t.arguments + " *cu_a) {";
}
