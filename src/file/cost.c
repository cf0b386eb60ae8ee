#include "file/cost.h"

#include "hint/hint.h"
#include "hint/parse.h"

/* Nanoseconds, rounded. bench/files.c found 730 for a pwrite of 1 KiB in memory, and 0.15 to 0.24 for each byte of large
 * ones. The others are estimates: they only decide where both ways take about as long. */
enum {
    CALL_NS = 700,   /* a system call that reads or writes a run */
    RUN_NS = 25,     /* a run that is copied */
    ROUND_NS = 20000 /* a barrier (2 to 15 us where ranks outnumber cores), and the wait for the slowest */
};
static const double byte_ns = 0.15; /* copied once, by the kernel or a rank */

struct cost cost_estimate(const struct cost_pattern *p)
{
    double list = p->runs * CALL_NS + p->bytes * byte_ns;
    double copy = p->runs * RUN_NS + p->bytes * byte_ns;
    double sieve = copy + p->spans * byte_ns;

    if (p->is_write) /* which a file system lets one process do at a time */
        return (struct cost){list, copy / p->aggregators + p->bytes * byte_ns + p->windows * ROUND_NS};
    return (struct cost){(list < sieve ? list : sieve) / p->aggregators,
                         (copy + p->span * byte_ns) / p->aggregators +
                             (p->windows / p->aggregators + 1) * ROUND_NS};
}

bool cost_favours_buffers(const struct cost_pattern *p)
{
    struct cost cost;

    if (p->spans <= p->span)
        return false;
    cost = cost_estimate(p);
    return cost.buffered < cost.independent;
}

enum {
    EXAMPLE = 64 << 20,
    BLOCK_MIN = 64,
    BLOCK_MAX = 1 << 20
};

/* Ranks that access the example in blocks, in turn. */
static struct cost_pattern pattern_of(int ranks, int aggregators, int block, bool is_write)
{
    const struct hint_row *row = &hint_table[HINT_CB_BLOCK_SIZE];
    struct cost_pattern p = {.is_write = is_write,
                             .runs = EXAMPLE / (double)block,
                             .bytes = EXAMPLE,
                             .span = EXAMPLE,
                             .spans = (double)EXAMPLE * ranks,
                             .aggregators = aggregators};
    int64_t window;

    parse_value(row, row->def, &window);
    p.windows = p.span / (double)window;
    return p;
}

static void cost_print_line(FILE *to, const struct cost_pattern *p, int block)
{
    struct cost cost = cost_estimate(p);

    fprintf(to, "%8d  %-5s  %13.2f  %8.2f  %s\n", block, p->is_write ? "write" : "read",
            cost.independent / 1e6, cost.buffered / 1e6,
            cost_favours_buffers(p) ? "through buffers" : "each rank for itself");
}

static void print_json_line(FILE *to, const struct cost_pattern *p, int block)
{
    struct cost cost = cost_estimate(p);

    fprintf(to, "\n  {\"block\": %d, \"access\": \"%s\", \"independent_ms\": %.3f, \"buffered_ms\": %.3f, ",
            block, p->is_write ? "write" : "read", cost.independent / 1e6, cost.buffered / 1e6);
    fprintf(to, "\"way\": \"%s\"}", cost_favours_buffers(p) ? "buffered" : "independent");
}

void cost_print_json(FILE *to, int ranks, int aggregators)
{
    fprintf(to, "{\"ranks\": %d, \"aggregators\": %d, \"bytes\": %d, \"accesses\": [", ranks, aggregators,
            EXAMPLE);
    for (int block = BLOCK_MIN; block <= BLOCK_MAX; block *= 8)
        for (int write = 0; write < 2; write++) {
            struct cost_pattern p = pattern_of(ranks, aggregators, block, write);

            fprintf(to, "%s", block > BLOCK_MIN || write ? "," : "");
            print_json_line(to, &p, block);
        }
    fprintf(to, "]}\n");
}

void cost_print(FILE *to, int ranks, int aggregators)
{
    fprintf(to,
            "Collective accesses: 64 MiB, in blocks that %d ranks of one host access in turn. %d of them "
            "buffer.\n"
            "The estimate in milliseconds, with the file in the page cache, and the way that is taken:\n\n"
            "   block         for itself   buffers\n",
            ranks, aggregators);
    for (int block = BLOCK_MIN; block <= BLOCK_MAX; block *= 8)
        for (int write = 0; write < 2; write++) {
            struct cost_pattern p = pattern_of(ranks, aggregators, block, write);

            cost_print_line(to, &p, block);
        }
    fprintf(
        to,
        "\nAccesses of ranks that lie one behind the other are moved by each rank for itself, as are all in "
        "atomic\n"
        "mode. Hints choose otherwise: `inkling hints collective_buffering`, romio_cb_write, romio_cb_read,\n"
        "cb_nodes, cb_block_size, cb_buffer_size.\n");
}
