/* Makes one function into phases, or finds that it must stay as it is.
 *
 * A function is gone through three times: for its variables (phase_variables.cc), to learn
 * which phases there will be and what they share, and to write. The last two go the same way
 * through the same code, and so meet the phases in the same order; what only one of them does
 * asks writing_.
 *
 *   phase_cutter.cc      goes through the statements, and gathers phases;
 *   phase_signature.cc   what stands before the body, and what a second form begins with;
 *   phase_operations.cc  statements with barriers, warp operations and calls in them;
 *   phase_text.cc        what lies in frames, what a phase begins and ends with.
 *
 * The names that the text made here uses (cu_b, cu_m, cu_t, ...) are told in
 * cpu_device/phases.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_TRANSLATOR_PHASE_CUTTER_H
#define CPU_DEVICE_TRANSLATOR_PHASE_CUTTER_H

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cpu_device/translator/cut/phase_variables.h"
#include "cpu_device/translator/cut/phases.h"
#include "cpu_device/translator/read/statements.h"

struct WarpOperation {
  const char *method;          /* of BlockRun */
  bool votes;
};
/* By the name that programs call them. */
extern const std::map<std::string, WarpOperation> kWarpOperations;

class PhaseCutter : private Statements {
 public:
  /* *all knows of the functions before this one. */
  PhaseCutter(const Source &src, Phases *all, const Phases::Function &f);

  /* Goes through the function; false: it stays as it is. What follows is of use after true. */
  bool cut();

  /* What changes in the function's text. */
  std::vector<Edit> edits() const;

  /* A device function's second form. */
  Phases::Copy copy() const;

  /* Functions with second forms that it calls. */
  const std::set<std::string> &calls() const { return calls_; }

 private:
  using Range = std::pair<size_t, size_t>;  /* of tokens, first and last */

  /* A phase: what will be one loop over the threads. */
  struct Region {
    std::vector<Range> ranges;
    std::set<int> declares;
    bool returns;
  };
  /* A warp operation, or a call of a function that is cut. */
  struct Operation {
    size_t name, open, close;
    std::vector<std::pair<size_t, size_t>> arguments;  /* first token and end of each */
  };
  /* What goes in before a statement with operations: before the phase in which each thread
   * brings its values, in it, and after it. */
  struct Bringing {
    std::string opening, loop, closing;
  };

  const std::vector<PhaseVariable> &vars() const { return variables_.all(); }
  void fail() { failed_ = true; }

  /* ---- looking (phase_cutter.cc) ---- */
  bool is_call(size_t i) const;
  bool is_cut(size_t i) const;
  bool cuts(size_t first, size_t last) const;
  bool is_plain_text() const;
  bool leaves_loop(const Statement &s) const;
  bool header_is_uniform(const Statement &s) const;

  /* ---- going through (phase_cutter.cc) ---- */
  void body(const std::vector<Statement> &list);
  void head_before(size_t i, bool top);
  void statements(const std::vector<Statement> &list, bool top);
  void mixture(const Statement &s, bool top);
  void cut_statement(const Statement &s);
  bool ends_threads() const;
  void governed(const Statement &part, const std::string &first = "");
  void narrow(const Statement &s);

  int new_region();
  void extend(const Statement &s);
  void close_region();
  void check_jumps(const Statement &s, bool in_loop);
  void returns(const Statement &s);

  /* ---- what stands before the body (phase_signature.cc) ---- */
  void read_template();
  bool is_template_end(size_t i) const;
  bool read_signature();
  bool read_result();
  bool read_parameter(size_t first, size_t end);
  bool is_parameter(const Declarator &one) const { return one.name < f_.body; }
  std::string member(const Declaration &d, const Declarator &one, const std::string &name) const;
  std::string frame_type() const;
  std::string head() const;

