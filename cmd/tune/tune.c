#include "cmd/tune/tune.h"

#include "hint/coll_rules.h"
#include "plain/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

const char *const tune_collectives[] = {"barrier",  "bcast",          "reduce", "allreduce", "allgather",
                                        "alltoall", "reduce_scatter", "gather", "scatter",   "scan",
                                        NULL};

const char *const tune_networks[TUNE_NETWORKS] = {"ofi", "ucx"};

static const double worth = 0.95, sure = 0.98; /* the median of the ratios, and their last quartile */

static int collective_of(const char *name)
{
    for (int c = 0; tune_collectives[c]; c++)
        if (strcmp(tune_collectives[c], name) == 0)
            return c;
    return -1;
}

static void take_point(struct tune *tune, const char *line, int ranks, int hosts)
{
    struct tune_point p = {.ranks = ranks, .hosts = hosts};
    char name[32];

    if (sscanf(line, "point %31s %zu %31s %lf %lf %lf %lf %lf", name, &p.bytes, p.algorithm, &p.base,
               &p.seconds, &p.low, &p.ratio, &p.high) != 8)
        return;
    p.collective = collective_of(name);
    if (p.collective >= 0 && tune->points < TUNE_POINTS)
        tune->point[tune->points++] = p;
}

static void take_link(struct tune *tune, const char *line)
{
    struct tune_link link = {.is_known = true};
    char name[8];

    if (sscanf(line, "link %7s %lf %lf %lf %lf", name, &link.latency, &link.overhead, &link.gap,
               &link.byte) == 5)
        *(strcmp(name, "near") == 0 ? &tune->near : &tune->far) = link;
}

/* Sizes come in their order: the limit is the last one before the first that should wait. */
static void take_eager(struct tune *tune, const char *line)
{
    double ratio, low, high;
    size_t size;
    char name[8];
    struct tune_link *link;

    if (sscanf(line, "eager %7s %zu %lf %lf %lf", name, &size, &ratio, &low, &high) != 5)
        return;
    link = strcmp(name, "near") == 0 ? &tune->near : &tune->far;
    if (ratio < worth && high < sure && (link->eager == size / 2 || size == 1024))
        link->eager = size;
}

static void take_network(struct tune *tune, const char *line)
{
    struct tune_network network;

    if (sscanf(line, "network %7s %lf %lf", network.name, &network.small, &network.large) != 3)
        return;
    for (int i = 0; i < TUNE_NETWORKS; i++)
        if (strcmp(network.name, tune_networks[i]) == 0)
            tune->network[i] = network;
}

const struct tune_network *tune_faster_network(const struct tune *tune)
{
    const struct tune_network *usual = &tune->network[0], *best = usual;

    for (const struct tune_network *n = usual; n < usual + TUNE_NETWORKS; n++) {
        if (n->small <= 0 || n->large <= 0)
            return NULL;
        if (n->small * n->large < best->small * best->large * worth * worth)
            best = n;
    }
    return best == usual ? NULL : best;
}

void tune_take_line(struct tune *tune, const char *line, int ranks, int *hosts)
{
    sscanf(line, "hosts %d", hosts);
    sscanf(line, "core %lf %lf", &tune->copy, &tune->reduce);
    take_point(tune, line, ranks, *hosts);
    take_link(tune, line);
    take_eager(tune, line);
    take_network(tune, line);
}

static bool are_of_one(const struct tune_point *a, const struct tune_point *b)
{
    return a->ranks == b->ranks && a->hosts == b->hosts && a->collective == b->collective;
}

/* The fastest algorithm at the size of this point that is better beyond noise; NULL: none. */
static const struct tune_point *best_at(const struct tune *tune, const struct tune_point *like)
{
    const struct tune_point *best = NULL;

    for (const struct tune_point *p = tune->point; p < tune->point + tune->points; p++)
        if (are_of_one(p, like) && p->bytes == like->bytes && p->ratio < worth && p->high < sure &&
            (!best || p->seconds < best->seconds))
            best = p;
    return best;
}

/* The measured size next to this one; is_above: the next larger. The same: there is none. */
static size_t neighbour_of(const struct tune *tune, const struct tune_point *like, bool is_above)
{
    size_t found = like->bytes;

    for (const struct tune_point *p = tune->point; p < tune->point + tune->points; p++)
        if (are_of_one(p, like) && (is_above ? p->bytes > like->bytes : p->bytes < like->bytes) &&
            (found == like->bytes || (is_above ? p->bytes < found : p->bytes > found)))
            found = p->bytes;
    return found;
}

static size_t tune_between(size_t a, size_t b)
{
    return (size_t)sqrt((double)a * (double)b);
}

/* For the sizes round that of the point; joined with the rule before it, if that is for the next smaller sizes. */
static void add_rule(struct tune *tune, const struct tune_point *best)
{
    size_t below = neighbour_of(tune, best, false), above = neighbour_of(tune, best, true);
    struct tune_rule *last = tune->rules ? &tune->rule[tune->rules - 1] : NULL;

    if (last && last->ranks == best->ranks && last->hosts == best->hosts &&
        last->collective == best->collective && last->last == below &&
        strcmp(last->algorithm, best->algorithm) == 0) {
        last->last = best->bytes;
        last->to = above == best->bytes ? best->bytes : tune_between(best->bytes, above);
        return;
    }
    if (tune->rules == TUNE_RULES)
        return;
    last = &tune->rule[tune->rules++];
    *last = (struct tune_rule){.ranks = best->ranks,
                               .hosts = best->hosts,
                               .collective = best->collective,
                               .from = below == best->bytes ? 0 : tune_between(below, best->bytes) + 1,
                               .to = above == best->bytes ? best->bytes : tune_between(best->bytes, above),
                               .first = best->bytes,
                               .last = best->bytes};
    memcpy(last->algorithm, best->algorithm, sizeof last->algorithm);
}

