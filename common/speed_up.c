/* SPDX-License-Identifier: Apache-2.0 */
/* See speed_up.h. */
#include "common/speed_up.h"

#include <math.h>
#include <stdio.h>

const char *speed_up_text(const Lesson *lesson, const TimerStats *slow, const TimerStats *fast) {
    if (lesson->on_cpu_device || !lesson->optimised || !(fast->median_ms > 0) ||
        !(slow->median_ms > 0))
        return "-";
    double ratio = slow->median_ms / fast->median_ms;
    if (slow->doubtful || fast->doubtful) {
        /* Two digits are kept, as of the times. */
        int place = (int)floor(log10(ratio)) - 1;
        double unit = pow(10, place);
        return text_format("about %.*f x", place < 0 ? -place : 0, round(ratio / unit) * unit);
    }
    return text_format("%.1f x", ratio);
}

static bool clock_moved(const TimerStats *stats) {
    double before = stats->clock_before_mhz, after = stats->clock_after_mhz;
    return before > 0 && after > 0 && fabs(before - after) > 0.05 * fmax(before, after);
}

void doubts_note(Doubts *doubts, const char *what, const TimerStats *stats) {
    doubts->figures++;
    if (doubts->first_clock_mhz == 0) doubts->first_clock_mhz = stats->clock_before_mhz;
    if (stats->clock_after_mhz > 0) doubts->last_clock_mhz = stats->clock_after_mhz;
    if (!stats->doubtful) return;
    doubts->doubtful++;
    if (stats->spread < doubts->worst_spread) return;
    doubts->worst_spread = stats->spread;
    if (clock_moved(stats)) {
        snprintf(doubts->worst, sizeof doubts->worst, "%s: the SM clock went from %.0f to %.0f MHz",
                 what, stats->clock_before_mhz, stats->clock_after_mhz);
    } else {
        snprintf(doubts->worst, sizeof doubts->worst, "%s: spread %.0f %%", what,
                 100 * stats->spread);
    }
}

void doubts_print(const Doubts *doubts, Lesson *lesson) {
    record_count(lesson->record, "figures", doubts->figures);
    record_count(lesson->record, "doubtful_figures", doubts->doubtful);
    if (doubts->doubtful == 0 || lesson->on_cpu_device) return;
    printf(
        "\nWarning: %zu of %zu times are doubtful (spread above %.0f %%, or a clock\n"
        "that moved by 5 %%) and are printed with fewer digits.\n"
        "The worst: %s.\n"
        "Close other programs, repeat more often (--repeat), or fix the clocks.\n",
        doubts->doubtful, doubts->figures, 100 * TIMER_SPREAD_LIMIT, doubts->worst);
}
