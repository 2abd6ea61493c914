/* Tells the runtime of kernels.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cpu_device/translator/rewrite/kernel_table.h"

#include <set>

#include "cpu_device/translator/rewrite/template_parameters.h"

void KernelTable::write() {
    find_bounds();
    for (const DeviceFunction &f : device_.functions()) {
        if (!f.kernel) continue;
        guard(f);
        write_body(f);
        if (!device_.in_namespace(f.begin)) continue;
        std::string name = f.name;
        if (device_.kernels_named(f.name) > 1)
            name = "((void (*)(" + parameters(f) + "))" + f.name + ")";
        const std::string entry = "cu_kernel" + std::to_string(t_[f.begin].begin);
        edits_.add_after(f.body_end, " static ::cpu_device::KernelEntry " + entry + "(\"" + f.name +
                                         "\", " + name + ", ::cpu_device::TagProbe{}.symbol<(" +
                                         name + ")>());" + cluster_dims(f, name));
    }
}

/* A kernel that is called without a launch, by its name or through a pointer, does not run. One that
 * is a template's registers itself there. */
void KernelTable::guard(const DeviceFunction &f) {
    const std::string asks = " if (!::cpu_device::launched()) ", quoted = "\"" + f.name + "\"";
    std::string self;
    if (!template_instance(f, &self)) {
        edits_.declare_in(f.body, asks + "return ::cpu_device::kernel_called(" + quoted + ");");
        return;
    }
    edits_.declare_in(f.body, asks + "{ struct CuName { static const char *text() { return " +
                                  quoted + "; } }; return ::cpu_device::ThisKernel<((void (*)(" +
                                  parameters(f) + "))" + self + "), CuName>::called(); }");
}

/* True if `f` is a template, or an instance of one that stands by itself: *name with its arguments. */
bool KernelTable::template_instance(const DeviceFunction &f, std::string *name) {
    TemplateParameters parameters(src_, &edits_);
    const size_t first = device_.declaration_start(f.begin);
    if (!parameters.begin_at(first)) return false;
    size_t open = f.body - 1;
    while (punct(open) != ')') --open;
    open = opening(open);
    *name = f.name + parameters.arguments();
    if (parameters.empty()) { /* template <> void k<int>(...), or k(...) where int is deduced */
        const size_t angle = punct(open - 1) == '>' ? opening_angle(open - 1) : open;
        *name = text(angle - 1, open - 1);
    }
    return true;
}

/* The parameter list, without default values, as in the type of a pointer to the function. */
std::string KernelTable::parameters(const DeviceFunction &f) const {
    size_t close = f.body - 1;
    while (punct(close) != ')') --close;
    std::string list;
    for (size_t j = opening(close) + 1; j < close; ++j) {
        if (punct(j) == '=')
            while (j < close && punct(j) != ',') j = punct(j) == '(' ? closing(j) + 1 : j + 1;
        if (j < close && !is(j, "__grid_constant__"))
            list += text(j) + (punct(j) == '.' ? "" : " ");
    }
    return list;
}

/* ---- what a body says ---- */

/* The arguments of each __launch_bounds__, by the name of the kernel that is declared with it. */
void KernelTable::find_bounds() {
    for (size_t i = 0; i + 1 < t_.size(); ++i) {
        if (t_[i].system || !is(i, "__launch_bounds__") || punct(i + 1) != '(') continue;
        const size_t close = closing(i + 1);
        size_t name = close + 1;
        while (name + 1 < t_.size() && punct(name) != ';' && punct(name) != '{' &&
               !(t_[name].kind == kName && punct(name + 1) == '(' && !is(name, "__attribute__") &&
                 !is(name, "__maxnreg__")))
            name = punct(name) == '(' ? closing(name) + 1 : name + 1;
        bounds_[text(name)].push_back({i, text(i + 2, close - 1)});
    }
}

