#include "file/traffic.h"

#include "base/clock.h"
#include "comm/make/hint_report.h"
#include "file/file.h"
#include "hint/report.h"
#include "metric/metric.h"

#include <stdio.h>

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

void traffic_add(struct file *file, enum traffic_way way, bool is_write, MPI_Offset bytes, uint64_t since)
{
    traffic_count(way, is_write, (uint64_t)bytes);
    if (!since)
        return;
    atomic_fetch_add_explicit(&file->traffic.way[way][is_write].bytes, (uint64_t)bytes, memory_order_relaxed);
    atomic_fetch_add_explicit(&file->traffic.way[way][is_write].ns, clock_ns() - since, memory_order_relaxed);
}

void traffic_report(struct file *file)
{
    static const char *const names[TRAFFIC_WAYS] = {[TRAFFIC_SELF] = "itself",
                                                    [TRAFFIC_BUFFERS] = "through the buffers of some ranks",
                                                    [TRAFFIC_THREAD] =
                                                        "by a thread, behind nonblocking calls"};
    char text[160];

    for (int way = 0; way < TRAFFIC_WAYS; way++)
        for (int write = 0; write < 2; write++) {
            uint64_t bytes = atomic_load_explicit(&file->traffic.way[way][write].bytes, memory_order_relaxed);
            uint64_t ns = atomic_load_explicit(&file->traffic.way[way][write].ns, memory_order_relaxed);

            if (!bytes)
                continue;
            snprintf(text, sizeof text, "%s %llu bytes %s, %.3g GB/s", write ? "wrote" : "read",
                     (unsigned long long)bytes, names[way], (double)bytes / (double)(ns ? ns : 1));
            hint_report_fact(file->name, file->rank, file->size, text);
        }
}
