/* Cuts kernels at their barriers.
 *
 * A function is gone through three times: for its variables (cu_phase_variables.cc), to learn
 * which phases there will be and what they share, and to write.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cu_phases.h"

#include <string.h>

#include <algorithm>

#include "cu_phase_variables.h"

namespace {

struct WarpOperation {
  const char *method;          /* of BlockRun */
  bool votes;
};
const std::map<std::string, WarpOperation> kWarpOperations = {
    {"__shfl_sync", {"shuffle", false}},         {"__shfl_up_sync", {"shuffle_up", false}},
    {"__shfl_down_sync", {"shuffle_down", false}}, {"__shfl_xor_sync", {"shuffle_xor", false}},
    {"__ballot_sync", {"ballot", true}},         {"__any_sync", {"any", true}},
    {"__all_sync", {"all", true}}};

enum { kMaxOperations = 4 };     /* in one statement; BlockRun's slots */

const char *const kEach = "for (::cpu_device::Each cu_t(cu_b, cu_m); cu_t.next();) { ";
const char *const kLanes = "for (::cpu_device::Lanes cu_t(cu_b, cu_m); cu_t.next();) { ";

/* Calls and words that read no memory, in a phase of Lanes. */
const std::set<std::string> kQuiet = {"if",   "return", "sizeof", "min",  "max",  "abs",
                                      "fabs", "fabsf",  "fmax",   "fmaxf", "fmin", "fminf"};

}  // namespace

/* One function on its way to phases. */
class PhaseCutter : private Statements {
 public:
  PhaseCutter(const Source &src, Phases *all, const Phases::Function &f)
      : Statements(src),
        all_(*all),
        f_(f),
        constants_(all->constants_),
        around_{constants_, all->references_, all->functions_,
                [this](const Statement &s) { return cuts(s.first, s.last); }},
        variables_(src, all->names_, around_) {}

  /* False: the function stays as it is. */
  bool cut() {
    close_ = f_.body - 1;
    if (open_of(close_) != ')') return false;
    name_ = opening(close_) - 1;
    std::vector<Statement> list;
    if (!is_plain_text() || !read(f_.body, &list) || !cuts(f_.body, f_.body_end)) return false;
    read_template();
    if (pack_ || (!f_.kernel && !read_signature())) return false;
    if (!variables_.read(f_.kernel, name_ + 1, f_.body, list)) return false;
    frame_.assign(variables_.all().size(), false);
    body(list);
    if (failed_) return false;
    find_frames();
    if (failed_) return false;
    writing_ = true;
    next_region_ = 0;
    body(list);
    if (failed_) return false;
    touch_up();
    return true;
  }

  std::vector<PhaseEdit> edits() const {
    std::vector<PhaseEdit> out = edits_;
    std::map<size_t, std::string> insertions = after_;
    for (const auto &entry : before_) insertions[t_[entry.first].begin] += entry.second;
    for (const auto &entry : insertions) out.push_back({entry.first, entry.first, entry.second});
    return out;
  }

  Phases::Copy copy() const {
    return {start_, f_.body, f_.body_end, head(), edits(), parameters_, frame_type(), !template_.empty(),
            barriers_, calls_, false};
  }
  const std::set<std::string> &calls() const { return calls_; }

 private:
  /* What will be one loop over the threads. */
  struct Region {
    std::vector<std::pair<size_t, size_t>> ranges;  /* of tokens, first and last */
    std::set<int> declares;
    bool returns;
  };

  const std::vector<PhaseVariable> &vars() const { return variables_.all(); }
  void fail() { failed_ = true; }

  /* ---- looking ---- */

  bool is_call(size_t i) const {
    return t_[i].kind == kName && open_of(i - 1) != '.' && !is(i - 1, "->") && !is(i - 1, "::") &&
           open_of(after_angle(i + 1)) == '(';
  }
  bool is_cut(size_t i) const { return is_call(i) && all_.waiting_.count(text(i)) && i != name_; }
  bool cuts(size_t first, size_t last) const {
    for (size_t i = first; i <= last; ++i)
      if (is_cut(i)) return true;
    return false;
  }

  /* Nothing in it that would have another meaning in pieces: lambdas, local classes, labels. */
  bool is_plain_text() const {
    static const std::set<std::string> refused = {"struct", "class", "union", "enum", "typedef", "using",
                                                  "goto",   "try",   "asm",   "__asm__", "this", "decltype"};
    for (size_t i = f_.body + 1; i < f_.body_end; ++i) {
      if (t_[i].kind == kName && refused.count(text(i))) return false;
      if (open_of(i) == '[') {
        const char before = open_of(i - 1);
        if (t_[i - 1].kind != kName && before != ']' && before != ')') return false;
        if (is(i - 1, "return")) return false;
      }
    }
    return all_.leaves_.waits_only_at(all_.waiting_, f_.begin, f_.body, f_.body_end);
  }

