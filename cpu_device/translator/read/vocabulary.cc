/* The word lists.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cpu_device/translator/read/vocabulary.h"

#include <sstream>
#include <unordered_map>
#include <unordered_set>

namespace vocabulary {
namespace {

const char *const kComputing =
    "__bfloat1622float2 __bfloat162bfloat162 __bfloat162char_rz __bfloat162float "
    "__bfloat162int_rd __bfloat162int_rn __bfloat162int_ru __bfloat162int_rz __bfloat162ll_rd "
    "__bfloat162ll_rn __bfloat162ll_ru __bfloat162ll_rz __bfloat162short_rd __bfloat162short_rn "
    "__bfloat162short_ru __bfloat162short_rz __bfloat162uchar_rz __bfloat162uint_rd "
    "__bfloat162uint_rn __bfloat162uint_ru __bfloat162uint_rz __bfloat162ull_rd __bfloat162ull_rn "
    "__bfloat162ull_ru __bfloat162ull_rz __bfloat162ushort_rd __bfloat162ushort_rn "
    "__bfloat162ushort_ru __bfloat162ushort_rz __bfloat16_as_short __bfloat16_as_ushort __brev "
    "__brevll __byte_perm __clz __clzll __cosf __dadd_rd __dadd_rn __dadd_ru __dadd_rz __ddiv_rd "
    "__ddiv_rn __ddiv_ru __ddiv_rz __dmul_rd __dmul_rn __dmul_ru __dmul_rz __double2bfloat16 "
    "__double2float_rd __double2float_rn __double2float_ru __double2float_rz __double2half "
    "__double2hiint __double2int_rd __double2int_rn __double2int_ru __double2int_rz "
    "__double2ll_rd __double2ll_rn __double2ll_ru __double2ll_rz __double2loint __double2uint_rd "
    "__double2uint_rn __double2uint_ru __double2uint_rz __double2ull_rd __double2ull_rn "
    "__double2ull_ru __double2ull_rz __double_as_longlong __dp2a_hi __dp2a_lo __dp4a __drcp_rd "
    "__drcp_rn __drcp_ru __drcp_rz __dsqrt_rd __dsqrt_rn __dsqrt_ru __dsqrt_rz __dsub_rd "
    "__dsub_rn __dsub_ru __dsub_rz __exp10f __expf __fadd_rd __fadd_rn __fadd_ru __fadd_rz "
    "__fdiv_rd __fdiv_rn __fdiv_ru __fdiv_rz __fdividef __ffs __ffsll __float22bfloat162_rn "
    "__float22half2_rn __float2bfloat16 __float2bfloat162_rn __float2bfloat16_rd "
    "__float2bfloat16_rn __float2bfloat16_ru __float2bfloat16_rz __float2half __float2half2_rn "
    "__float2half_rd __float2half_rn __float2half_ru __float2half_rz __float2int_rd "
    "__float2int_rn __float2int_ru __float2int_rz __float2ll_rd __float2ll_rn __float2ll_ru "
    "__float2ll_rz __float2uint_rd __float2uint_rn __float2uint_ru __float2uint_rz __float2ull_rd "
    "__float2ull_rn __float2ull_ru __float2ull_rz __float_as_int __float_as_uint "
    "__floats2bfloat162_rn __floats2half2_rn __fma_rd __fma_rn __fma_ru __fma_rz __fmaf_ieee_rd "
    "__fmaf_ieee_rn __fmaf_ieee_ru __fmaf_ieee_rz __fmaf_rd __fmaf_rn __fmaf_ru __fmaf_rz "
    "__fmul_rd __fmul_rn __fmul_ru __fmul_rz __fns __frcp_rd __frcp_rn __frcp_ru __frcp_rz "
    "__frsqrt_rn __fsqrt_rd __fsqrt_rn __fsqrt_ru __fsqrt_rz __fsub_rd __fsub_rn __fsub_ru "
    "__fsub_rz __funnelshift_l __funnelshift_lc __funnelshift_r __funnelshift_rc __h2div __habs "
    "__habs2 __hadd __hadd2 __hadd2_rn __hadd2_sat __hadd_rn __hadd_sat __half22float2 "
    "__half2char_rz __half2float __half2half2 __half2int_rd __half2int_rn __half2int_ru "
    "__half2int_rz __half2ll_rd __half2ll_rn __half2ll_ru __half2ll_rz __half2short_rd "
    "__half2short_rn __half2short_ru __half2short_rz __half2uchar_rz __half2uint_rd "
    "__half2uint_rn __half2uint_ru __half2uint_rz __half2ull_rd __half2ull_rn __half2ull_ru "
    "__half2ull_rz __half2ushort_rd __half2ushort_rn __half2ushort_ru __half2ushort_rz "
    "__half_as_short __half_as_ushort __halves2bfloat162 __halves2half2 __hbeq2 __hbequ2 __hbge2 "
    "__hbgeu2 __hbgt2 __hbgtu2 __hble2 __hbleu2 __hblt2 __hbltu2 __hbne2 __hbneu2 __hcmadd __hdiv "
    "__heq __heq2 __heq2_mask __hequ __hequ2 __hequ2_mask __hfma __hfma2 __hfma2_relu __hfma2_sat "
    "__hfma_relu __hfma_sat __hge __hge2 __hge2_mask __hgeu __hgeu2 __hgeu2_mask __hgt __hgt2 "
    "__hgt2_mask __hgtu __hgtu2 __hgtu2_mask __high2bfloat16 __high2bfloat162 __high2float "
    "__high2half __high2half2 __highs2bfloat162 __highs2half2 __hiloint2double __hisinf __hisnan "
    "__hisnan2 __hle __hle2 __hle2_mask __hleu __hleu2 __hleu2_mask __hlt __hlt2 __hlt2_mask "
    "__hltu __hltu2 __hltu2_mask __hmax __hmax2 __hmax2_nan __hmax_nan __hmin __hmin2 __hmin2_nan "
    "__hmin_nan __hmul __hmul2 __hmul2_rn __hmul2_sat __hmul_rn __hmul_sat __hne __hne2 "
    "__hne2_mask __hneg __hneg2 __hneu __hneu2 __hneu2_mask __hsub __hsub2 __hsub2_rn __hsub2_sat "
    "__hsub_rn __hsub_sat __int2bfloat16_rd __int2bfloat16_rn __int2bfloat16_ru __int2bfloat16_rz "
    "__int2double_rn __int2float_rd __int2float_rn __int2float_ru __int2float_rz __int2half_rd "
    "__int2half_rn __int2half_ru __int2half_rz __int_as_float __isGlobal __isLocal __isShared "
    "__ldca __ldcg __ldcs __ldg __ldlu __ll2bfloat16_rd __ll2bfloat16_rn __ll2bfloat16_ru "
    "__ll2bfloat16_rz __ll2double_rd __ll2double_rn __ll2double_ru __ll2double_rz __ll2float_rd "
    "__ll2float_rn __ll2float_ru __ll2float_rz __ll2half_rd __ll2half_rn __ll2half_ru "
    "__ll2half_rz __log10f __log2f __logf __longlong_as_double __low2bfloat16 __low2bfloat162 "
    "__low2float __low2half __low2half2 __lowhigh2highlow __lows2bfloat162 __lows2half2 __mul24 "
    "__mul64hi __mulhi __popc __popcll __powf __rhadd __sad __saturatef __short2bfloat16_rd "
    "__short2bfloat16_rn __short2bfloat16_ru __short2bfloat16_rz __short2half_rd __short2half_rn "
    "__short2half_ru __short2half_rz __short_as_bfloat16 __short_as_half __sinf __tanf __tanhf "
    "__uhadd __uint2bfloat16_rd __uint2bfloat16_rn __uint2bfloat16_ru __uint2bfloat16_rz "
    "__uint2double_rn __uint2float_rd __uint2float_rn __uint2float_ru __uint2float_rz "
    "__uint2half_rd __uint2half_rn __uint2half_ru __uint2half_rz __uint_as_float "
    "__ull2bfloat16_rd __ull2bfloat16_rn __ull2bfloat16_ru __ull2bfloat16_rz __ull2double_rd "
    "__ull2double_rn __ull2double_ru __ull2double_rz __ull2float_rd __ull2float_rn __ull2float_ru "
    "__ull2float_rz __ull2half_rd __ull2half_rn __ull2half_ru __ull2half_rz __umul24 __umul64hi "
    "__umulhi __urhadd __usad __ushort2bfloat16_rd __ushort2bfloat16_rn __ushort2bfloat16_ru "
    "__ushort2bfloat16_rz __ushort2half_rd __ushort2half_rn __ushort2half_ru __ushort2half_rz "
    "__ushort_as_bfloat16 __ushort_as_half __vabs2 __vabs4 __vabsdiffs2 __vabsdiffs4 __vabsdiffu2 "
    "__vabsdiffu4 __vabsss2 __vabsss4 __vadd2 __vadd4 __vaddss2 __vaddss4 __vaddus2 __vaddus4 "
    "__vavgs2 __vavgs4 __vavgu2 __vavgu4 __vcmpeq2 __vcmpeq4 __vcmpges2 __vcmpges4 __vcmpgeu2 "
    "__vcmpgeu4 __vcmpgts2 __vcmpgts4 __vcmpgtu2 __vcmpgtu4 __vcmples2 __vcmples4 __vcmpleu2 "
    "__vcmpleu4 __vcmplts2 __vcmplts4 __vcmpltu2 __vcmpltu4 __vcmpne2 __vcmpne4 __vhaddu2 "
    "__vhaddu4 __viaddmax_s16x2 __viaddmax_s16x2_relu __viaddmax_s32 __viaddmax_s32_relu "
    "__viaddmax_u16x2 __viaddmax_u32 __viaddmin_s16x2 __viaddmin_s16x2_relu __viaddmin_s32 "
    "__viaddmin_s32_relu __viaddmin_u16x2 __viaddmin_u32 __vibmax_s16x2 __vibmax_s32 "
    "__vibmax_u16x2 __vibmax_u32 __vibmin_s16x2 __vibmin_s32 __vibmin_u16x2 __vibmin_u32 "
    "__vimax3_s16x2 __vimax3_s16x2_relu __vimax3_s32 __vimax3_s32_relu __vimax3_u16x2 "
    "__vimax3_u32 __vimax_s16x2_relu __vimax_s32_relu __vimin3_s16x2 __vimin3_s16x2_relu "
    "__vimin3_s32 __vimin3_s32_relu __vimin3_u16x2 __vimin3_u32 __vimin_s16x2_relu "
    "__vimin_s32_relu __vmaxs2 __vmaxs4 __vmaxu2 __vmaxu4 __vmins2 __vmins4 __vminu2 __vminu4 "
    "__vneg2 __vneg4 __vnegss2 __vnegss4 __vsads2 __vsads4 __vsadu2 __vsadu4 __vseteq2 __vseteq4 "
    "__vsetges2 __vsetges4 __vsetgeu2 __vsetgeu4 __vsetgts2 __vsetgts4 __vsetgtu2 __vsetgtu4 "
    "__vsetles2 __vsetles4 __vsetleu2 __vsetleu4 __vsetlts2 __vsetlts4 __vsetltu2 __vsetltu4 "
    "__vsetne2 __vsetne4 __vsub2 __vsub4 __vsubss2 __vsubss4 __vsubus2 __vsubus4 abs acos acosf "
    "acosh acoshf asin asinf asinh asinhf atan atan2 atan2f atanf atanh atanhf cbrt cbrtf ceil "
    "ceilf copysign copysignf cos cosf cosh coshf cospi cospif cyl_bessel_i0 cyl_bessel_i0f "
    "cyl_bessel_i1 cyl_bessel_i1f erf erfc erfcf erfcinv erfcinvf erfcx erfcxf erff erfinv "
    "erfinvf exp exp10 exp10f exp2 exp2f expf expm1 expm1f fabs fabsf fdim fdimf fdivide fdividef "
    "floor floorf fma fmaf fmax fmaxf fmin fminf fmod fmodf h2ceil h2cos h2exp h2exp10 h2exp2 "
    "h2floor h2log h2log10 h2log2 h2rcp h2rint h2rsqrt h2sin h2sqrt h2tanh h2tanh_approx h2trunc "
    "hceil hcos hexp hexp10 hexp2 hfloor hlog hlog10 hlog2 hrcp hrint hrsqrt hsin hsqrt htanh "
    "htanh_approx htrunc hypot hypotf ilogb ilogbf isfinite isinf isnan j0 j0f j1 j1f labs ldexp "
    "ldexpf lgamma lgammaf llabs llmax llmin llrint llrintf llround llroundf log log10 log10f "
    "log1p log1pf log2 log2f logb logbf logf lrint lrintf lround lroundf make_bfloat162 "
    "make_char1 make_char2 make_char3 make_char4 make_double1 make_double2 make_double3 "
    "make_double4 make_double4_16a make_double4_32a make_float1 make_float2 make_float3 "
    "make_float4 make_half2 make_int1 make_int2 make_int3 make_int4 make_long1 make_long2 "
    "make_long3 make_long4 make_long4_16a make_long4_32a make_longlong1 make_longlong2 "
    "make_longlong3 make_longlong4 make_longlong4_16a make_longlong4_32a make_short1 make_short2 "
    "make_short3 make_short4 make_uchar1 make_uchar2 make_uchar3 make_uchar4 make_uint1 "
    "make_uint2 make_uint3 make_uint4 make_ulong1 make_ulong2 make_ulong3 make_ulong4 "
    "make_ulong4_16a make_ulong4_32a make_ulonglong1 make_ulonglong2 make_ulonglong3 "
    "make_ulonglong4 make_ulonglong4_16a make_ulonglong4_32a make_ushort1 make_ushort2 "
    "make_ushort3 make_ushort4 max min nan nanf nearbyint nearbyintf nextafter nextafterf norm "
    "norm3d norm3df norm4d norm4df normcdf normcdff normcdfinv normcdfinvf normf pow powf rcbrt "
    "rcbrtf remainder remainderf rhypot rhypotf rint rintf rnorm rnorm3d rnorm3df rnorm4d "
    "rnorm4df rnormf round roundf rsqrt rsqrtf scalbln scalblnf scalbn scalbnf signbit sin sinf "
    "sinh sinhf sinpi sinpif sqrt sqrtf tan tanf tanh tanhf tgamma tgammaf trunc truncf ullmax "
    "ullmin umax umin y0 y0f y1 y1f";

/* What the C library's macros become; clocks. */
const char *const kOthers =
    "__builtin_inf __builtin_inff __builtin_huge_val __builtin_huge_valf __builtin_expect "
    "__builtin_trap clock clock64 jn jnf yn ynf";

