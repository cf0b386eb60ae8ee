#include "file/file_report.h"

#include "file/file.h"
#include "hint/report.h"
#include "making/hint_report.h"
#include "metric/metric.h"
#include "plain/clock.h"

uint64_t file_traffic_begin(void)
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

static void count_traffic(enum traffic_way way, bool is_write, uint64_t bytes)
{
    count(is_write ? METRIC_FILE_WRITES : METRIC_FILE_READS, way, 1);
    count(is_write ? METRIC_FILE_WRITE_BYTES : METRIC_FILE_READ_BYTES, way, bytes);
    if (way == TRAFFIC_BUFFERS)
        count(METRIC_FILE_BUFFERED_BYTES, way, bytes);
}

void file_traffic_add_message(void)
{
    metric_count(METRIC_FILE_MESSAGES, 1);
}

void file_traffic_add(struct file *file, enum traffic_way way, bool is_write, MPI_Offset bytes,
                      uint64_t since)
{
    count_traffic(way, is_write, (uint64_t)bytes);
    if (!since)
        return;
    atomic_fetch_add_explicit(&file->traffic.way[way][is_write].bytes, (uint64_t)bytes, memory_order_relaxed);
    atomic_fetch_add_explicit(&file->traffic.way[way][is_write].ns, clock_ns() - since, memory_order_relaxed);
}

static uint64_t bytes_of(const struct file *file, enum traffic_way way, int write)
{
    return atomic_load_explicit(&file->traffic.way[way][write].bytes, memory_order_relaxed);
}

static bool is_collective(const struct file *file, int write)
{
    return atomic_load_explicit(&file->traffic.is_collective[write], memory_order_relaxed);
}

static bool is_sieved(const struct file *file, int write)
{
    return atomic_load_explicit(&file->traffic.is_sieved[write], memory_order_relaxed);
}

static const char *style_absence(const struct file *file)
{
    int64_t told = STYLE_READ_ONCE | STYLE_SEQUENTIAL | STYLE_REVERSE_SEQUENTIAL | STYLE_RANDOM;

    if (!(hint_value(&file->hints, HINT_ACCESS_STYLE) & told))
        return "the kernel knows no such style";
    return file->is_advised ? NULL : "this file takes no advice";
}

static const char *cb_absence(const struct file *file)
{
    if (file->size == 1)
        return "one rank";
    if (!is_collective(file, 0) && !is_collective(file, 1))
        return "no access was collective";
    if (!hint_value(&file->hints, HINT_COLLECTIVE_BUFFERING) || bytes_of(file, TRAFFIC_BUFFERS, 0) ||
        bytes_of(file, TRAFFIC_BUFFERS, 1))
        return NULL;
    return "buffers of some ranks would not have been faster";
}

/* Of romio_cb_read or _write. */
static const char *romio_cb_absence(const struct file *file, enum hint_id id, int write)
{
    if (file->size == 1)
        return "one rank";
    if (!is_collective(file, write))
        return write ? "no write was collective" : "no read was collective";
    if (hint_value(&file->hints, id) != ROMIO_ENABLE || bytes_of(file, TRAFFIC_BUFFERS, write))
        return NULL;
    return hint_value(&file->hints, HINT_COLLECTIVE_BUFFERING) ? "nothing went through buffers of some ranks"
                                                               : "collective_buffering is false";
}

/* Of romio_ds_read or _write, and the buffers for them. */
static const char *sieve_absence(const struct file *file, enum hint_id id, int write)
{
    if (!bytes_of(file, TRAFFIC_SELF, write) && !bytes_of(file, TRAFFIC_THREAD, write))
        return write ? "no rank wrote for itself" : "no rank read for itself";
    if ((id == HINT_DS_READ || id == HINT_DS_WRITE) && hint_value(&file->hints, id) != ROMIO_ENABLE)
        return NULL;
    return is_sieved(file, write) ? NULL : write ? "no write was sieved" : "no read was sieved";
}

static void file_report_effect(const void *object, enum hint_id id, struct report_effect *effect)
{
    const struct file *file = object;

    switch (hint_table[id].acts_on) {
    case ACTS_ON_STYLE:
        effect->absence = style_absence(file);
        break;
    case ACTS_ON_BUFFERING:
        effect->absence = cb_absence(file);
        break;
    case ACTS_ON_STRIPING:
        effect->absence = striping_absence(file);
        break;
    case ACTS_ON_BUFFERED_READS:
    case ACTS_ON_BUFFERED_WRITES:
        effect->absence = romio_cb_absence(file, id, hint_table[id].acts_on == ACTS_ON_BUFFERED_WRITES);
        break;
    case ACTS_ON_SIEVED_READS:
    case ACTS_ON_SIEVED_WRITES:
        effect->absence = sieve_absence(file, id, hint_table[id].acts_on == ACTS_ON_SIEVED_WRITES);
        break;
    default:
        break;
    }
}

/* One line for each way of moving data that was used. */
static void report_traffic(const struct file *file, const struct report_object *object)
{
    static const char *const names[TRAFFIC_WAYS][2] = {
        [TRAFFIC_SELF] = {"read # bytes itself, % GB/s", "wrote # bytes itself, % GB/s"},
        [TRAFFIC_BUFFERS] = {"read # bytes through the buffers of some ranks, % GB/s",
                             "wrote # bytes through the buffers of some ranks, % GB/s"},
        [TRAFFIC_THREAD] = {"read # bytes by a thread, behind nonblocking calls, % GB/s",
                            "wrote # bytes by a thread, behind nonblocking calls, % GB/s"}};

    for (int way = 0; way < TRAFFIC_WAYS; way++)
        for (int write = 0; write < 2; write++) {
            uint64_t count[REPORT_COUNTS] = {
                bytes_of(file, (enum traffic_way)way, write),
                atomic_load_explicit(&file->traffic.way[way][write].ns, memory_order_relaxed)};

            if (count[0])
                hint_report_fact(object, names[way][write], count);
        }
}

void file_report(struct file *file, bool is_final)
{
    struct report_object object = {.kind = "file",
                                   .title = file->name,
                                   .rank = file->rank,
                                   .size = file->size,
                                   .place = file,
                                   .is_final = is_final};

    hint_report_object(&object, &file->hints, is_final ? file_report_effect : NULL, file);
    if (is_final)
        report_traffic(file, &object);
}