  /* Template parameters before the function: their text, and their names as arguments. */
  void read_template() {
    start_ = f_.begin;
    while (start_ > 0 && open_of(start_ - 1) != ';' && open_of(start_ - 1) != '}' && open_of(start_ - 1) != '{' &&
           !(open_of(start_ - 1) == '>' && is_template_end(start_ - 1)))
      --start_;
    if (start_ == 0 || open_of(start_ - 1) != '>') return;
    const size_t open = opening_angle(start_ - 1);
    template_ = text(open - 1, start_ - 1) + " ";
    for (const auto &piece : between_commas(open + 1, start_ - 1)) {
      size_t end = piece.first, name = 0;
      for (; end < piece.second && open_of(end) != '='; ++end) {
        if (open_of(end) == '.') pack_ = true;
        if (t_[end].kind == kName) name = end;
      }
      arguments_ += (arguments_.empty() ? "<" : ", ") + (name ? text(name) : "");
      if (name) constants_.insert(text(name));
    }
    if (!arguments_.empty()) arguments_ += ">";
  }
  bool is_template_end(size_t i) const {
    const size_t open = opening_angle(i);
    return open > 0 && is(open - 1, "template");
  }

  /* A device function's result and parameters: values only. */
  bool read_signature() {
    static const std::set<std::string> dropped = {"__device__", "__host__",  "__forceinline__", "__inline__", "inline",
                                                  "static",     "constexpr", "__noinline__"};
    for (size_t i = start_; i < name_; ++i) {
      if (is(i, "auto") || is(i, "extern") || open_of(i) == '&') return false;
      if (is(i, "::") && i + 1 == name_) return false;
      if ((is(i, "__attribute__") || is(i, "__launch_bounds__")) && open_of(i + 1) == '(') {
        i = closing(i + 1);
        continue;
      }
      if (!dropped.count(text(i))) result_ += text(i) + " ";
    }
    if (result_.empty()) return false;
    for (const auto &piece : between_commas(name_ + 2, close_)) {
      if (piece.first == piece.second || (is(piece.first, "void") && piece.first + 1 == piece.second)) continue;
      Declaration d;
      if (!read_declaration(piece.first, piece.second, &d) || d.declarators.size() != 1) return false;
      const Declarator &one = d.declarators[0];
      if (one.reference || one.init_first || d.is_auto) return false;
      if (one.array && closing(one.name + 1) != one.last) return false;
      parameters_.push_back(text(one.name));
      members_ += member(d, one, text(one.name)) + " ";
      types_ += (types_.empty() ? "" : ", ") + text(piece.first, piece.second - 1);
    }
    return true;
  }

  /* The declaration of a frame's member. */
  std::string member(const Declaration &d, const Declarator &one, const std::string &name) const {
    std::string s;
    for (size_t i = d.first; i <= d.type_last; ++i) {
      if (is(i, "static") || is(i, "constexpr") || is(i, "register")) continue;
      if (is(i, "const") && !one.pointer && !(one.array && is_parameter(one))) continue;
      s += text(i) + " ";
    }
    if (one.array && is_parameter(one)) return s + "*" + name + ";";
    size_t last_star = one.first;
    for (size_t i = one.first; i < one.name; ++i)
      if (open_of(i) == '*') last_star = i;
    for (size_t i = one.first; i <= one.last; ++i) {
      if (is(i, "const") && i < one.name && i > last_star) continue;
      s += i == one.name ? name : text(i);
      s += " ";
    }
    return s + ";";
  }
  bool is_parameter(const Declarator &one) const { return one.name < f_.body; }

  /* ---- going through ---- */

  void body(const std::vector<Statement> &list) {
    region_ = -1;
    loops_ = masks_ = 0;
    headed_ = false;
    if (writing_)
      after(f_.body, f_.kernel ? " ::cpu_device::BlockRun cu_b; const ::cpu_device::Mask &cu_m = cu_b.live(); "
                               : " ::cpu_device::FrameMark cu_mark(cu_b); ");
    statements(list, true);
  }

  /* Before the first statement that is in a phase, or has one in it: frames. */
  void head_before(size_t i, bool top) {
    if (!top || headed_) return;
    headed_ = true;
    head_ = i;
    if (!writing_) return;
    std::string s;
    if (!kept_members_.empty())
      s += " struct CuKept { " + kept_members_ + "}; CuKept *const cu_k = cu_b.frames<CuKept>();";
    for (const std::string &pointer : frame_pointers_) s += " " + pointer;
    std::string copies;
    for (size_t k = 0; k < vars().size(); ++k)
      if (vars()[k].parameter && f_.kernel && frame_[k])
        copies += "::cpu_device::keep(cu_k[cu_t.linear]." + member_name((int)k) + ", " + vars()[k].name + "); ";
    if (!copies.empty()) s += std::string(" ") + kEach + copies + "}";
    before(i, s);
  }

