/* What a .cu file declares outside of functions: functions with their sides, classes' members,
 * variables, and the __device__ lambdas. Facts alone; names.h says what a name means at a place.
 *
 * This reads declarations by their looks and not as a compiler does.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_TRANSLATOR_DECLARATIONS_H
#define CPU_DEVICE_TRANSLATOR_DECLARATIONS_H

#include <map>
#include <set>
#include <string>
#include <vector>

#include "cpu_device/translator/tokens.h"

/* What stands for an unnamed namespace in a path. */
extern const char *const kUnnamed;

class Declarations : private Tokens {
  public:
    explicit Declarations(const Source &src);

    enum Place { kFree, kMember, kLambda };
    struct Function {
        std::string name;
        std::string path; /* the namespaces and classes around it: "a::b::" */
        Place place;
        size_t head, name_at;      /* tokens: where it begins (a lambda: the function around it) */
        size_t body, body_end;     /* { and }; body 0: only declared */
        size_t scope_end;          /* names declared from head to here can be seen in it */
        bool global, device, host; /* its keywords */
        bool constant;             /* constexpr */
        bool templated;
        bool on_both; /* constexpr, or a class's defined outside: side unknown */
        const char *kind() const {
            return global   ? "__global__"
                   : device ? (host ? "__host__ __device__" : "__device__")
                            : "__host__";
        }
        bool for_device() const { return global || device; }
        bool for_both() const { return device && host; }
    };
    struct Variable {
        std::string path;
        bool constant; /* a const number, which kernels may use by its value */
        bool array;
    };
    struct DeviceVariable {
        const char *keyword;
        bool managed;
        bool constant_memory; /* __constant__ */
        bool number;          /* of a built-in type, no array */
    };
    struct ConstantVariable {
        std::string name;  /* with all namespaces */
        size_t token, end; /* its name, and the declaration's ; */
    };

    const std::vector<Function> &functions() const { return functions_; }
    /* Of classes, where they are declared there. */
    const std::vector<Function> &members() const { return members_; }
    /* The __device__ ones. */
    const std::vector<Function> &lambdas() const { return lambdas_; }
    const std::vector<const std::vector<Function> *> all_functions() const {
        return {&functions_, &members_, &lambdas_};
    }

    /* Returns the functions of that name that are no members, by their places in functions(); empty:
   * there is none. */
    const std::vector<size_t> &named(const std::string &name) const;

    /* The host's variables by their names, and the device's. */
    const std::map<std::string, std::vector<Variable>> &variables() const { return variables_; }
    const std::map<std::string, DeviceVariable> &device_variables() const {
        return device_variables_;
    }
    /* __constant__ variables that are defined here. */
    const std::vector<ConstantVariable> &constants() const { return constants_; }

    /* True for fields, methods, and types in classes and beside them. */
    bool is_in_class(const std::string &name) const { return class_names_.count(name) != 0; }

  private:
    struct Around { /* a declaration */
        std::string path;
        bool in_class, in_template;
    };

    void scan(size_t from, size_t to, const std::string &path);
    size_t scan_namespace(size_t i, size_t to, const std::string &path);
    void scan_class(size_t open, const Around &around);
    size_t declaration(size_t i, size_t to, const Around &around);
    size_t type_body(size_t start, size_t name, size_t open, size_t to, bool enumerators,
                     const Around &around);
    size_t function(size_t start, size_t name, size_t open, size_t to, const Around &around);
    size_t after_signature(size_t i, size_t to) const;
    void name_rest(size_t first, size_t end);
    void add_function(size_t start, size_t name, size_t body, size_t end, const Around &around,
                      bool defaulted);
    void add_variables(size_t start, size_t name, size_t end, const std::string &path);
    void find_device_lambdas();
    size_t after_statement(size_t i, size_t to) const;
    size_t before_parameters(size_t i, size_t to) const;

    std::vector<Function> functions_, members_, lambdas_;
    std::map<std::string, std::vector<size_t>> by_name_;
    std::map<std::string, std::vector<Variable>> variables_;
    std::map<std::string, DeviceVariable> device_variables_;
    std::vector<ConstantVariable> constants_;
    std::set<std::string> class_names_;
};

#endif
