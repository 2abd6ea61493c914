/* What names mean in a .cu file: which are the device's built-in variables, and which uses of a
 * name nvcc refuses because it belongs to the other side (a host variable in a kernel, a kernel
 * called without a launch, ...), while the C++ compiler, to which both sides are one program,
 * would take them and be quietly right.
 *
 * This reads declarations by their looks and not as a compiler does. So it speaks only where a
 * name can mean but one thing: it would rather miss a fault than refuse a right program.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_TRANSLATOR_NAMES_H
#define CPU_DEVICE_TRANSLATOR_NAMES_H

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "cpu_device/translator/read/header_functions.h"
#include "cpu_device/translator/read/places.h"
#include "cpu_device/translator/tokens.h"

/* What stands for an unnamed namespace in a path. */
extern const char *const kUnnamed;

class Names : private Tokens {
 public:
  /* relaxed_constexpr: device code may call the host's constexpr functions, as with nvcc's
   * --expt-relaxed-constexpr. */
  Names(const Source &src, bool relaxed_constexpr);

  /* Token i means threadIdx, blockIdx, blockDim or gridDim as the device has them, and no
   * variable or member that the program calls so. */
  bool is_builtin(size_t i) const;

  /* What gives the built-in variable of that name: threadIdx, blockIdx, blockDim or gridDim. */
  static std::string builtin_call(const std::string &name);

  struct Problem {
    size_t token;
    std::string message;
    bool warning;                /* nvcc builds such a program */
  };
  /* What nvcc would refuse or warn of, in the order of the source, one for each line. */
  std::vector<Problem> problems() const;

  /* A bracket that is not closed, or closed by one of another kind; of no use is what would be
   * said of such a source otherwise. Token 0: there is none. */
  Problem unmatched_bracket() const;

  struct Insertion {
    size_t after;                /* the token that it is to follow */
    size_t about;                /* the one that messages are to point at */
    std::string text;
  };
  /* What makes the compiler count the __constant__ variables' bytes, as ptxas does. */
  std::vector<Insertion> constant_limits() const;

  const Places &places() const { return places_; }

  /* The program itself declares a function of this name. */
  bool is_function(const std::string &name) const { return by_name_.count(name) != 0; }

  /* A variable, parameter or member of this name can be seen at token i. */
  bool sees_variable(size_t i) const;

  /* The last token at which what is declared at token i can be seen. */
  size_t scope_end(size_t i) const;

  /* Numbers of the program's that are declared const, outside of functions. */
  std::vector<std::string> constants() const;

  /* Why `token`, the name before <<<, is no kernel; empty where it may be one. */
  std::string launch_problem(size_t token) const;

  /* A lambda among the arguments there that is not marked __device__; 0: none. */
  size_t host_lambda(size_t token, size_t open) const;

  /* Why the arguments in the parentheses at token `open` cannot be those of the kernel that
   * `token` names, by their number; empty where they may be. */
  std::string argument_problem(size_t token, size_t open) const;

 private:
  enum Place { kFree, kMember, kLambda };
  struct Function {
    std::string name;
    std::string path;            /* the namespaces and classes around it: "a::b::" */
    Place place;
    size_t head, name_at;        /* tokens: where it begins (a lambda: the function around it) */
    size_t body, body_end;       /* { and }; body 0: only declared */
    size_t scope_end;            /* names declared from head to here can be seen in it */
    bool global, device, host;   /* its keywords */
    bool constant;               /* constexpr */
    bool templated;
    bool on_both;                /* constexpr, or a class's defined outside: side unknown */
    const char *kind() const {
      return global ? "__global__"
             : device ? (host ? "__host__ __device__" : "__device__")
                      : "__host__";
    }
    bool for_device() const { return global || device; }
    bool for_both() const { return device && host; }
  };
  struct Variable {
    std::string path;
    bool constant;               /* a const number, which kernels may use by its value */
    bool array;
  };
  struct DeviceVariable {
    const char *keyword;
    bool managed;
    bool constant_memory;        /* __constant__ */
    bool number;                 /* of a built-in type, no array */
  };
  struct ConstantVariable {
    std::string name;            /* with all namespaces */
    size_t token, end;           /* its name, and the declaration's ; */
  };
  /* A stretch of a function's body that one side alone runs. */
  struct Part {
    size_t first, end;
  };
  using Problems = std::vector<Problem>;

