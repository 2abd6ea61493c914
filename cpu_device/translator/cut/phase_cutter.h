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
#include "cpu_device/translator/cut/reader.h"

struct WarpOperation {
    const char *method; /* of Exchange */
    bool votes;
};
/* By the name that programs call them. */
extern const std::map<std::string, WarpOperation> kWarpOperations;

class PhaseCutter : private Tokens {
  public:
    /* *all knows of the functions before this one; the reader has read it. */
    PhaseCutter(const Source &src, Phases *all, const Phases::Function &f, const Reader &reader);

    /* Goes through the function. Returns false if it must stay whole: refusal() says why. The other
   * accessors are valid only after true. */
    bool cut();
    const Reader::Refusal &refusal() const { return refusal_; }

    /* What changes in the function's text. */
    std::vector<Edit> edits() const;

    /* A device function's second form. */
    Phases::Copy copy() const;

    /* Functions with second forms that it calls. */
    const std::set<std::string> &calls() const { return calls_; }

  private:
    using Range = std::pair<size_t, size_t>; /* of tokens, first and last */

    /* A phase: what will be one loop over the threads. */
    struct Region {
        std::vector<Range> ranges;
        std::set<int> declares;
        bool returns;
    };
    /* A warp operation, or a call of a function that is cut. */
    struct Operation {
        size_t name, open, close;
        std::vector<std::pair<size_t, size_t>> arguments; /* first token and end of each */
    };
    /* What goes in before a statement with operations: before the phase in which each thread
   * brings its values, in it, and after it. */
    struct Bringing {
        std::string opening, loop, closing;
    };

    const std::vector<PhaseVariable> &vars() const { return variables_.all(); }
    void fail(size_t i, const std::string &why);

    /* ---- looking (phase_cutter.cc) ---- */
    bool is_cut(size_t i) const { return reader_.is_cut(i); }
    bool cuts(size_t first, size_t last) const { return reader_.cuts(first, last); }
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
    bool read_signature();
    bool read_result();
    bool read_parameter(const Declaration &d);
    bool is_parameter(const Declarator &one) const { return one.name < f_.body; }
    std::string member(const Declaration &d, const Declarator &one, const std::string &name) const;
    std::string frame_type() const;
    std::string head() const;

    /* ---- operations (phase_operations.cc) ---- */
    void cut_simple(const Statement &s);
    void cut_syncwarp(const Statement &s);
    bool read_operations(const Statement &s, std::vector<Operation> *operations);
    bool read_operation(size_t i, Operation *o);
    bool may_store(size_t i) const;
    bool may_go_first(const Statement &s, const Operation &o,
                      const std::set<std::string> &earlier) const;
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
    std::string begin_of(int r, const std::string &bound = "") const;
    std::string first_idle(const Statement &s) const;
    bool is_thread_index_x(size_t first, size_t last) const;
    std::string bound(const PhaseVariable &v, const std::string &from) const;
    std::string end_of(int r) const;

    Phases &all_;
    const Phases::Function f_;
    const Reader &reader_;
    std::set<std::string> constants_; /* template parameters among them */
    PhaseVariables variables_;

    /* what the function is */
    size_t start_ = 0, name_ = 0;          /* its first token, its name */
    std::string result_, members_, types_; /* of a device function; members: its parameters */
    std::vector<std::string> parameters_;
    bool barriers_ = false;
    std::set<std::string> calls_;

    /* where the going through is */
    Reader::Refusal refusal_ = {0, ""};
    bool writing_ = false, failed_ = false, headed_ = false;
    int region_ = -1, next_region_ = 0; /* the phase that is gathered; -1: none is */
    const Statement *only_ = nullptr;   /* its statement, while it has just one */
    size_t region_first_ = 0, region_last_ = 0, head_ = 0;
    int loops_ = 0, masks_ = 0; /* around the statement, outside of phases */

    /* what was found */
    std::vector<Region> regions_;
    std::vector<bool> frame_; /* by variable: it lies in a frame */
    std::string kept_members_;
    std::vector<std::string> frame_pointers_;
    std::map<size_t, std::string> results_; /* of calls, by the name's token */
    std::vector<Edit> edits_;
    std::map<size_t, std::string> before_; /* by token */
    std::map<size_t, std::string> after_;  /* by place in the text */
};

#endif