void tune_make_rules(struct tune *tune)
{
    tune->rules = 0;
    for (int i = 0; i < tune->points; i++) {
        const struct tune_point *p = &tune->point[i];

        if (best_at(tune, p) == p)
            add_rule(tune, p);
    }
}

static bool is_about(const struct tune_rule *rule, const struct tune_point *p)
{
    return rule->ranks == p->ranks && rule->hosts == p->hosts && rule->collective == p->collective &&
           p->bytes >= rule->from && p->bytes <= rule->to;
}

/* At the sizes that made it a rule must be faster again; at its ends, between two sizes, not slower. */
int tune_drop(struct tune *tune, const struct tune_point *checked, int count)
{
    int dropped = 0;

    for (struct tune_rule *rule = tune->rule; rule < tune->rule + tune->rules; rule++)
        for (int i = 0; i < count && !rule->is_dropped; i++) {
            bool was_measured = checked[i].bytes >= rule->first && checked[i].bytes <= rule->last;

            if (is_about(rule, &checked[i]) && checked[i].ratio > (was_measured ? 0.97 : 1.0)) {
                rule->is_dropped = true;
                dropped++;
            }
        }
    return dropped;
}

static void write_link(FILE *out, const char *name, const struct tune_link *link)
{
    if (link->is_known)
        fprintf(out,
                "    \"%s\": {\"latency\": %.4g, \"overhead\": %.4g, \"gap\": %.4g, \"byte\": %.4g, "
                "\"eager\": %zu},\n",
                name, link->latency, link->overhead, link->gap, link->byte,
                link->eager                 ? link->eager
                : strcmp(name, "near") == 0 ? (size_t)4096
                                            : (size_t)32768);
}

static void write_settings(const struct tune *tune, FILE *out)
{
    const struct tune_network *network = tune_faster_network(tune);
    const char *before = "";

    fprintf(out, "  \"settings\": {");
    if (network) {
        fprintf(out, "\"inkling_network\": \"%s\"", network->name);
        before = ", ";
    }
    if (tune->near.eager > 4096) {
        fprintf(out, "%s\"inkling_eager_limit\": \"%zuK\"", before, tune->near.eager / 1024);
        before = ", ";
    }
    if (tune->far.eager && tune->far.eager < 32768)
        fprintf(out, "%s\"inkling_ofi_eager_limit\": \"%zuK\"", before, tune->far.eager / 1024);
    fprintf(out, "},\n");
}

static void write_rules(const struct tune *tune, FILE *out)
{
    const char *before = "";

    fprintf(out, "  \"rules\": [");
    for (const struct tune_rule *r = tune->rule; r < tune->rule + tune->rules; r++) {
        if (r->is_dropped)
            continue;
        fprintf(out, "%s\n    ", before);
        before = ",";
        json_write_member(out, "{", "collective", tune_collectives[r->collective]);
        json_write_member(out, ", ", "algorithm", r->algorithm);
        if (r->collective != 0)
            fprintf(out, ", \"bytes\": [%zu, %zu]", r->from, r->to);
        fprintf(out, ", \"ranks\": [%d, %d], \"hosts\": [%d, %d]}", r->ranks, r->ranks, r->hosts, r->hosts);
    }
    fprintf(out, "]}\n");
}

static void find_machine(char *machine, size_t size, long cores)
{
    char line[256];
    FILE *in = fopen("/proc/cpuinfo", "re");

    snprintf(machine, size, "%ld cores", cores);
    while (in && fgets(line, sizeof line, in)) {
        char *name = strchr(line, ':');

        if (strncmp(line, "model name", 10) != 0 || !name)
            continue;
        line[strcspn(line, "\n")] = '\0';
        snprintf(machine, size, "%ld cores of %.90s", cores, name + 2);
        break;
    }
    if (in)
        fclose(in);
}

void tune_write(const struct tune *tune, FILE *out)
{
    char machine[128], date[32];
    time_t now = time(NULL);
    struct tm local;

    find_machine(machine, sizeof machine, sysconf(_SC_NPROCESSORS_ONLN));
    strftime(date, sizeof date, "%Y-%m-%d", localtime_r(&now, &local));
    fprintf(out, "{\"inkling_rules\": %d,\n", RULES_VERSION);
    json_write_member(out, "  ", "machine", machine);
    json_write_member(out, ", ", "date", date);
    fprintf(out,
            ",\n  \"note\": \"written by inkling tune; what it says comes before the built-in rules\",\n");
    fprintf(out, "  \"model\": {\n");
    write_link(out, "near", &tune->near);
    write_link(out, "far", &tune->far);
    if (tune->copy > 0)
        fprintf(out, "    \"copy\": %.4g, \"reduce\": %.4g,\n", tune->copy, tune->reduce);
    fprintf(out, "    \"step\": 1e-08},\n");
    write_settings(tune, out);
    write_rules(tune, out);
}