  void scan(size_t from, size_t to, const std::string &path);
  size_t declaration(size_t i, size_t to, const std::string &path);
  size_t after_statement(size_t i, size_t to) const;
  size_t after_template(size_t i) const;
  size_t before_parameters(size_t i, size_t to) const;
  Function function_of(size_t start, size_t name, size_t body, size_t end,
                       const std::string &path) const;
  void add_function(size_t start, size_t name, size_t body, size_t end, const std::string &path);
  void scan_class(size_t open, const std::string &path, bool templated);
  size_t member(size_t i, size_t to, const std::string &path, bool templated);
  void find_device_lambdas();
  void add_variables(size_t start, size_t name, size_t end, const std::string &path);
  bool has(size_t first, size_t last, const char *text) const;

  bool declares(size_t i) const;
  bool holds_arguments(size_t open) const;
  bool opens_class(size_t open) const;
  size_t innermost_open(size_t i) const { return places_.around(i); }
  bool declared_in(const Function &f, const std::string &name) const;
  bool declared_as_variable(const std::string &name) const;
  bool unevaluated(size_t i) const;
  bool is_call(size_t i) const;
  std::vector<const Function *> callees(size_t i) const;
  bool may_be_of_header(const Function &f, size_t i) const;
  bool speaks_of_std(size_t i) const;
  bool is_type(const std::string &name) const;

  Part device_part(const Function &f) const;
  Part host_part(const Function &f) const;
  const Function *innermost_function(size_t i) const;
  bool constant_expression(const Function &f, size_t i) const;
  bool address_taken(size_t i) const;

  void check_device(const Function &f, Problems *out) const;
  void check_host_parameters(const Function &f, Problems *out) const;
  std::string device_variable(const Function &f, size_t i) const;
  bool is_inline(const Function &f) const;
  bool compiled_for_use_alone(const Function &f) const;
  bool compiled_for_host(const Function &f) const;
  void check_host(const Function &f, bool only_builtins, Problems *out) const;
  std::string host_variable(const Function &f, size_t i) const;
  std::string host_call(const Function &f, size_t i, bool *warning) const;
  std::string host_method(const Function &f, size_t i) const;
  std::string host_constructor(const Function &f, size_t i) const;
  std::string of_library(const Function &f, size_t i) const;

  void check_kernel(const Function &f, Problems *out) const;
  void check_kernel_parameters(const Function &f, size_t open, size_t close, Problems *out) const;
  bool is_undefined_type(const Function &f, size_t i) const;
  void check_language(const Function &f, Problems *out) const;
  bool opens_block(const Function &f, size_t i) const;
  bool declares_array(const Function &f, size_t i) const;
  void check_array_length(const Function &f, size_t i, Problems *out) const;
  std::string runtime_name(const Function &f, size_t first, size_t end) const;
  void check_constant_memory(const Function &f, Problems *out) const;
  bool is_written(size_t i) const;
  void check_shared_on_host(Problems *out) const;
  std::string bracket_problem(size_t open, size_t i) const;
  bool begins_function(size_t i) const;
  bool opens_namespace(size_t i) const;
  size_t uses_of(const std::string &name) const;
  std::pair<size_t, size_t> arity(const Function &f) const;

  const Places places_;
  const HeaderFunctions headers_;
  std::vector<Function> functions_;
  std::map<std::string, std::vector<size_t>> by_name_;  /* into functions_ */
  std::map<std::string, std::vector<Variable>> variables_;
  std::map<std::string, DeviceVariable> device_variables_;
  std::vector<ConstantVariable> constants_;             /* that are defined here */
  std::vector<Function> members_;                       /* of classes, where they are declared */
  std::vector<Function> lambdas_;                       /* __device__ ones */
  std::set<std::string> class_names_;                   /* fields, methods, and types beside them */
  std::map<std::string, std::vector<std::pair<size_t, size_t>>> hidden_; /* built-in names */
  std::unordered_set<std::string_view> kit_calls_;      /* of CUDA's own headers, and what is none
                                                           of this computer's */
  bool uses_std_ = false;                               /* using namespace std */
  std::set<std::string> used_of_std_;                   /* using std::swap */
  const bool relaxed_constexpr_;
};

#endif