  bool is_shared(const Statement &s) const {
    for (size_t i = s.first; s.kind == Statement::kSimple && i < s.last; ++i)
      if (is(i, "__shared__")) return true;
    return false;
  }

  void statements(const std::vector<Statement> &list, bool top) {
    for (const Statement &s : list) {
      if (failed_) return;
      if (cuts(s.first, s.last)) {
        close_region();
        head_before(s.first, top);
        cut_statement(s);
      } else if (s.kind == Statement::kSimple && s.first == s.last) {
        continue; /* a lone ; */
      } else if (is_shared(s) || variables_.declares_uniform(s.first) || variables_.changes_uniform(s)) {
        close_region();
      } else if (variables_.declares_derived(s.first)) {
        if (writing_) replace(s.first, s.last, "");
      } else if (variables_.declares_mixture(s.first)) {
        mixture(s, top);
      } else if (leaves_loop(s)) {
        close_region();
      } else if (s.kind == Statement::kSimple && !variables_.declares(s.first) && !is_expression(s)) {
        fail(); /* a declaration that is not understood */
      } else {
        head_before(s.first, top);
        extend(s);
      }
    }
    close_region();
  }

  /* Variables of different kinds, declared together: each where it belongs. */
  void mixture(const Statement &s, bool top) {
    std::string uniform, own;
    for (int k : variables_.declared(s.first)) {
      const PhaseVariable &v = vars()[(size_t)k];
      if (v.uniform) uniform += declaration_of(v) + "; ";
      else if (!v.derived && !(frame_[(size_t)k] && lies_there(k))) own += declaration_of(v) + "; ";
    }
    if (!uniform.empty()) close_region();
    if (writing_ && !uniform.empty()) before(s.first, " " + uniform);
    head_before(s.first, top);
    extend(s);
    if (writing_) replace(s.first, s.last, own.empty() ? ";" : own);
  }

  /* The variable's declaration, alone. */
  std::string declaration_of(const PhaseVariable &v) const {
    const Declarator &d = v.declarator;
    size_t last = d.last;
    if (d.init_first) last = open_of(d.last + 1) == '=' ? d.init_last : d.init_last + 1;
    return render(v.declaration.first, v.declaration.type_last) + render(d.first, last);
  }

  /* `if (the same for all) break;` stays outside of the phases. */
  bool leaves_loop(const Statement &s) {
    if (s.kind != Statement::kIf || s.other || loops_ == 0 || masks_ > 0) return false;
    const Statement *part = &s.parts[0];
    if (part->kind == Statement::kBlock && part->parts.size() == 1) part = &part->parts[0];
    return part->kind == Statement::kSimple && (is(part->first, "break") || is(part->first, "continue")) &&
           variables_.is_uniform(s.open + 1, s.close - 1);
  }

  /* ---- phases ---- */

  int new_region() {
    if (!writing_) regions_.push_back({});
    return next_region_++;
  }

  void extend(const Statement &s) {
    if (region_ < 0) {
      region_ = new_region();
      region_first_ = s.first;
    }
    region_last_ = s.last;
    Region &r = regions_[(size_t)region_];
    if (!writing_) {
      r.ranges.emplace_back(s.first, s.last);
      if (s.kind == Statement::kSimple && variables_.declares(s.first))
        for (int k : variables_.declared(s.first)) r.declares.insert(k);
    }
    check_jumps(s, false);
    if (writing_ && s.kind == Statement::kSimple && variables_.declares(s.first) &&
        variables_.declared(s.first).size() == 1) {
      const int only = variables_.declared(s.first)[0];
      if (frame_[(size_t)only] && lies_there(only)) replace(s.first, s.last, "");
    }
  }

  /* In a frame it is used where it lies, and has no declaration beside: an array. */
  bool lies_there(int k) const {
    const PhaseVariable &v = vars()[(size_t)k];
    return !v.parameter && v.declarator.array && !v.declarator.init_first &&
           (v.declaration.declarators.size() == 1 || variables_.declares_mixture(v.declaration.first));
  }

  void close_region() {
    if (region_ < 0) return;
    const int r = region_;
    region_ = -1;
    if (!writing_) return;
    before(region_first_, begin_of(r));
    after(region_last_, end_of(r));
  }

  /* break and continue of a loop around the phase cannot leave it; return ends the thread. */
  void check_jumps(const Statement &s, bool in_loop) {
    if (s.kind == Statement::kSimple) {
      if (!in_loop && (is(s.first, "break") || is(s.first, "continue"))) fail();
      if (is(s.first, "return")) returns(s);
      return;
    }
    if (s.kind == Statement::kOther) {
      for (size_t i = s.first; i < s.last; ++i)
        if (is(i, "return") || (!in_loop && is(i, "continue"))) fail();
      return;
    }
    const bool loop = s.kind == Statement::kFor || s.kind == Statement::kWhile || s.kind == Statement::kDo;
    for (const Statement &part : s.parts) check_jumps(part, in_loop || loop);
  }

