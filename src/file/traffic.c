#include "file/traffic.h"

#include "file/file.h"
#include "hint/report.h"
#include "metric/metric.h"
#include "plain/clock.h"

uint64_t traffic_begin(void)
{
    return report_level() == REPORT_OFF ? 0 : clock_ns();
}

static void count(enum metric m, enum traffic_way way, uint64_t n)
{
    if (way == TRAFFIC_THREAD)
        atomic_fetch_add_explicit(&metric_worker.at[m], n, memory_order_relaxed);
    else
        metric_count(m, n);
}

static void traffic_count(enum traffic_way way, bool is_write, uint64_t bytes)
{
    count(is_write ? METRIC_FILE_WRITES : METRIC_FILE_READS, way, 1);
    count(is_write ? METRIC_FILE_WRITE_BYTES : METRIC_FILE_READ_BYTES, way, bytes);
    if (way == TRAFFIC_BUFFERS)
        count(METRIC_FILE_BUFFERED_BYTES, way, bytes);
}

void traffic_add_message(void)
{
    metric_count(METRIC_FILE_MESSAGES, 1);
}

void traffic_add(struct file *file, enum traffic_way way, bool is_write, MPI_Offset bytes, uint64_t since)
{
    traffic_count(way, is_write, (uint64_t)bytes);
    if (!since)
        return;
    atomic_fetch_add_explicit(&file->traffic.way[way][is_write].bytes, (uint64_t)bytes, memory_order_relaxed);
    atomic_fetch_add_explicit(&file->traffic.way[way][is_write].ns, clock_ns() - since, memory_order_relaxed);
}
