/* Rewrites declarations of shared memory.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cpu_device/translator/rewrite/shared.h"

#include <string.h>

size_t SharedMemory::declaration(size_t i) {
  Declared d = {statement_start(i), 0, {}, false};
  if (!read(i, &d)) return d.end;
  const DeviceFunction *f = device_.function_around(i);
  if (f) in_function(i, *f, d);
  else at_file_scope(d);
  return d.end;
}

/* Back to where the statement begins: the type may stand before the keyword. */
size_t SharedMemory::statement_start(size_t i) const {
  size_t first = i;
  while (first > 0 && !strchr(";{}", punct(first - 1) ? punct(first - 1) : ' ')) {
    if (punct(first - 1) == ')') first = opening(first - 1);
    else --first;
  }
  return first;
}

/* The declaration of which token i is the __shared__; false: it is in error. */
bool SharedMemory::read(size_t i, Declared *d) {
  size_t name = 0;
  size_t &end = d->end;
  for (end = d->first; end + 1 < t_.size(); ++end) {
    const char c = punct(end);
    if (is(end, "extern")) d->external = true;
    if (is(end, "__attribute__") || is(end, "alignas") || is(end, "__align__") || is(end, "decltype")) {
      if (punct(end + 1) == '(') end = closing(end + 1);
    } else if (c == '{' && d->names.empty()) {
      end = closing(end);
    } else if (c == '<') {
      const size_t close = closing_angle(end);
      if (close) end = close;
    } else if (t_[end].kind == kName) {
      name = end;
    } else if (c == '[') {
      end = closing(end);
      if (t_[end + 1].kind == kName && !is(end + 1, "__attribute__")) return no_semicolon(end), false;
    } else if (c == '=' || c == '(') {
      return initialised(i, name, d), false;
    } else if (c == ',' || c == ';') {
      if (name) d->names.push_back(name);
      name = 0;
      if (c == ';') return true;
    }
  }
  return true;
}

/* An initialiser, or the next statement, whose first name then follows this one's last. */
void SharedMemory::initialised(size_t i, size_t name, Declared *d) {
  if (name > d->first && t_[name - 1].kind == kName && t_[name - 1].line != t_[name].line) {
    d->end = name - 1;
    return no_semicolon(d->end);
  }
  fail(i, "initializer not allowed for __shared__ variable: one thread stores its first value, before a "
          "__syncthreads()");
}

void SharedMemory::no_semicolon(size_t i) { fail(i, "expected a \";\" after the __shared__ variable"); }

/* ---- in functions ---- */

void SharedMemory::in_function(size_t i, const DeviceFunction &f, const Declared &d) {
  const std::string id = std::to_string(t_[i].begin), type = "CuShared" + id, object = "cu_shared" + id;
  std::string after;
  if (d.external) {
    if (!dynamic_array_type(d, type)) return;
    after = ";" + dynamic_array(d, type);
  } else {
    replace_specifiers(d, "struct " + type + " { ");
    after = "; } &" + object + " = ::cpu_device::shared<" + type + ">();";
    for (size_t n : d.names) after += " [[maybe_unused]] auto &" + text(n) + " = " + object + "." + text(n) + ";";
    after += limit(i, f, d, type);
  }
  replace(d.end, d.end, after);
}

/* ptxas refuses kernels whose __shared__ arrays are too large; arrays of no use it drops. Here
 * those count that can be seen together, and are used more than once; the launch looks at all. */
std::string SharedMemory::limit(size_t i, const DeviceFunction &f, const Declared &d, const std::string &type) {
  if (!f.kernel && mentions(f) < 2) return "";
  std::string size;
  for (size_t n : d.names) {
    size_t uses = 0;
    for (size_t j = n + 1; j < f.body_end; ++j) uses += is(j, text(n).c_str());
    if (uses > 1) size += " + sizeof(" + type + "::" + text(n) + ")";
  }
  if (size.empty()) return "";
  std::string sum = "0";
  for (const auto &seen : sizes_)
    if (f.body < seen.first && names_.scope_end(seen.first) > i) sum += seen.second;
  sizes_.emplace_back(i, size);
  return asserted(d.names[0], "static_assert(" + sum + size + " <= 49152 || " + sum +
                                  " > 49152, \"uses too much shared data: the __shared__ variables of "
                                  "a kernel take 49152 bytes (0xc000) at most; dynamic shared memory "
                                  "may be larger\");");
}

/* How often the function's name is said. */
size_t SharedMemory::mentions(const DeviceFunction &f) const {
  size_t n = 0;
  for (size_t j = 0; j + 1 < t_.size(); ++j) n += !t_[j].system && is(j, f.name.c_str());
  return n;
}

/* ---- outside of functions ---- */

/* One copy for each operating-system thread, which runs one block at a time. */
void SharedMemory::at_file_scope(const Declared &d) {
  if (d.external) {
    const std::string type = "CuShared" + std::to_string(t_[d.first].begin);
    if (dynamic_array_type(d, type)) declare_in_users(d, type);
    return;
  }
  for (size_t j = d.first; j < d.end; ++j)
    if (is(j, "__shared__") || is(j, "__device__")) replace(j, j, is(j, "__shared__") ? "thread_local" : "");
}

/* The array that stood outside of functions: each function of the device's that speaks of it
 * gets it as if declared there. */
void SharedMemory::declare_in_users(const Declared &d, const std::string &type) {
  for (const DeviceFunction &f : device_.functions())
    if (f.body >= d.end && uses(f, text(d.names[0]))) edits_.declare_in(f.body, dynamic_array(d, type));
}

bool SharedMemory::uses(const DeviceFunction &f, const std::string &name) const {
  bool used = false;
  for (size_t j = f.begin; j < f.body_end; ++j) {
    if (!is(j, name.c_str()) || is(j - 1, ".") || is(j - 1, "->") || is(j - 1, "::")) continue;
    if (j < f.body) return false; /* a parameter of that name */
    used = true;
  }
  return used;
}

/* ---- declarations ---- */

/* extern __shared__ T name[]; becomes the name of its type. */
bool SharedMemory::dynamic_array_type(const Declared &d, const std::string &type) {
  if (d.names.size() != 1) {
    fail(d.first, "declare one extern __shared__ array at a time");
    return false;
  }
  replace_specifiers(d, "typedef ");
  for (size_t j = d.first; j < d.end; ++j)
    if (is(j, "alignas") || is(j, "__attribute__") || is(j, "__align__")) replace(j, closing(j + 1), "");
  replace(d.names[0], d.names[0], type);
  return true;
}

/* ... and the name a reference to an array of no known length. */
std::string SharedMemory::dynamic_array(const Declared &d, const std::string &type) const {
  return " [[maybe_unused]] " + type + " &" + text(d.names[0]) + " = *(" + type +
         " *)::cpu_device::dynamic_shared();";
}

/* `extern`, `static` and CUDA's keywords are no part of a member's declaration. */
void SharedMemory::replace_specifiers(const Declared &d, const std::string &with) {
  const auto is_specifier = [&](size_t j) {
    return is(j, "extern") || is(j, "static") || is(j, "__shared__") || is(j, "__device__");
  };
  edits_.add(t_[d.first].begin, is_specifier(d.first) ? t_[d.first].end : t_[d.first].begin, with);
  for (size_t j = d.first + 1; j < d.end; ++j)
    if (is_specifier(j)) replace(j, j, "");
}
