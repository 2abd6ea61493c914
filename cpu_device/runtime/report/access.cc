/* The address that an instruction used. The processor reports it with a page fault; not with a
 * protection fault, which it raises for a vector that is not aligned and for an address that no
 * memory can have (not canonical: bits 47 to 63 differ).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include <ucontext.h>

#include "cpu_device/runtime/report/report.h"
#include "cpu_device/runtime/runtime.h"

namespace cpu_device {

#if defined(__x86_64__)
namespace {

/* Registers as instructions number them. */
const int kRegisters[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                            REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};

/* What stands before an operation's operands. */
struct Head {
    const unsigned char *operands;
    bool high_base, high_index; /* one of the upper eight registers */
    bool string;                /* a copy or fill through rsi and rdi: no operands */
};

bool is_prefix(unsigned char c) {
    return c && strchr("\x66\x67\xF2\xF3\x2E\x36\x3E\x26\x64\x65\xF0", c);
}

Head read_head(const unsigned char *p) {
    Head head = {nullptr, false, false, false};
    while (is_prefix(*p)) ++p;
    if (*p == 0xC5) { /* VEX, short */
        head.operands = p + 3;
        return head;
    }
    if (*p == 0xC4 || *p == 0x62) { /* VEX, EVEX: these bits are inverted */
        head.high_base = !(p[1] & 0x20);
        head.high_index = !(p[1] & 0x40);
        head.operands = p + (*p == 0xC4 ? 4 : 5);
        return head;
    }
    if ((*p & 0xF0) == 0x40) {
        head.high_base = *p & 1;
        head.high_index = *p & 2;
        ++p;
    }
    head.string = *p == 0xA4 || *p == 0xA5 || *p == 0xAA || *p == 0xAB;
    if (*p == 0x0F) p += p[1] == 0x38 || p[1] == 0x3A ? 2 : 1;
    head.operands = p + 1;
    return head;
}

/* The operand in memory, or 0. */
uintptr_t operand_address(const Head &head, const greg_t *r) {
    const unsigned char *p = head.operands;
    const int mode = *p >> 6;
    int base = *p & 7;
    ++p;
    if (mode == 3) return 0;
    uintptr_t address = 0;
    if (base == 4) {
        const int index = (*p >> 3 & 7) | (head.high_index ? 8 : 0);
        if (index != 4) address += (uintptr_t)r[kRegisters[index]] << (*p >> 6);
        base = *p++ & 7;
    } else if (mode == 0 && base == 5) {
        return 0; /* beside the instruction */
    }
    if (!(mode == 0 && base == 5))
        address += (uintptr_t)r[kRegisters[base | (head.high_base ? 8 : 0)]];
    int32_t offset = 0;
    if (mode == 1) offset = (signed char)*p;
    else if (mode == 2 || base == 5) memcpy(&offset, p, sizeof offset);
    return address + (uintptr_t)(intptr_t)offset;
}

bool is_canonical(uintptr_t address) {
    const intptr_t high = (intptr_t)address >> 47;
    return high == 0 || high == -1;
}

} // namespace

uintptr_t impossible_address(const void *context) {
    const greg_t *r = ((const ucontext_t *)context)->uc_mcontext.gregs;
    const Head head = read_head((const unsigned char *)r[REG_RIP]);
    if (head.string)
        return !is_canonical((uintptr_t)r[REG_RDI])   ? (uintptr_t)r[REG_RDI]
               : !is_canonical((uintptr_t)r[REG_RSI]) ? (uintptr_t)r[REG_RSI]
                                                      : 0;
    const uintptr_t address = operand_address(head, r);
    return is_canonical(address) ? 0 : address;
}
#else
uintptr_t impossible_address(const void *) { return 0; }
#endif

} // namespace cpu_device