const char *const kFences = "__threadfence __threadfence_block __threadfence_system";

const char *const kWriting =
    "__sincosf __stcg __stcs __stwb __stwt curand curand4 curand_init curand_log_normal "
    "curand_log_normal2 curand_log_normal2_double curand_log_normal4 curand_log_normal_double "
    "curand_normal curand_normal2 curand_normal2_double curand_normal4 curand_normal4_double "
    "curand_normal_double curand_poisson curand_poisson4 curand_uniform curand_uniform2_double "
    "curand_uniform4 curand_uniform4_double curand_uniform_double frexp frexpf memcpy memmove "
    "memset modf modff remquo remquof sincos sincosf sincospi sincospif skipahead "
    "skipahead_sequence";

const char *const kAtomics =
    "atomicAdd atomicAdd_block atomicAdd_system atomicAnd atomicAnd_block atomicAnd_system "
    "atomicCAS atomicCAS_block atomicCAS_system atomicDec atomicDec_block atomicDec_system "
    "atomicExch atomicExch_block atomicExch_system atomicInc atomicInc_block atomicInc_system "
    "atomicMax atomicMax_block atomicMax_system atomicMin atomicMin_block atomicMin_system "
    "atomicOr atomicOr_block atomicOr_system atomicSub atomicSub_block atomicSub_system atomicXor "
    "atomicXor_block atomicXor_system";