  void returns(const Statement &s) {
    const bool value = s.last > s.first + 1;
    if (f_.kernel && value) return fail();
    regions_[(size_t)region_].returns = true;
    if (!f_.kernel) {
      if (loops_ || masks_ || value == (result_ == "void ")) return fail();
    }
    if (!writing_) return;
    const std::string leave = "goto cu_end" + std::to_string(region_) + "; }";
    if (f_.kernel) replace(s.first, s.last, "{ cu_b.end(cu_t.linear); " + leave);
    else if (!value) replace(s.first, s.last, "{ " + leave);
    else {
      replace(s.first, s.first, "{ cu_p.cu_ret =");
      replace(s.last, s.last, "; " + leave);
    }
    if (!f_.kernel && region_ + 1 != (int)regions_.size()) fail();
  }

  /* ---- cuts ---- */

  void cut_statement(const Statement &s) {
    switch (s.kind) {
      case Statement::kSimple: return cut_simple(s);
      case Statement::kBlock: return statements(s.parts, false);
      case Statement::kIf:
        if (!cuts(s.open, s.close) && variables_.is_uniform(s.open + 1, s.close - 1)) {
          for (const Statement &part : s.parts) governed(part);
        } else {
          narrow(s);
        }
        return;
      case Statement::kFor:
      case Statement::kWhile:
      case Statement::kDo:
        if (cuts(s.open, s.close) || !header_is_uniform(s)) return fail();
        ++loops_;
        governed(s.parts[0]);
        --loops_;
        return;
      default: return fail();
    }
  }

  bool header_is_uniform(const Statement &s) const {
    return s.close == s.open + 1 || variables_.is_uniform(s.open + 1, s.close - 1);
  }

  /* What an if or a loop governs. */
  void governed(const Statement &part) {
    if (part.kind == Statement::kBlock) return statements(part.parts, false);
    if (writing_) before(part.first, " {");
    statements({part}, false);
    if (writing_) after(part.last, " }");
  }

  /* An if that some threads of a warp may pass and others not. */
  void narrow(const Statement &s) {
    Declaration declared;
    if (cuts(s.open, s.close) || s.open != s.first + 1 || read_declaration(s.open + 1, s.close, &declared))
      return fail();
    const int r = new_region();
    if (!writing_) regions_[(size_t)r].ranges.emplace_back(s.open + 1, s.close - 1);
    const std::string id = std::to_string(r), yes = "cu_yes" + id, no = "cu_no" + id;
    if (writing_) {
      std::string masks = "::cpu_device::Mask " + yes + " = {}" + (s.other ? ", " + no + " = {}" : "") + "; ";
      replace(s.first, s.open, "{ " + masks + begin_of(r) + "if (");
      replace(s.close, s.close, ") " + yes + ".add(cu_t.linear);" +
                                    (s.other ? " else " + no + ".add(cu_t.linear);" : "") + end_of(r) + " if (" + yes +
                                    ".any()) { const ::cpu_device::Mask &cu_m = " + yes + ";");
      if (s.other) replace(s.other, s.other, "if (" + no + ".any()) { const ::cpu_device::Mask &cu_m = " + no + ";");
    }
    ++masks_;
    for (const Statement &part : s.parts) {
      statements({part}, false);
      if (writing_) after(part.last, " }");
    }
    --masks_;
    if (writing_) after(s.last, " }");
  }

  struct Operation {
    size_t name, open, close;
    std::vector<std::pair<size_t, size_t>> arguments;
  };

  void cut_simple(const Statement &s) {
    if (is(s.first, "__syncthreads") && open_of(s.first + 1) == '(' && s.first + 3 == s.last) {
      if (masks_) return fail();
      barriers_ = true;
      if (writing_) replace(s.first, s.last - 1, "cu_b.barrier()");
      return;
    }
    if (is(s.first, "__syncwarp") && open_of(s.first + 1) == '(' && closing(s.first + 1) + 1 == s.last)
      return cut_syncwarp(s);
    std::vector<Operation> operations;
    if (!read_operations(s, &operations)) return fail();
    bring(s, operations);
    if (failed_) return;
    take(s, operations);
  }

  void cut_syncwarp(const Statement &s) {
    const int r = new_region();
    if (s.last > s.first + 3 && !writing_) regions_[(size_t)r].ranges.emplace_back(s.first + 2, s.last - 2);
    if (!writing_) return;
    const std::string mask = s.last > s.first + 3 ? render(s.first + 2, s.last - 2) : "0xffffffffu";
    if (variables_.is_uniform(s.first + 2, s.last - 2))
      return replace(s.first, s.last, "cu_b.meet(0, cu_m, " + mask + ");");
    const std::string meeting = "cu_w" + std::to_string(r);
    replace(s.first, s.last, "const auto " + meeting + " = cu_b.meet(0, cu_m); " + begin_of(r) + meeting +
                                 ".barrier(cu_t.linear, " + mask + ");" + end_of(r));
  }

