#include "insight/advise/advise.h"

#include "plain/fail.h"

#include <errno.h>
#include <limits.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

const char *const advice_names[ADVICE_KINDS] = {"hint",      "buffer",      "balance",
                                                "no-effect", "unknown-key", "not"};
const char *const advice_uses[USES] = {"compute", "send", "wait", "collective", "rma", "file", "other"};

static int read_profile(const char *folder, struct profile *p)
{
    char path[PATH_MAX];
    FILE *in;
    size_t got;

    snprintf(path, sizeof path, "%.4000s/profile", folder);
    in = fopen(path, "r");
    if (!in && errno == ENOENT)
        return fail(MPI_ERR_NO_SUCH_FILE,
                    "there is no %.200s: MPI_Finalize writes it, in a run with mpiexec --advise", path);
    if (!in)
        return fail(MPI_ERR_IO, "cannot read %.200s: %s", path, strerror(errno));
    got = fread(p, 1, sizeof *p, in);
    fclose(in);
    if (got != sizeof *p || memcmp(p->magic, "inkadv1", sizeof p->magic) != 0 ||
        p->version != PROFILE_VERSION || p->bytes != PROFILE_BYTES || p->modules > PROFILE_MODULES ||
        p->objects > PROFILE_OBJECTS || p->sites > PROFILE_SITES || p->given > PROFILE_GIVEN)
        return fail(MPI_ERR_FILE, "%.200s is not a profile of this version of Inkling: run the program again",
                    path);
    return MPI_SUCCESS;
}

static int write_file(const struct advice_list *list, const char *folder, const char *name,
                      void (*print)(const struct advice_list *, FILE *))
{
    char path[PATH_MAX];
    FILE *out;
    bool is_bad;

    snprintf(path, sizeof path, "%.4000s/%s", folder, name);
    out = fopen(path, "w");
    if (!out)
        return fail(MPI_ERR_IO, "cannot write %.200s: %s", path, strerror(errno));
    print(list, out);
    is_bad = ferror(out) != 0;
    if (fclose(out) || is_bad)
        return fail(MPI_ERR_IO, "cannot write %.200s: %s", path, strerror(errno));
    return MPI_SUCCESS;
}

/* Of all objects and sites: their places in the source. */
static void find_lines(struct advice_list *list)
{
    static uint64_t offset[PROFILE_OBJECTS + PROFILE_SITES];
    static struct source_place *line[PROFILE_OBJECTS + PROFILE_SITES];
    const struct profile *p = list->profile;

    for (uint32_t module = 0; module < p->modules; module++) {
        int count = 0;

        for (uint32_t i = 0; i < p->objects; i++)
            if (p->object[i].place.module == module + 1) {
                offset[count] = p->object[i].place.offset;
                line[count++] = &list->object[i];
            }
        for (uint32_t i = 0; i < p->sites; i++)
            if (p->site[i].place.module == module + 1) {
                offset[count] = p->site[i].place.offset;
                line[count++] = &list->site[i];
            }
        source_place_find(p->module[module], offset, line, count, SOURCE_PLACE_REPORT_MS);
    }
}

extern const char page_text[]; /* page.html, by gen/page.py */

/* The page has the data where it says @DATA@. */
static void print_page(const struct advice_list *list, FILE *out)
{
    const char *data = strstr(page_text, "@DATA@");

    fwrite(page_text, 1, (size_t)(data - page_text), out);
    advise_print_json(list, out);
    fputs(data + strlen("@DATA@"), out);
}

static int write_files(struct advice_list *list, struct profile *p, const char *folder)
{
    int error = read_profile(folder, p);

    if (error)
        return error;
    list->profile = p;
    list->gains = gains_here();
    find_lines(list);
    advise_apply_rules(list);
    error = write_file(list, folder, "advice.json", advise_print_json);
    if (!error)
        error = write_file(list, folder, "hints.txt", advise_print_hints);
    if (!error)
        error = write_file(list, folder, "advice.html", print_page);
    return error;
}

int advise_write(const char *folder, FILE *out, bool as_json, bool all)
{
    struct advice_list *list = calloc(1, sizeof *list);
    struct profile *p = calloc(1, sizeof *p);
    int error = list && p ? MPI_SUCCESS : fail(MPI_ERR_NO_MEM, "no memory for the advice");

    if (!error) {
        list->has_all = all;
        error = write_files(list, p, folder);
    }
    if (!error && as_json)
        advise_print_json(list, out);
    else if (!error)
        advise_print_text(list, folder, out);
    free(list);
    free(p);
    return error;
}