const char *const kPrinting = "printf assert __assert_fail __trap";

/* What these leave: kernels are cut at them. */
const char *const kWarpOperations =
    "__shfl_sync __shfl_up_sync __shfl_down_sync __shfl_xor_sync __ballot_sync __any_sync __all_sync";

const char *const kWaiting =
    "__activemask __all __any __ballot __brkpt __match_all_sync __match_any_sync __nanosleep "
    "__prof_trigger __reduce_add_sync __reduce_and_sync __reduce_max_sync __reduce_min_sync "
    "__reduce_or_sync __reduce_xor_sync __shfl __shfl_down __shfl_up __shfl_xor __syncthreads_and "
    "__syncthreads_count __syncthreads_or";

const char *const kArithmetic =
    "bool char short int long signed unsigned float double size_t ptrdiff_t int8_t int16_t int32_t int64_t uint8_t "
    "uint16_t uint32_t uint64_t uint uchar ushort ulong wchar_t char16_t char32_t intptr_t uintptr_t clock_t time_t int_fast32_t uint_fast32_t";

const char *const kValueTypes =
    "dim3 half half2 __half __half2 __nv_bfloat16 __nv_bfloat162 nv_bfloat16 nv_bfloat162 curandState curandState_t "
    "curandStateXORWOW curandStateXORWOW_t curandStatePhilox4_32_10 curandStatePhilox4_32_10_t";

