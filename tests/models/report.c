/* The program of each model. `-v` names each order and what finds it; `-t TEXT` weakens only the orders whose line has the text, and shows
 * the run that finds them. */
#include "engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

extern const struct site __start_model_sites[],
    __stop_model_sites[]; /* of the linker: all places that name an order */

enum {
    DROPPED = -1,
    LAST_STEPS = 100, /* that are shown of a run */
    WEAKENINGS = 256
};

/* An order that is weakened, at each site that is compiled from this place. */
struct weakening {
    const struct site *site;
    bool is_failure;
    int to;
    bool is_found[2]; /* by memory model */
};

static struct results {
    struct weakening weakening[WEAKENINGS];
    int count;
    const struct weakening *in_force;
    bool is_verbose;
    const char *traced;
} * results;

static const char *const order_names[] = {"relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst"};
static const char *const model_names[] = {"weak", "tso"};

void model_fail(const char *what)
{
    snprintf(engine->finding, sizeof engine->finding, "%s", what);
    threads_end(RUN_FOUND);
}

static bool is_same_place(const struct site *a, const struct site *b)
{
    return a->line == b->line && a->kind == b->kind && a->order == b->order && !strcmp(a->file, b->file) &&
           !strcmp(a->text, b->text);
}

memory_order site_order(const struct site *site, bool is_failure)
{
    const struct weakening *w = results->in_force;

    engine->reached[site - __start_model_sites] = true;
    if (w && w->is_failure == is_failure && w->to != DROPPED && is_same_place(w->site, site))
        return (memory_order)w->to;
    return (memory_order)(is_failure ? site->failure : site->order);
}

bool site_is_dropped(const struct site *site)
{
    engine->reached[site - __start_model_sites] = true;
    return results->in_force && results->in_force->to == DROPPED &&
           is_same_place(results->in_force->site, site);
}

static const char *file_of(const char *path)
{
    const char *src = strstr(path, "src/");

    return src ? src + 4 : path;
}

static void print_step(const struct event *e)
{
    static const char *const names[] = {
        "goes on", "load", "store", "change", "fence",  "weak fence", "compiler fence", "fence in thread",
        "sleep",   "wake", "awake", "lock",   "unlock", "pause",      "retry",          "drain"};
    const struct site *site = e->step.site;

    printf("    %s %d: ", e->entity < THREADS ? "thread" : "buffer", e->entity % THREADS);
    if (site)
        printf("%s:%d %s: %s: %#llx\n", file_of(site->file), site->line, site->function, site->text,
               (unsigned long long)e->step.value);
    else
        printf("%s %p (%#llx)\n", names[e->step.kind], (const void *)(uintptr_t)e->step.at,
               (unsigned long long)e->step.value);
}

static void print_finding(const char *model, const struct scenario *scenario)
{
    printf("  %s, %s, run %llu: %s\n", scenario->name, model, (unsigned long long)engine->runs,
           engine->finding);
    for (int i = engine->events > LAST_STEPS ? engine->events - LAST_STEPS : 0; i < engine->events; i++)
        print_step(&engine->event[i]);
}

static void describe(const struct weakening *w, char *text, size_t size)
{
    const struct site *s = w->site;

    snprintf(text, size, "%s:%d %s: %s: %s%s -> %s", file_of(s->file), s->line, s->function, s->text,
             w->is_failure ? "failure " : "", order_names[w->is_failure ? s->failure : s->order],
             w->to == DROPPED ? "dropped" : order_names[w->to]);
}

static void add_weakening(const struct site *site, bool is_failure, int to)
{
    for (int i = 0; i < results->count; i++) {
        const struct weakening *w = &results->weakening[i];

        if (w->to == to && w->is_failure == is_failure && is_same_place(w->site, site))
            return;
    }
    if (results->count == WEAKENINGS) {
        printf("the model names more orders than WEAKENINGS\n");
        exit(1);
    }
    results->weakening[results->count++] = (struct weakening){site, is_failure, to, {false, false}};
}

static void weaken_access(const struct site *site, bool is_failure)
{
    int order = is_failure ? site->failure : site->order;
    bool changes = site->kind == SITE_CHANGE && !is_failure;

    if (order == memory_order_seq_cst)
        add_weakening(site, is_failure,
                      changes                    ? memory_order_acq_rel
                      : site->kind == SITE_STORE ? memory_order_release
                                                 : memory_order_acquire);
    if (order == memory_order_acq_rel) {
        add_weakening(site, is_failure, memory_order_acquire);
        add_weakening(site, is_failure, memory_order_release);
    }
    if (order == memory_order_acquire || order == memory_order_release)
        add_weakening(site, is_failure, memory_order_relaxed);
}