  /* The operations of a statement, all of which are done whatever their values. */
  bool read_operations(const Statement &s, std::vector<Operation> *operations) {
    for (size_t i = s.first; i < s.last; ++i) {
      if (is_cut(i)) {
        Operation o = {i, after_angle(i + 1), 0, {}};
        o.close = closing(o.open);
        o.arguments = between_commas(o.open + 1, o.close);
        if (cuts(o.open, o.close)) return false;
        const bool warp = kWarpOperations.count(text(i)) != 0;
        auto callee = all_.copies_.find(text(i));
        if (warp ? o.arguments.size() < 2 : callee == all_.copies_.end()) return false;
        if (!warp && callee->second.barriers && masks_) return false;
        operations->push_back(o);
        i = o.close;
      } else if (open_of(i) == '?' || ((open_of(i) == '&' || open_of(i) == '|') && open_of(i + 1) == open_of(i) && touch(i))) {
        return false;
      } else if ((open_of(i) == '+' || open_of(i) == '-') && open_of(i + 1) == open_of(i) && touch(i)) {
        return false;
      }
    }
    return !operations->empty() && operations->size() <= kMaxOperations && !is(s.first, "__syncthreads");
  }

  /* First each thread brings its values, and functions run. */
  void bring(const Statement &s, const std::vector<Operation> &operations) {
    const int r = new_region();
    std::string opening_text, loop, closing_text;
    for (size_t k = 0; k < operations.size(); ++k) {
      const Operation &o = operations[k];
      auto warp = kWarpOperations.find(text(o.name));
      const std::string meeting = meeting_name(o);
      if (warp != kWarpOperations.end()) {
        const auto &value = o.arguments[1];
        if (!writing_) regions_[(size_t)r].ranges.emplace_back(value.first, value.second - 1);
        const std::string lies = warp->second.votes ? "" : place_in_frames(o);
        opening_text += " const auto " + meeting + " = cu_b.meet(" + std::to_string(k) + ", cu_m" + common_mask(o) + lies + ");";
        const std::string brought = at_its_place(value.first) + render(value.first, value.second - 1);
        if (lies.empty()) loop += meeting + (warp->second.votes ? ".vote(cu_t.linear, (" + brought + ") != 0); " : ".give(cu_t.linear, " + brought + "); ");
      } else if (!call(r, o, &opening_text, &loop, &closing_text)) {
        return fail();
      }
    }
    if (!loop.empty()) loop = begin_of(r) + loop + end_of(r);
    if (writing_) before(s.first, opening_text + loop + closing_text);
  }

  std::string meeting_name(const Operation &o) const { return "cu_w" + std::to_string(t_[o.name].begin); }

  /* The operation's mask, if all threads name the same. */
  std::string common_mask(const Operation &o) const {
    const auto &mask = o.arguments[0];
    if (mask.first == mask.second || !variables_.is_uniform(mask.first, mask.second - 1)) return "";
    return ", " + render(mask.first, mask.second - 1);
  }

  /* What the lanes bring is a variable that lies in their frames: frames, and where in the first. */
  std::string place_in_frames(const Operation &o) const {
    const auto &value = o.arguments[1];
    const int k = variables_.at(value.first);
    if (common_mask(o).empty() || value.second != value.first + 1 || k < 0) return "";
    const PhaseVariable &v = vars()[(size_t)k];
    if (!v.scalar || v.uniform || v.derived) return "";
    if (v.parameter && !f_.kernel) return ", cu_a, cu_a->" + v.name;
    return frame_[(size_t)k] ? ", cu_k, cu_k->" + member_name(k) : "";
  }

