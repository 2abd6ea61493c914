/* See template_variables.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cpu_device/translator/rewrite/template_variables.h"

#include "cpu_device/translator/rewrite/template_parameters.h"

void TemplateVariables::write() {
    for (const DeviceCode::TemplateVariable &v : device_.template_variables()) write(v);
}

void TemplateVariables::write(const DeviceCode::TemplateVariable &v) {
    TemplateParameters parameters(src_, &edits_);
    const size_t first = device_.declaration_start(v.keyword);
    if (!parameters.begin_at(first)) return;
    const std::string name = text(v.name), initial = "cu_initial_" + name;
    replace(v.name, v.name, initial);
    if (parameters.empty()) return; /* an instance by itself: the reference is there already */
    const std::string arguments = parameters.arguments();
    std::string linkage;
    for (size_t j = first; j < v.name; ++j)
        if (is(j, "static") || is(j, "inline")) linkage += text(j) + " ";
    edits_.add_after(v.end, " " + parameters.head() + " " + linkage + "auto &" + name +
                                " = ::cpu_device::placed" + (v.managed ? "<true>" : "<false>") +
                                "(" + initial + arguments + ");");
}
