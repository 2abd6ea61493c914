/* Which writes the threads of a warp make in step.
 *
 *   volatile float *v = tile;
 *   v[t] += v[t + 16];
 *   v[t] += v[t + 8];
 *
 * is right only if all threads of the warp have done the first line before one does the second.
 * GPUs before Volta did that, and much that is taught rests on it. The CPU device keeps it, see
 * cpu_device/steps.h, and says so when the program is built.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cpu_device/translator/rewrite/steps.h"

#include <set>

/* The name that `volatile` at token i declares, if it is an array's or a pointer's; else 0. */
size_t Steps::declared(size_t i, size_t end) const {
  bool pointer = false;
  size_t name = 0;
  for (size_t j = i + 1; j < end; ++j) {
    const char c = punct(j);
    if (c == '*') pointer = true;
    else if (c == '<') {
      const size_t close = closing_angle(j);
      if (!close) return 0;
      j = close;
    } else if (c == '[') return name;
    else if (c == '=' || c == ',' || c == ';' || c == ')') return pointer ? name : 0;
    else if (t_[j].kind == kName) name = j;
    else if (c != ':' && c != '&') return 0;
  }
  return 0;
}

Steps::Steps(const Source &src) : Tokens(src) {
  /* volatile __shared__ arrays outside of functions. */
  int depth = 0;
  for (size_t i = 0; i + 1 < t_.size(); ++i) {
    const char c = punct(i);
    if (c == '{') ++depth;
    if (c == '}') --depth;
    if (depth > 0 || t_[i].system || !is(i, "volatile")) continue;
    const bool shared = is(i + 1, "__shared__") || (i && is(i - 1, "__shared__"));
    const size_t name = shared ? declared(i, t_.size() - 1) : 0;
    if (name) at_file_scope_.push_back(text(name));
  }
}

/* name[...] stands before an assignment. */
bool Steps::is_written(size_t name) const {
  if (punct(name + 1) != '[') return false;
  if (name && (is(name - 1, ".") || is(name - 1, "->") || is(name - 1, "::") ||
               is(name - 1, "volatile") || punct(name - 1) == '*'))
    return false;
  const size_t after = closing(name + 1) + 1;
  if (is(after, "=")) return !(is(after + 1, "=") && touch(after));
  return strchr("+-*/&|^", punct(after) ? punct(after) : 'x') && is(after + 1, "=") &&
         touch(after);
}

/* The statement that writes an element reads another one. */
bool Steps::exchanges(size_t name) const {
  const std::string mine = text(name + 1, closing(name + 1));
  for (size_t i = name + 1; i + 1 < t_.size() && punct(i) != ';'; ++i)
    if (text(i) == text(name) && punct(i + 1) == '[' && text(i + 1, closing(i + 1)) != mine)
      return true;
  return false;
}

bool Steps::barriers_between(size_t first, size_t last) const {
  for (size_t i = first; i < last; ++i)
    if (is(i, "__syncwarp") || is(i, "__syncthreads") || is(i, "sync")) return true;
  return false;
}

void Steps::warn(const std::vector<size_t> &writes, size_t body, size_t body_end) {
  size_t without = 0;
  for (size_t i = 0; i + 1 < writes.size() && !without; ++i)
    if (!barriers_between(writes[i], writes[i + 1])) without = writes[i];
  /* One write in a loop that has no barrier either. */
  for (size_t i = body; i < body_end && !without; ++i) {
    if (!is(i, "for") && !is(i, "while")) continue;
    size_t end = closing(i + 1) + 1;
    end = punct(end) == '{' ? closing(end) : end;
    while (end < body_end && punct(end) != ';' && punct(end) != '}') ++end;
    for (size_t w : writes)
      if (i < w && w < end && !barriers_between(i, end)) without = w;
  }
  if (!without) return;
  warnings_.push_back(
      {without, "'" + text(without) + "' passes values between the threads of a warp with no "
                "barrier in between. The CPU device keeps a warp in step here; no GPU since Volta "
                "promises to: put __syncwarp() after each step, or use __shfl_down_sync"});
}

void Steps::read(size_t begin, size_t body, size_t body_end) {
  std::set<std::string> names(at_file_scope_.begin(), at_file_scope_.end());
  for (size_t i = begin; i < body_end; ++i) {
    const size_t name = is(i, "volatile") ? declared(i, body_end) : 0;
    if (name) names.insert(text(name));
  }
  if (names.empty()) return;
  std::vector<size_t> exchanging;
  for (size_t i = body; i < body_end; ++i) {
    if (t_[i].kind != kName || !names.count(text(i)) || !is_written(i)) continue;
    writes_.push_back(i);
    if (exchanges(i)) exchanging.push_back(i);
  }
  warn(exchanging, body, body_end);
}
