/* Cuts kernels at their barriers, so that one call runs a whole block: what it makes of them is
 * described in cpu_device/phases.h.
 *
 *   statements between two cuts            become one loop over the block's threads, a phase;
 *   `int half = blockDim.x / 2;`           the same for all threads: stays outside of the loops;
 *   `int t = threadIdx.x;`                 cheap and never changed: computed anew in each phase;
 *   other variables of several phases      lie in the thread's frame between them;
 *   loops and ifs around a cut             stay, if their condition is the same for all threads;
 *   an if around warp operations only      narrows the mask of threads that take part;
 *   device functions with cuts in them     get a second form, which runs for a whole block.
 *
 * Only what is written in the small language of LANGUAGE.md is cut; all else stays whole, and its
 * threads wait on stacks of their own. Here too is decided which kernels never wait, so that both
 * decisions come of one analysis.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_TRANSLATOR_PHASES_H
#define CPU_DEVICE_TRANSLATOR_PHASES_H

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cpu_device/translator/cut/reader.h"
#include "cpu_device/translator/tokens.h"

class Phases : private Tokens {
  public:
    Phases(const Source &src, const Names &names, const ProgramTypes &types, const Waits &waits);

    struct Function {
        std::string name;
        size_t begin, body, body_end; /* tokens: its first CUDA keyword, { and } */
        bool kernel;
        bool is_free; /* no class's member */
    };
    /* To be called with each reader that has read a function to its end, before the function is cut. */
    void watch_readers(std::function<void(const Reader &)> watcher) {
        watcher_ = std::move(watcher);
    }

    /* Device functions and kernels, in the order of the source. cut: if they may be. */
    void add(const Function &f, bool cut);

    /* kGuarded: cut for plain types of a template's, else whole; the kernel itself decides. */
    enum Form { kNeverWaits, kCut, kGuarded, kWhole };
    struct Decision {
        std::string name;
        size_t token; /* the kernel's name */
        Form form;
        Reader::Refusal why; /* of one that stays whole */
    };
    /* Of each kernel, in the order of the source. */
    const std::vector<Decision> &decisions() const { return decisions_; }

    /* How launches of that kernel run it: all that bear the name alike, or kWhole. */
    Form form(const std::string &kernel) const;

    /* What changes in the text of the kernels. */
    const std::vector<Edit> &edits() const { return edits_; }

    /* A second form, which runs for a whole block. A device function's goes in behind the function: `head`, the tokens between
   * the function's braces with the edits, and a }. */
    struct Copy {
        size_t start, body, body_end;
        std::string head;
        std::vector<Edit> edits;
        std::vector<std::string> parameters;
        std::string frame; /* the type of its parameters and result */
        bool is_template, is_void;
        bool barriers;               /* of the block, in it or in what it calls */
        std::set<std::string> calls; /* other such functions */
        bool used;                   /* by a kernel that is cut */
        std::string guard; /* a kernel's: the condition under which it is the one that runs */
    };
    std::vector<Copy> used_copies() const;

  private:
    friend class PhaseCutter;
    void use(const std::set<std::string> &functions);
    Reader::Program program() const;
    bool cut_function(const Function &f, Reader::Refusal *why);
    void keep_callee(const Function &f, bool cut, const Reader::Refusal &why);
    size_t name_of(const Function &f) const { return opening(f.body - 1) - 1; }

    const Names &names_;
    const ProgramTypes &types_;
    const Waits &waits_;
    std::set<std::string> constants_;               /* of the program: numbers that never change */
    std::map<std::string, Reader::Callee> callees_; /* device functions that were read */
    std::map<std::string, int> functions_; /* device functions, and how many bear the name */
    std::map<std::string, Copy> copies_;
    std::vector<Copy> guarded_; /* of kernels that are templates of types */
    std::map<std::string, Form> forms_;
    std::vector<Decision> decisions_;
    std::vector<Edit> edits_;
    std::function<void(const Reader &)> watcher_;
};

#endif
