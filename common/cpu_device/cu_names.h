/* What names mean in a .cu file: which are the device's built-in variables, and which uses of a
 * name nvcc refuses because it belongs to the other side (a host variable in a kernel, a kernel
 * called without a launch, ...), while the C++ compiler, to which both sides are one program,
 * would take them and be quietly right.
 *
 * This reads declarations by their looks and not as a compiler does. So it speaks only of free
 * functions, and only where a name can mean but one thing: it would rather miss a fault than
 * refuse a right program.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_CU_NAMES_H
#define CPU_DEVICE_CU_NAMES_H

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "cu_tokens.h"

class Names : private Tokens {
 public:
  explicit Names(const Source &src);

  /* Token i means threadIdx, blockIdx, blockDim or gridDim as the device has them, and no
   * variable or member that the program calls so. */
  bool is_builtin(size_t i) const;

  struct Problem {
    size_t token;
    std::string message;
  };
  /* What nvcc would refuse, one for each name and function. */
  std::vector<Problem> problems() const;

  /* The program itself declares a function of this name. */
  bool is_function(const std::string &name) const { return by_name_.count(name) != 0; }

  /* Why `token`, the name before <<<, is no kernel; empty where it may be one. */
  std::string launch_problem(size_t token) const;

 private:
  struct Function {
    std::string name;
    std::string path;            /* the namespaces around it: "a::b::" */
    size_t head, body, body_end; /* tokens: where it begins, { and }; body 0: only declared */
    bool global, device, host;   /* its keywords */
    bool on_both;                /* constexpr or a class's: nothing is said about it */
    const char *kind() const { return global ? "__global__" : device ? "__device__" : "__host__"; }
  };
  struct Variable {
    std::string path;
    bool constant;               /* a const number, which kernels may use by its value */
  };

  void scan(size_t from, size_t to, const std::string &path);
  size_t declaration(size_t i, size_t to, const std::string &path);
  size_t after_statement(size_t i, size_t to) const;
  size_t after_template(size_t i) const;
  void add_function(size_t start, size_t name, size_t body, size_t end, const std::string &path);
  void add_variables(size_t start, size_t name, size_t end, const std::string &path);
  bool has(size_t first, size_t last, const char *text) const;

  bool declares(size_t i) const;
  size_t innermost_open(size_t i) const;
  size_t scope_end(size_t i) const;
  bool declared_in(const Function &f, const std::string &name) const;
  bool declared_as_variable(const std::string &name) const;
  bool unevaluated(size_t i) const;
  bool is_call(size_t i) const;
  bool known_to_system(const std::string &name) const;

  void check_device(const Function &f, std::vector<Problem> *out) const;
  void check_host(const Function &f, std::vector<Problem> *out) const;

  std::vector<Function> functions_;
  std::map<std::string, std::vector<size_t>> by_name_;  /* into functions_ */
  std::map<std::string, std::vector<Variable>> variables_;
  std::set<std::string> device_variables_;
  std::map<std::string, std::vector<std::pair<size_t, size_t>>> hidden_; /* built-in names */
  std::unordered_set<std::string_view> system_calls_;
};

#endif