  bool call(int r, const Operation &o, std::string *opening_text, std::string *loop, std::string *closing_text) {
    const std::string name = text(o.name), id = std::to_string(t_[o.name].begin), frame = "cu_a" + id;
    const Phases::Copy &callee = all_.copies_.at(name);
    if (all_.functions_.at(name) != 1 || callee.parameters.size() != o.arguments.size()) return false;
    calls_.insert(name);
    barriers_ = barriers_ || callee.barriers;
    for (const auto &argument : o.arguments)
      if (argument.first == argument.second) return false;
      else if (!writing_) regions_[(size_t)r].ranges.emplace_back(argument.first, argument.second - 1);
    if (!writing_) {
      if (callee.is_template)
        frame_pointers_.push_back("void *" + frame + " = nullptr; void (*cu_c" + id +
                                  ")(::cpu_device::BlockRun &, const ::cpu_device::Mask &, void *) = nullptr;");
      else
        frame_pointers_.push_back(callee.frame + " *" + frame + " = nullptr;");
      return true;
    }
    std::string whole = text(o.name, o.open - 1) + "(";
    for (size_t k = 0; k < o.arguments.size(); ++k)
      whole += (k ? ", " : "") + render(o.arguments[k].first, o.arguments[k].second - 1);
    whole.replace(0, name.size(), "cu_frame_" + name);
    if (callee.is_template) {
      *loop += "using CuFrame = decltype(" + whole + ")); if (!" + frame + ") { " + frame +
               " = cu_b.frames<CuFrame>(); cu_c" + id +
               " = [](::cpu_device::BlockRun &b, const ::cpu_device::Mask &m, void *a) { cu_block_" + name +
               "(b, m, (CuFrame *)a); }; } auto &cu_a = ((CuFrame *)" + frame + ")[cu_t.linear]; ";
      *closing_text += " if (cu_c" + id + ") cu_c" + id + "(cu_b, cu_m, " + frame + ");";
    } else {
      *opening_text += " if (!" + frame + ") " + frame + " = cu_b.frames<" + callee.frame + ">();";
      *loop += "auto &cu_a = " + frame + "[cu_t.linear]; ";
      *closing_text += " cu_block_" + name + "(cu_b, cu_m, " + frame + ");";
    }
    *loop = "{ " + *loop;
    for (size_t k = 0; k < o.arguments.size(); ++k)
      *loop += "cu_a." + callee.parameters[k] + " = " + at_its_place(o.arguments[k].first) + render(o.arguments[k].first, o.arguments[k].second - 1) + "; ";
    *loop += "} ";
    results_[o.name] = callee.is_template ? "((decltype(" + whole + ")) *)" + frame + ")[cu_t.linear].cu_ret"
                                          : frame + "[cu_t.linear].cu_ret";
    return true;
  }

  /* Then the statement is done with what each thread gets. */
  void take(const Statement &s, const std::vector<Operation> &operations) {
    if (operations.size() == 1 && s.first == operations[0].name && operations[0].close + 1 == s.last &&
        !kWarpOperations.count(text(s.first))) {
      if (writing_) replace(s.first, s.last, "");
      return;
    }
    extend(s);
    if (!writing_) return;
    for (size_t k = 0; k < operations.size(); ++k) {
      const Operation &o = operations[k];
      auto warp = kWarpOperations.find(text(o.name));
      if (warp != kWarpOperations.end()) {
        /* The value was brought; only its type is asked for now. */
        const size_t first = o.arguments[1].first, last = o.arguments[1].second - 1;
        replace(o.name, o.open, meeting_name(o) + "." + warp->second.method + "(cu_t.linear, ");
        replace(first, last, "::cpu_device::Typed<decltype(" + render(first, last) + ")>()");
      } else {
        replace(o.name, o.close, results_.at(o.name));
      }
    }
  }

  /* ---- what phases share ---- */

  std::set<int> used_in(const Region &r) const {
    std::set<int> used;
    for (const auto &range : r.ranges)
      for (size_t i = range.first; i <= range.second; ++i) {
        const int k = variables_.at(i);
        if (k >= 0) use(k, &used);
      }
    return used;
  }
  void use(int k, std::set<int> *used) const {
    if (!used->insert(k).second || !vars()[(size_t)k].derived) return;
    const Declarator &d = vars()[(size_t)k].declarator;
    for (size_t i = d.init_first; i <= d.init_last; ++i)
      if (variables_.at(i) >= 0) use(variables_.at(i), used);
  }

  std::string member_name(int k) const { return vars()[(size_t)k].name + "_" + std::to_string(k); }

  /* Which variables lie in frames; of these, what cannot. */
  void find_frames() {
    for (size_t k = 0; k < vars().size(); ++k) {
      const PhaseVariable &v = vars()[k];
      if (v.uniform || v.derived) continue;
      if (v.in_header) return fail();
      if (v.parameter && !f_.kernel) continue; /* in the frame that the caller made */
      int users = 0;
      bool elsewhere = false;
      for (const Region &r : regions_) {
        if (!used_in(r).count((int)k)) continue;
        ++users;
        elsewhere = elsewhere || !r.declares.count((int)k);
      }
      if (v.parameter ? users == 0 || v.changes.empty() : users == 0 || !elsewhere) continue;
      if (!can_lie_in_frame(v)) return fail();
      frame_[k] = true;
      kept_members_ += member(v.declaration, v.declarator, member_name((int)k)) + " ";
    }
  }

  bool can_lie_in_frame(const PhaseVariable &v) const {
    if (v.declaration.is_auto || v.declarator.reference || v.declaration.is_static) return false;
    for (size_t i = v.declarator.name + 1; i <= v.declarator.last; ++i) {
      const int k = variables_.at(i); /* a length */
      if (k >= 0 && !(vars()[(size_t)k].uniform && vars()[(size_t)k].declarator.name < head_)) return false;
    }
    const bool moves = !lies_there((int)(&v - vars().data()));
    for (size_t i = v.declarator.name + 1; moves && i <= v.scope_end; ++i) {
      if (variables_.at(i) < 0 || &vars()[(size_t)variables_.at(i)] != &v) continue;
      if (v.declarator.array ? open_of(i + 1) != '[' || open_of(i - 1) == '&' : is_address_of(i)) return false;
    }
    return true;
  }
  bool is_address_of(size_t i) const {
    if (open_of(i - 1) != '&' || (open_of(i - 2) == '&' && touch(i - 2))) return false;
    const bool operand = (t_[i - 2].kind == kName && !is(i - 2, "return")) || t_[i - 2].kind == kNumber ||
                         open_of(i - 2) == ')' || open_of(i - 2) == ']';
    return !operand;
  }