/* Those of the definition, else of a declaration before it; "": none. */
std::string KernelTable::bounds_of(const DeviceFunction &f) const {
    const auto named = bounds_.find(f.name);
    if (named == bounds_.end()) return "";
    size_t first = f.begin;
    while (first > 0 && punct(first - 1) != ';' && punct(first - 1) != '}' &&
           punct(first - 1) != '{')
        --first;
    std::string declared;
    for (const auto &b : named->second) {
        if (first <= b.first && b.first < f.body) return b.second;
        if (b.first < first && device_.kernels_named(f.name) == 1 && device_.in_namespace(f.begin))
            declared = b.second;
    }
    return declared;
}

/* A kernel that is no template has an entry of its own, so only its limits are to be stated. */
void KernelTable::write_body(const DeviceFunction &f) {
    const std::string bounds = bounds_of(f);
    if (bounds.empty() && device_.in_namespace(f.begin)) return;
    const std::string local = "CuKernel" + std::to_string(t_[f.begin].begin);
    edits_.declare_in(f.body, " struct " + local + " {}; (void)::cpu_device::KernelBodyOf<" +
                                  local + ", ::cpu_device::bounds(" + bounds + ")>::body;");
}

/* ---- clusters ---- */

/* What host_defines.h makes of __cluster_dims__(x, y, z). */
bool KernelTable::is_cluster_dims(size_t i) const {
    return is(i, "__attribute__") && punct(i + 1) == '(' && punct(i + 2) == '(' &&
           is(i + 3, "cluster_dims") && punct(i + 4) == '(';
}

void KernelTable::remove_cluster_dims(size_t i) {
    if (!is_cluster_dims(i)) return;
    if (device_.in_namespace(i)) return replace(i, closing(i + 1), "");
    fail(i,
         "__cluster_dims__ of a template is not supported on the CPU device: launch it with "
         "cudaLaunchKernelEx and cudaLaunchAttributeClusterDimension");
}

/* The runtime learns of them where the kernel is defined; nothing where it has none. */
std::string KernelTable::cluster_dims(const DeviceFunction &f, const std::string &name) const {
    size_t i = f.begin;
    while (i > 0 && punct(i - 1) != ';' && punct(i - 1) != '}' && punct(i - 1) != '{') --i;
    while (i < f.body && !is_cluster_dims(i)) ++i;
    if (i >= f.body) return "";
    return " static ::cpu_device::ClusterDims cu_cluster" + std::to_string(t_[i].begin) +
           "((const void *)" + name + ", " + text(i + 5, closing(i + 4) - 1) + ");";
}

/* ---- addresses ---- */

void KernelTable::keep_types(size_t i) {
    drop_kernel_cast(i);
    know_kernel(i);
}

/* cudaLaunchKernel((void *)kernel<T>, ...): without the cast, its template sees the types. */
void KernelTable::drop_kernel_cast(size_t i) {
    static const std::set<std::string> calls = {"cudaLaunchKernel", "cudaLaunchCooperativeKernel"};
    if (!calls.count(text(i)) || punct(i + 1) != '(') return;
    const size_t at = i + 2;
    if (punct(at) == '(') {
        const size_t close = closing(at);
        size_t j = at + 1;
        if (is(j, "const")) ++j;
        if (is(j, "void") && punct(j + 1) == '*' && j + 2 == close) replace(at, close, "");
    } else if ((is(at, "reinterpret_cast") || is(at, "static_cast")) && punct(at + 1) == '<') {
        const size_t close = closing_angle(at + 1);
        if (close && punct(close + 1) == '(') replace(at, close, "");
    }
}

/* (void *)kernel<T>, as for cudaKernelNodeParams::func: the runtime learns how to call it. */
void KernelTable::know_kernel(size_t i) {
    if (!is(i, "void") || punct(i + 1) != '*' || punct(i + 2) != ')') return;
    const size_t first = is(i - 1, "const") ? i - 2 : i - 1;
    const size_t name = punct(i + 3) == '&' ? i + 4 : i + 3;
    if (punct(first) != '(' || device_.kernels_named(text(name)) == 0) return;
    if (edits_.begins_at(first)) return; /* drop_kernel_cast was here */
    replace(first, i + 2, "::cpu_device::known_kernel->*");
}
