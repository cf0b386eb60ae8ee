#include "hint/report.h"

#include "base/log.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    STRAYS_SIZE = 4096 /* of the longest list */
};

/* Whether the list has the key. A newline ends each key of the list. */
static bool is_kept(const char *list, const char *key)
{
    size_t length = strlen(key);

    for (const char *at = list; at && *at; at = strchr(at, '\n') + 1)
        if (strncmp(at, key, length) == 0 && at[length] == '\n')
            return true;
    return false;
}

/* Keys that calls which make objects read themselves: they are no hints, and not ignored. */
static bool is_read_by_the_call(const char *key)
{
    static const char *const keys[] = {"mpi_hw_resource_type", "mpi_pset_name"};

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(keys[i], key) == 0)
            return true;
    return false;
}

void report_keep_stray(struct hints *h, const char *key)
{
    size_t used = h->strays ? strlen(h->strays) : 0, length = strlen(key);
    char *longer;

    if (report_level() == REPORT_OFF || is_read_by_the_call(key) || is_kept(h->strays, key))
        return;
    longer = used + length + 2 > STRAYS_SIZE ? NULL : realloc(h->strays, used + length + 2);
    if (!longer) {
        h->strays_lost++;
        return;
    }
    snprintf(longer + used, length + 2, "%s\n", key);
    h->strays = longer;
}

/* Writes "; so many ..." for a row that has a proof count. */
static void format_proof(const struct hints *h, enum hint_id id, char *buffer, size_t size)
{
    static const char *const counted[PROOF_COUNT] = {
        [PROOF_ANY_TAG] = "receives or probes named MPI_ANY_TAG",
        [PROOF_ANY_SOURCE] = "receives or probes named MPI_ANY_SOURCE",
        [PROOF_LENGTH] = "messages did not have the length of their receive"};
    enum hint_proof proof = hint_table[id].proof;

    *buffer = '\0';
    if (proof)
        snprintf(buffer, size, "; proof: %llu %s",
                 (unsigned long long)(h->proof[proof] - h->proof_since[proof]), counted[proof]);
}

static void print_row(const char *title, struct hints *h, enum hint_id id, const char *absence)
{
    char value[MPI_MAX_INFO_VAL + 1] = "", why[800], proof[128];
    bool set = hint_format(h, id, value, sizeof value);

    hint_explain(h, id, absence, why, sizeof why);
    format_proof(h, id, proof, sizeof proof);
    log_tell("hints", "%s: %s %s%.400s%s, %s%s%s%s", title, hint_table[id].key, set ? "= \"" : "is not set",
             value, set ? "\"" : "", why, h->origin[id] ? "; given by " : "",
             h->origin[id] ? h->origin[id] : "", proof);
}

static int print_strays(const char *object, const struct hints *h)
{
    int count = 0;

    for (const char *at = h->strays; at && *at; at = strchr(at, '\n') + 1, count++)
        log_tell("hints", "%s: %.*s, ignored: no hint of this kind of object", object, (int)strcspn(at, "\n"),
                 at);
    if (h->strays_lost == 0)
        return count;
    log_tell("hints",
             "%s: %d offers of keys, ignored: no hints of this kind of object, and no room for their names",
             object, h->strays_lost);
    return count + 1;
}

int report_print(const char *title, struct hints *h, report_absence *absence, const void *object)
{
    struct hints copy;
    int count = 0;

    if (!hints_copy(h, &copy)) {
        log_tell("hints", "%s: no memory to tell of its hints", title);
        return 1;
    }
    for (int id = 0; id < HINT_COUNT; id++) {
        if (copy.verdict[id] == HINT_NOT_OFFERED || id == HINT_HINTS_REPORT)
            continue;
        print_row(title, &copy, (enum hint_id)id, absence ? absence(object, (enum hint_id)id) : NULL);
        count++;
    }
    count += print_strays(title, &copy);
    hints_fini(&copy);
    return count;
}
