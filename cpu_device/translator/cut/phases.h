/* Cuts kernels at their barriers, so that one call runs a whole block: what it makes of them is
 * told in cpu_device/phases.h.
 *
 *   statements between two cuts            become one loop over the block's threads, a phase;
 *   `int half = blockDim.x / 2;`           the same for all threads: stays outside of the loops;
 *   `int t = threadIdx.x;`                 cheap and never changed: computed anew in each phase;
 *   other variables of several phases      lie in the thread's frame between them;
 *   loops and ifs around a cut             stay, if their condition is the same for all threads;
 *   an if around warp operations only      narrows the mask of threads that take part;
 *   device functions with cuts in them     get a second form, which runs for a whole block.
 *
 * Declarations are read by their looks, not as a compiler does. Where anything is not plainly of
 * one of these forms the kernel is left as it is, and its threads wait on stacks of their own.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_TRANSLATOR_PHASES_H
#define CPU_DEVICE_TRANSLATOR_PHASES_H

#include <map>
#include <set>
#include <string>
#include <vector>

#include "cpu_device/translator/read/leaves.h"
#include "cpu_device/translator/read/names.h"
#include "cpu_device/translator/tokens.h"

class Phases : private Tokens {
 public:
  Phases(const Source &src, const Names &names, const Leaves &leaves);

  struct Function {
    std::string name;
    size_t begin, body, body_end; /* tokens: its first CUDA keyword, { and } */
    bool kernel;
    bool is_free;                /* no class's member */
  };
  /* Device functions and kernels, in the order of the source. */
  void add(const Function &f);

  /* All kernels of that name run a whole block in one call. */
  bool takes_whole_block(const std::string &kernel) const;

  /* What changes in the text of the kernels. */
  const std::vector<Edit> &edits() const { return edits_; }

  /* A device function's second form. It goes in behind the function: `head`, the tokens between
   * the function's braces with the edits, and a }. */
  struct Copy {
    size_t start, body, body_end;
    std::string head;
    std::vector<Edit> edits;
    std::vector<std::string> parameters;
    std::string frame;           /* the type of its parameters and result */
    bool is_template, is_void;
    bool barriers;               /* of the block, in it or in what it calls */
    std::set<std::string> calls; /* other such functions */
    bool used;                   /* by a kernel that is cut */
  };
  std::vector<Copy> used_copies() const;

 private:
  friend class PhaseCutter;
  void find_enumerators();
  void use(const std::set<std::string> &functions);

  const Names &names_;
  const Leaves &leaves_;
  std::set<std::string> waiting_;    /* what cuts: barriers, warp operations, functions with them */
  std::set<std::string> constants_;  /* of the program: numbers that never change */
  std::set<std::string> references_; /* device functions with parameters that are references */
  std::map<std::string, int> functions_;  /* device functions, and how many bear the name */
  std::map<std::string, Copy> copies_;
  std::map<std::string, bool> kernels_;
  std::vector<Edit> edits_;
};

#endif