static bool is_weakened(const struct site *site)
{
    for (const char *const *file = weakened_files; *file; file++)
        if (!strncmp(file_of(site->file), *file, strlen(*file)))
            return true;
    return false;
}

static void weaken_site(const struct site *site)
{
    if (!is_weakened(site))
        return;
    if (site->kind == SITE_SIGNAL_FENCE) {
        add_weakening(site, false, DROPPED);
    } else if (site->kind == SITE_FENCE) {
        add_weakening(site, false,
                      site->order == memory_order_seq_cst ? (int)memory_order_acq_rel
                                                          : (int)memory_order_relaxed);
    } else {
        weaken_access(site, false);
        if (site->failure >= 0)
            weaken_access(site, true);
    }
}

static bool is_found(bool is_tso, bool shows)
{
    for (const struct scenario *s = scenarios; s->name; s++)
        if (explore(s, is_tso) == RUN_FOUND) {
            if (shows)
                print_finding(model_names[is_tso], s);
            return true;
        }
    return false;
}

static double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* The code as it is: false, with the run that fails. */
static bool holds(bool is_tso)
{
    for (const struct scenario *s = scenarios; s->name; s++) {
        double start = seconds();

        engine->runs = engine->cuts = 0;
        if (explore(s, is_tso) == RUN_FOUND) {
            print_finding(model_names[is_tso], s);
            return false;
        }
        printf("%s, %s: %llu runs, %llu of them cut short (%.2f s)\n", s->name, model_names[is_tso],
               (unsigned long long)engine->runs, (unsigned long long)engine->cuts, seconds() - start);
        if (engine->runs == engine->cuts) {
            printf("  no run has come to its end: the model shows nothing\n");
            return false;
        }
    }
    return true;
}

static const struct spare *spare_of(const struct weakening *w)
{
    char text[512];

    describe(w, text, sizeof text);
    for (const struct spare *s = spares; s->file; s++)
        if (strstr(w->site->file, s->file) && !strcmp(w->site->function, s->function) &&
            strstr(text, s->text))
            return s;
    return NULL;
}

/* False: nothing finds it, and the model does not say why. */
static bool try_weakening(struct weakening *w, bool is_reached)
{
    const struct spare *spare = spare_of(w);
    char text[512];
    bool shows;

    describe(w, text, sizeof text);
    shows = results->traced && strstr(text, results->traced);
    results->in_force = w;
    for (int tso = 0; tso < 2 && is_reached && (!spare || results->is_verbose);
         tso++) /* these take longest */
        w->is_found[tso] = is_found(tso, shows);
    results->in_force = NULL;
    if (results->is_verbose || (!w->is_found[0] && !w->is_found[1] && !spare))
        printf("  %s: %s%s%s\n", text,
               !is_reached      ? "is not reached"
               : w->is_found[0] ? "found by weak"
                                : "not found",
               w->is_found[1] ? " and tso" : "", spare ? ", spare" : "");
    if (spare && (w->is_found[0] || w->is_found[1])) {
        printf("  %s: is named as spare, and found\n", text);
        return false;
    }
    return w->is_found[0] || w->is_found[1] || spare;
}

static bool find_all(void)
{
    int found = 0, strong = 0, spare = 0;
    double start = seconds();
    bool is_good = true;
    bool reached[SITES];

    memcpy(reached, engine->reached, sizeof reached);
    for (const struct site *s = __start_model_sites; s < __stop_model_sites; s++)
        weaken_site(s);
    for (int i = 0; i < results->count; i++) {
        struct weakening *w = &results->weakening[i];
        bool is_reached = false;
        char text[512];

        describe(w, text, sizeof text);
        if (results->traced && !strstr(text, results->traced))
            continue;
        for (const struct site *s = __start_model_sites; s < __stop_model_sites; s++)
            is_reached = is_reached || (reached[s - __start_model_sites] && is_same_place(s, w->site));
        is_good = try_weakening(w, is_reached) && is_good;
        found += w->is_found[0] || w->is_found[1];
        strong += w->is_found[1];
        spare += spare_of(w) != NULL;
    }
    printf("%d orders, %d found (%d of them on x86-64 as well), %d spare (%.2f s)\n", results->count, found,
           strong, spare, seconds() - start);
    return is_good;
}

int main(int count, char **argument)
{
    results = calloc(1, sizeof *results);
    for (int i = 1; results && i < count; i++) {
        results->is_verbose = results->is_verbose || !strcmp(argument[i], "-v");
        if (!strcmp(argument[i], "-t") && i + 1 < count)
            results->traced = argument[i + 1];
    }
    if (!results)
        return 1;
    setvbuf(stdout, NULL, _IOLBF, 0);
    threads_open();
    return holds(false) && holds(true) && find_all() ? 0 : 1;
}