const char *const kSpecifiers =
    "const constexpr static register typename inline __inline__ __forceinline__ __device__ __host__ __restrict__ __restrict";

const char *const kKeywords =
    "if for while do switch case return else sizeof alignof decltype noexcept static_cast reinterpret_cast const_cast "
    "static_assert __attribute__ alignas __builtin_expect __builtin_assume __builtin_unreachable";

const char *const kTelling =
    "thread_rank num_threads size group_index thread_index group_dim dim_threads dim_blocks block_rank block_index "
    "num_blocks meta_group_rank meta_group_size is_valid x y z";

/* Of groups, of cuda::barrier and its kin, of cuda::atomic. */
const char *const kWaitingMethods =
    "sync shfl shfl_up shfl_down shfl_xor any all ballot match_any match_all wait arrive arrive_and_wait arrive_and_drop "
    "barrier_arrive barrier_wait wait_parity try_wait try_wait_parity wait_prior consumer_wait consumer_release "
    "producer_acquire producer_commit load store exchange compare_exchange_weak compare_exchange_strong test "
    "test_and_set clear acquire release try_acquire count_down";

using Words = std::unordered_set<std::string>;

Words words(const char *list) {
    std::istringstream in(list);
    Words out;
    for (std::string word; in >> word;) out.insert(word);
    return out;
}

