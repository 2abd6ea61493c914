/* What names a shared variable: functions, where it was declared outside of them, and lambdas.
 *
 *   __shared__ int tile[32];
 *   __device__ void f() { tile[0] = 1; }      becomes      __device__ void f() { auto &tile = ...; { tile[0] = 1; }}
 *
 * Lambdas begin likewise: what has static storage on the device is captured by none.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_TRANSLATOR_SHARED_USERS_H
#define CPU_DEVICE_TRANSLATOR_SHARED_USERS_H

#include <map>
#include <string>
#include <vector>

#include "cpu_device/translator/edits.h"
#include "cpu_device/translator/read/device_code.h"

class SharedUsers : private Rewriter {
  public:
    SharedUsers(const Source &src, const DeviceCode &device, Edits *edits)
        : Rewriter(src, edits), device_(device) {}

    /* Tokens `names` are declared in a namespace, up to token `end`. `object` is an expression for the
   * one name, or for a structure of them, and then ends with a dot. */
    void declare_in_all(const std::vector<size_t> &names, size_t end, const std::string &object);
    /* The same for names declared in a function, up to its token `last`. */
    void declare_in_lambdas(const std::vector<size_t> &names, size_t end, size_t last,
                            const std::string &object);

    /* "::a::b::": the namespaces around token i that have names. */
    std::string namespaces_around(size_t i) const;

  private:
    /* Of a function or a lambda: where its parameters may begin, { and }. */
    struct Body {
        size_t begin, open, close;
    };
    void find_lambdas();
    void note_lambda(size_t i);
    void declare(const Body &b, const std::vector<size_t> &names, const std::string &object,
                 bool qualified);
    bool speaks_of(const Body &b, size_t variable, const std::string &object, bool qualified);
    bool names_a_namespace_of(size_t first, size_t name, size_t variable) const;
    bool sees(size_t i, size_t variable) const;
    bool hidden_by_template(const Body &b, const std::string &name) const;
    bool hidden_by_class(const Body &b, const std::string &name) const;
    std::string expression(size_t variable, const std::string &object) const;

    const DeviceCode &device_;
    bool read_ = false;
    std::vector<Body> lambdas_;
};

/* A declaration of `name` for what the expression is. */
std::string reference(const std::string &name, const std::string &expression);

#endif