  /* Nothing in the phase can fail, and it does not ask which thread it is. */
  bool is_quiet(const Region &r) const {
    for (int k : used_in(r))
      for (size_t i = vars()[(size_t)k].declarator.init_first; vars()[(size_t)k].derived && i <= vars()[(size_t)k].declarator.init_last; ++i)
        if (is(i, "threadIdx")) return false;
    for (const auto &range : r.ranges)
      for (size_t i = range.first; i <= range.second; ++i) {
        const char c = open_of(i);
        if (c && (strchr("[/%", c) || is(i, "->"))) return false;
        if (c == '*' && (i == range.first || (t_[i - 1].kind != kNumber && variables_.at(i - 1) < 0))) return false;
        if (is(i, "threadIdx")) return false;
        if (t_[i].kind == kName && open_of(after_angle(i + 1)) == '(' && !kQuiet.count(text(i)) && !is_cut(i))
          return false;
      }
    return true;
  }

  /* ---- writing ---- */

  void before(size_t token, const std::string &text) { before_[token] += text; }
  void after(size_t token, const std::string &text) { after_[t_[token].end] += text; }
  void replace(size_t first, size_t last, const std::string &with) {
    edits_.push_back({t_[first].begin, t_[last].end, with});
  }

  /* What follows is, to the compiler's messages, where token i is. */
  std::string at_its_place(size_t i) const {
    const size_t line_start = src_.text.rfind('\n', t_[i].begin) + 1;
    return "\n# " + std::to_string(t_[i].line) + " \"" + file(i) + "\"\n" +
           std::string(t_[i].begin - line_start, ' ');
  }

  /* Tokens on one line, with the built-in variables as a phase knows them. */
  std::string render(size_t first, size_t last) const {
    static const std::map<std::string, std::string> builtins = {{"threadIdx", "cu_t.index"},
                                                                {"blockIdx", "::cpu_device::block_index()"},
                                                                {"blockDim", "::cpu_device::block_dim()"},
                                                                {"gridDim", "::cpu_device::grid_dim()"}};
    std::string s;
    for (size_t i = first; i <= last; ++i) {
      s += all_.names_.is_builtin(i) ? builtins.at(text(i)) : text(i);
      if (i == last || !touch(i)) s += " ";
    }
    return s;
  }

  std::string begin_of(int r) const {
    const Region &region = regions_[(size_t)r];
    std::string s = std::string(" ") + (is_quiet(region) ? kLanes : kEach), copies;
    const std::set<int> used = used_in(region);
    bool frame = false, parameters = region.returns && !f_.kernel;
    for (int k : used) {
      const PhaseVariable &v = vars()[(size_t)k];
      const bool own = region.declares.count(k) && !lies_there(k);
      if (v.derived) {
        copies += "[[maybe_unused]] " + declaration_of(v) + "; ";
      } else if (v.parameter && !f_.kernel) {
        parameters = true;
        copies += bound(v, "cu_p." + v.name);
      } else if (frame_[(size_t)k]) {
        frame = true;
        if (!own) copies += bound(v, "cu_f." + member_name(k));
      }
    }
    if (frame) s += "auto &cu_f = cu_k[cu_t.linear]; ";
    if (parameters) s += "auto &cu_p = cu_a[cu_t.linear]; ";
    return s + copies + "{ ";
  }
  std::string bound(const PhaseVariable &v, const std::string &from) const {
    return std::string("[[maybe_unused]] ") + (v.declarator.constant ? "const " : "") + (v.scalar ? "auto " : "auto &") +
           v.name + " = " + from + "; ";
  }

  std::string end_of(int r) const {
    const Region &region = regions_[(size_t)r];
    std::string s = " ";
    for (int k : used_in(region)) {
      const PhaseVariable &v = vars()[(size_t)k];
      const bool own = region.declares.count(k) != 0;
      if (v.derived || v.uniform) continue;
      if (v.parameter && !f_.kernel) {
        if (v.scalar && changed_in(region, v)) s += "cu_p." + v.name + " = " + v.name + "; ";
      } else if (frame_[(size_t)k] && (own ? !lies_there(k) : v.scalar && changed_in(region, v))) {
        s += "::cpu_device::keep(cu_f." + member_name(k) + ", " + v.name + "); ";
      }
    }
    s += "} ";
    if (region.returns) s += "cu_end" + std::to_string(r) + ":; ";
    return s + "}";
  }
  bool changed_in(const Region &r, const PhaseVariable &v) const {
    for (size_t change : v.changes)
      for (const auto &range : r.ranges)
        if (range.first <= change && change <= range.second) return true;
    return false;
  }