bool is_among(const char *list, Words *cache, const std::string &word) {
    if (cache->empty()) *cache = words(list);
    return cache->count(word) != 0;
}

std::unordered_map<std::string, Does> functions() {
    std::unordered_map<std::string, Does> out;
    const struct {
        const char *list;
        Does does;
    } lists[] = {{kComputing, kComputes},      {kOthers, kComputes},
                 {kFences, kComputes},         {kWriting, kWrites},
                 {kAtomics, kAtomic},          {kPrinting, kPrints},
                 {kWaiting, kWaits},           {kWarpOperations, kWarpOperation},
                 {"__syncwarp", kWarpBarrier}, {"__syncthreads", kBarrier}};
    for (const auto &l : lists)
        for (const std::string &word : words(l.list)) out[word] = l.does;
    return out;
}

/* char1 to ulonglong4: and those with their alignment in their names. */
Words vector_types() {
    Words out = words(kValueTypes);
    for (const char *base : {"char", "uchar", "short", "ushort", "int", "uint", "long", "ulong",
                             "longlong", "ulonglong", "float", "double"})
        for (const char *size : {"1", "2", "3", "4", "4_16a", "4_32a"})
            out.insert(std::string(base) + size);
    return out;
}

} // namespace

Does does(const std::string &function) {
    static const auto known = functions();
    static const std::string builtin = "__builtin_";
    auto at = known.find(function);
    if (at != known.end()) return at->second;
    /* The compiler's own name of one of the C library's. */
    if (function.compare(0, builtin.size(), builtin) == 0)
        at = known.find(function.substr(builtin.size()));
    return at != known.end() && at->second == kComputes ? kComputes : kUnknown;
}

bool is_arithmetic(const std::string &word) {
    static Words cache;
    return is_among(kArithmetic, &cache, word);
}

bool is_value_type(const std::string &word) {
    static const Words types = vector_types();
    return types.count(word) != 0;
}

bool is_specifier(const std::string &word) {
    static Words cache;
    return is_among(kSpecifiers, &cache, word);
}

bool is_keyword(const std::string &word) {
    static Words cache;
    return is_among(kKeywords, &cache, word);
}

bool tells_of_group(const std::string &method) {
    static Words cache;
    return is_among(kTelling, &cache, method);
}

bool waits_as_method(const std::string &method) {
    static Words cache;
    return is_among(kWaitingMethods, &cache, method);
}

} // namespace vocabulary
