#include "metric/metric.h"

struct metric_words metric_lane[METRIC_LANES], metric_stripe[THREAD_STRIPES], metric_worker, metric_library;
_Atomic unsigned metric_watched;
unsigned metric_always_watched;
void (*_Atomic metric_queue_watcher)(void); /* release when it is set, acquire when it is called */

uint64_t metric_sum(enum metric word)
{
    uint64_t sum = atomic_load_explicit(&metric_worker.at[word], memory_order_relaxed);

    for (int i = 0; i < METRIC_LANES; i++)
        sum += atomic_load_explicit(&metric_lane[i].at[word], memory_order_relaxed);
    for (int i = 0; i < THREAD_STRIPES; i++)
        sum += atomic_load_explicit(&metric_stripe[i].at[word], memory_order_relaxed);
    return sum;
}

void metric_queue_changed(void)
{
    void (*watcher)(void) = atomic_load_explicit(&metric_queue_watcher, memory_order_acquire);

    if (watcher)
        watcher();
}

int metric_rows(void)
{
    int rows = 0;

    while (metric_table[rows].name)
        rows++;
    return rows;
}