  /* threadIdx in phases is a local value. */
  void touch_up() {
    for (size_t i = f_.body + 1; i < f_.body_end; ++i)
      if (t_[i].kind == kName && all_.names_.is_builtin(i) && is(i, "threadIdx")) replace(i, i, "cu_t.index");
  }

  std::string frame_type() const { return "CuFrame" + std::to_string(t_[f_.begin].begin); }

  std::string head() const {
    const std::string type = frame_type(), name = text(name_);
    const std::string result = result_ == "void " ? "" : result_ + "cu_ret; ";
    return " " + template_ + "struct " + type + " { " + members_ + result + "}; " + template_ + type + arguments_ +
           " cu_frame_" + name + "(" + types_ + "); " + template_ + "[[maybe_unused]] static void cu_block_" + name +
           "([[maybe_unused]] ::cpu_device::BlockRun &cu_b, [[maybe_unused]] const ::cpu_device::Mask &cu_m, "
           "[[maybe_unused]] " + type + arguments_ + " *cu_a) {";
  }

  Phases &all_;
  const Phases::Function f_;
  std::set<std::string> constants_;  /* template parameters among them */
  const PhaseVariables::Surroundings around_;
  PhaseVariables variables_;

  /* what the function is */
  size_t start_ = 0, name_ = 0, close_ = 0;   /* its first token, its name, its ) */
  std::string template_, arguments_;          /* template <class T> and <T> */
  bool pack_ = false;
  std::string result_, members_, types_;
  std::vector<std::string> parameters_;
  bool barriers_ = false;
  std::set<std::string> calls_;

  /* where the going through is */
  bool writing_ = false, failed_ = false, headed_ = false;
  int region_ = -1, next_region_ = 0;
  size_t region_first_ = 0, region_last_ = 0, head_ = 0;
  int loops_ = 0, masks_ = 0;

  /* what was found */
  std::vector<Region> regions_;
  std::vector<bool> frame_;                   /* by variable: it lies in a frame */
  std::string kept_members_;
  std::vector<std::string> frame_pointers_;
  std::map<size_t, std::string> results_;     /* of calls, by the name's token */
  std::vector<PhaseEdit> edits_;
  std::map<size_t, std::string> before_;      /* by token */
  std::map<size_t, std::string> after_;       /* by place in the text */
};

/* ---- all functions ---- */

Phases::Phases(const Source &src, const Names &names, const Leaves &leaves)
    : Tokens(src), src_(src), names_(names), leaves_(leaves), waiting_{"__syncthreads", "__syncwarp"} {
  for (const auto &operation : kWarpOperations) waiting_.insert(operation.first);
  for (size_t i = 0; i + 1 < t_.size(); ++i) {
    if (t_[i].system || !is(i, "enum")) continue;
    size_t j = i;
    while (j + 1 < t_.size() && open_of(j) != '{' && open_of(j) != ';') ++j;
    const size_t end = open_of(j) == '{' ? closing(j) : j;
    for (; j < end; ++j)
      if (t_[j].kind == kName && (open_of(j - 1) == '{' || open_of(j - 1) == ',')) constants_.insert(text(j));
  }
  for (const std::string &name : names.constants()) constants_.insert(name);
}

void Phases::add(const Function &f) {
  ++functions_[f.name];
  for (size_t i = f.begin; i < f.body; ++i)
    if (open_of(i) == '&') references_.insert(f.name);
  PhaseCutter cutter(src_, this, f);
  const bool cut = f.is_free && cutter.cut();
  if (f.kernel) {
    auto at = kernels_.emplace(f.name, cut).first;
    at->second = at->second && cut;
    if (!cut) return;
    const auto edits = cutter.edits();
    edits_.insert(edits_.end(), edits.begin(), edits.end());
    use(cutter.calls());
  } else if (cut) {
    copies_.emplace(f.name, cutter.copy());
    waiting_.insert(f.name);
  }
}

void Phases::use(const std::set<std::string> &functions) {
  for (const std::string &name : functions) {
    Copy &c = copies_.at(name);
    if (c.used) continue;
    c.used = true;
    /* The first form may have no users any more; that is nothing to warn of. */
    edits_.push_back({t_[c.start].begin, t_[c.start].begin, "[[maybe_unused]] "});
    use(c.calls);
  }
}

bool Phases::takes_whole_block(const std::string &kernel) const {
  auto at = kernels_.find(kernel);
  return at != kernels_.end() && at->second;
}

std::vector<Phases::Copy> Phases::used_copies() const {
  std::vector<Copy> out;
  for (const auto &entry : copies_)
    if (entry.second.used) out.push_back(entry.second);
  return out;
}