  /* ---- operations (phase_operations.cc) ---- */
  void cut_simple(const Statement &s);
  void cut_syncwarp(const Statement &s);
  bool read_operations(const Statement &s, std::vector<Operation> *operations) const;
  bool read_operation(size_t i, Operation *o) const;
  bool may_go_first(const Statement &s, const Operation &o, const std::set<std::string> &earlier) const;
  bool stores(const Statement &s) const;
  bool reads_memory(const Operation &o) const;
  bool needs_order(size_t i) const;
  void bring(const Statement &s, const std::vector<Operation> &operations);
  void bring_value(int r, int slot, const Operation &o, Bringing *made);
  bool bring_call(int r, const Operation &o, Bringing *made);
  void declare_frame(const Operation &o, const Phases::Copy &callee);
  void write_call(const Operation &o, const Phases::Copy &callee, Bringing *made);
  std::string meeting_name(const Operation &o) const;
  std::string common_mask(const Operation &o) const;
  std::string place_in_frames(const Operation &o) const;
  std::string id_of(const Operation &o) const { return std::to_string(t_[o.name].begin); }
  std::string frame_call(const Operation &o) const;
  void take(const Statement &s, const std::vector<Operation> &operations);
  void take_result(const Operation &o);

  /* ---- what phases share (phase_text.cc) ---- */
  std::set<int> used_in(const Region &r) const;
  void use(int k, std::set<int> *used) const;
  void find_frames();
  bool lies_in_frame(int k) const;
  bool can_lie_in_frame(int k) const;
  bool lies_there(int k) const;
  bool is_pointed_at(int k) const;
  bool keeps_addresses(const Region &r) const;
  bool is_quiet(const Region &r) const;
  bool is_quiet_token(size_t i, size_t first) const;
  bool asks_thread(const PhaseVariable &v) const;
  bool has_value_after(const Region &r, const PhaseVariable &v) const;
  bool changed_in(const Region &r, const PhaseVariable &v) const;

  /* ---- writing (phase_text.cc) ---- */
  void before(size_t token, const std::string &text) { before_[token] += text; }
  void after(size_t token, const std::string &text) { after_[t_[token].end] += text; }
  void replace(size_t first, size_t last, const std::string &with);
  void rename_thread_index();
  std::string at_its_place(size_t i) const;
  std::string render(size_t first, size_t last) const;
  std::string declaration_of(const PhaseVariable &v) const;
  std::string member_name(int k) const;
  std::string frames_text() const;
  std::string begin_of(int r) const;
  std::string bound(const PhaseVariable &v, const std::string &from) const;
  std::string end_of(int r) const;

  Phases &all_;
  const Phases::Function f_;
  std::set<std::string> constants_;  /* template parameters among them */
  const PhaseVariables::Surroundings around_;
  PhaseVariables variables_;

  /* what the function is */
  size_t start_ = 0, name_ = 0, close_ = 0;   /* its first token, its name, its ) */
  std::string template_, arguments_;          /* template <class T> and <T> */
  bool pack_ = false;
  std::string result_, members_, types_;      /* of a device function; members: its parameters */
  std::vector<std::string> parameters_;
  bool barriers_ = false;
  std::set<std::string> calls_;

  /* where the going through is */
  bool writing_ = false, failed_ = false, headed_ = false;
  int region_ = -1, next_region_ = 0;         /* the phase that is gathered; -1: none is */
  size_t region_first_ = 0, region_last_ = 0, head_ = 0;
  int loops_ = 0, masks_ = 0;                 /* around the statement, outside of phases */

  /* what was found */
  std::vector<Region> regions_;
  std::vector<bool> frame_;                   /* by variable: it lies in a frame */
  std::string kept_members_;
  std::vector<std::string> frame_pointers_;
  std::map<size_t, std::string> results_;     /* of calls, by the name's token */
  std::vector<Edit> edits_;
  std::map<size_t, std::string> before_;      /* by token */
  std::map<size_t, std::string> after_;       /* by place in the text */
};

#endif
