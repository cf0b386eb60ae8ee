#include "file/traffic.h"

#include "file/file.h"
#include "hint/report.h"
#include "metric/metric.h"
#include "plain/clock.h"

uint64_t traffic_begin(void)
{
    return report_level() == REPORT_OFF ? 0 : clock_ns();
}

/* Also in threads that take no lock of MPI. */
static void traffic_count(enum traffic_way way, bool is_write, uint64_t bytes)
{
    _Atomic uint64_t *word = metric_stripe[thread_stripe()].at;

    atomic_fetch_add_explicit(&word[is_write ? METRIC_FILE_WRITES : METRIC_FILE_READS], 1,
                              memory_order_relaxed);
    atomic_fetch_add_explicit(&word[is_write ? METRIC_FILE_WRITE_BYTES : METRIC_FILE_READ_BYTES], bytes,
                              memory_order_relaxed);
    if (way == TRAFFIC_BUFFERS)
        atomic_fetch_add_explicit(&word[METRIC_FILE_BUFFERED_BYTES], bytes, memory_order_relaxed);
}

void traffic_add_message(void)
{
    atomic_fetch_add_explicit(&metric_stripe[thread_stripe()].at[METRIC_FILE_MESSAGES], 1,
                              memory_order_relaxed);
}

void traffic_add(struct file *file, enum traffic_way way, bool is_write, MPI_Offset bytes, uint64_t since)
{
    traffic_count(way, is_write, (uint64_t)bytes);
    if (!since)
        return;
    atomic_fetch_add_explicit(&file->traffic.way[way][is_write].bytes, (uint64_t)bytes, memory_order_relaxed);
    atomic_fetch_add_explicit(&file->traffic.way[way][is_write].ns, clock_ns() - since, memory_order_relaxed);
}
