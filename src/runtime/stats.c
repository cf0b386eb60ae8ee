#include "runtime/runtime.h"

#include "hint/report.h"
#include "metric/metric.h"
#include "net/net.h"
#include "plain/clock.h"

#include <inttypes.h>
#include <stdio.h>

enum {
    NUMBER_SIZE = 21, /* of 64 bits, and a blank */
    CHOICE_SIZE = 320 /* of a sentence */
};

static uint64_t began;

void stats_begin(void)
{
    if (!hint_process.value[HINT_STATS] || began)
        return;
    began = clock_ns();
    metric_always_watched = METRIC_WATCH_WAIT | METRIC_WATCH_FREQUENT;
    atomic_fetch_or_explicit(&metric_watched, metric_always_watched, memory_order_relaxed);
}

void stats_report(void)
{
    char text[(METRIC_WORDS + 1) * NUMBER_SIZE + CHOICE_SIZE + 1];
    size_t used;

    if (!began)
        return;
    used = (size_t)snprintf(text, sizeof text, "%" PRIu64, clock_ns() - began);
    for (int m = 0; m < METRIC_WORDS; m++)
        used += (size_t)snprintf(text + used, sizeof text - used, " %" PRIu64, metric_sum((enum metric)m));
    if (*net_choice())
        snprintf(text + used, sizeof text - used, " network %s", net_choice());
    (void)report_tell("stats", text); /* mpiexec says how many ranks have told */
}
