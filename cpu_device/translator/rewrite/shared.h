/* __shared__ variables: they become the members of a struct, of which the block has one; `extern`
 * arrays become references to the launch's dynamic shared memory.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_TRANSLATOR_SHARED_H
#define CPU_DEVICE_TRANSLATOR_SHARED_H

#include <string>
#include <utility>
#include <vector>

#include "cpu_device/translator/read/device_code.h"
#include "cpu_device/translator/edits.h"
#include "cpu_device/translator/read/names.h"
#include "cpu_device/translator/rewrite/shared_users.h"

class SharedMemory : private Rewriter {
  public:
    SharedMemory(const Source &src, const Names &names, const DeviceCode &device, Edits *edits)
        : Rewriter(src, edits), names_(names), device_(device), users_(src, device, edits) {}

    /* Rewrites the declaration around the __shared__ at token i; returns its last token. */
    size_t declaration(size_t i);

  private:
    struct Declared {
        size_t first, end; /* tokens; end: its ; */
        std::vector<size_t> names;
        bool external;
    };
    size_t statement_start(size_t i) const;
    bool read(size_t i, Declared *d);
    void initialised(size_t i, size_t name, Declared *d);
    void no_semicolon(size_t i);
    void in_function(size_t i, const DeviceFunction *f, const Declared &d);
    std::string limit(size_t i, const DeviceFunction &f, const Declared &d,
                      const std::string &type);
    size_t mentions(const DeviceFunction &f) const;
    void at_file_scope(const Declared &d);
    bool dynamic_array_type(const Declared &d, const std::string &type);
    std::string identity(const Declared &d) const;
    static std::string dynamic_array(const std::string &type);
    void replace_specifiers(const Declared &d, const std::string &with);

    const Names &names_;
    const DeviceCode &device_;
    SharedUsers users_;
    std::vector<std::pair<size_t, std::string>> sizes_; /* of declarations, by their __shared__ */
};

#endif
