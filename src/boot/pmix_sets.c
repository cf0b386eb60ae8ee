/* Process sets of a PMIx launcher, such as prterun --pset makes. PMIx 4 and later have them. */
#include "boot/boot.h"
#include "boot/launcher.h"
#include "plain/fail.h"
#include "plain/library.h"

#include <mpi.h>
#include <pmix.h>
#include <stdlib.h>
#include <string.h>

#ifdef PMIX_QUERY_PSET_MEMBERSHIP

static __typeof__(&PMIx_Query_info) query_info;

/* An older library may have been loaded: then there are no sets. */
static bool load_query(void)
{
    static const char *const libraries[] = {PMIX_LIBRARY, NULL};
    static const struct library_function functions[] = {{&query_info, "PMIx_Query_info"}, {NULL, NULL}};

    return query_info || library_load(libraries, functions) == MPI_SUCCESS;
}

/* What libpmix returned is freed with free(), as in pmix.c. */
static void answers_free(pmix_info_t *info, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        pmix_value_t *value = &info[i].value;

        if (value->type == PMIX_STRING)
            free(value->data.string);
        if (value->type == PMIX_DATA_ARRAY && value->data.darray) {
            free(value->data.darray->array);
            free(value->data.darray);
        }
    }
    free(info);
}

/* The answers; none when the launcher does not say. */
static pmix_info_t *pmix_sets_ask(char *key, pmix_info_t *qualifier, size_t *count)
{
    char *keys[] = {key, NULL};
    pmix_query_t query = {.keys = keys, .qualifiers = qualifier, .nqual = qualifier != NULL};
    pmix_info_t *answers = NULL;

    *count = 0;
    if (query_info(&query, 1, &answers, count) != PMIX_SUCCESS || !answers)
        *count = 0;
    return answers;
}

/* The names, separated by commas, which the caller frees; NULL: none. */
static char *ask_names(void)
{
    char key[] = PMIX_QUERY_PSET_NAMES, *names = NULL;
    size_t count;
    pmix_info_t *answers = pmix_sets_ask(key, NULL, &count);

    for (size_t i = 0; i < count && !names; i++) {
        if (answers[i].value.type == PMIX_STRING) {
            names = answers[i].value.data.string;
            answers[i].value.data.string = NULL;
        }
    }
    answers_free(answers, count);
    return names;
}

static int compare_ranks(const void *a, const void *b)
{
    int left = *(const int *)a, right = *(const int *)b;

    return (left > right) - (left < right);
}

/* Takes over the members if all are of this job and this process is one of them; else set->size is 0. */
static int take_members(const pmix_data_array_t *members, const char *job, int rank, struct boot_set *set)
{
    const pmix_proc_t *member = members->array;
    bool is_mine = false;

    set->process = malloc((members->size + 1) * sizeof *set->process);
    if (!set->process)
        return fail(MPI_ERR_NO_MEM, "no memory for a process set of %zu", members->size);
    for (size_t i = 0; i < members->size; i++) {
        set->process[i] = (int)member[i].rank;
        is_mine = is_mine || set->process[i] == rank;
        if (strcmp(member[i].nspace, job) != 0 || set->process[i] < 0 || set->process[i] >= boot.size)
            return MPI_SUCCESS;
    }
    if (is_mine)
        set->size = (int)members->size;
    qsort(set->process, members->size, sizeof *set->process, compare_ranks);
    return MPI_SUCCESS;
}

static int ask_members(const char *job, int rank, struct boot_set *set)
{
    pmix_info_t named = {.key = PMIX_PSET_NAME, .value = {.type = PMIX_STRING, .data.string = set->name}};
    char key[] = PMIX_QUERY_PSET_MEMBERSHIP;
    size_t count;
    pmix_info_t *answers = pmix_sets_ask(key, &named, &count);
    int error = MPI_SUCCESS;

    for (size_t i = 0; i < count && !set->process && !error; i++) {
        const pmix_value_t *value = &answers[i].value;

        if (value->type == PMIX_DATA_ARRAY && value->data.darray && value->data.darray->type == PMIX_PROC)
            error = take_members(value->data.darray, job, rank, set);
    }
    answers_free(answers, count);
    return error;
}

/* Adds the set of this name, if this process is in it. */
static int add_set(const char *name, const char *job, int rank, struct boot_set **sets, int *count)
{
    struct boot_set *more = realloc(*sets, ((size_t)*count + 1) * sizeof *more), set = {0};
    int error;

    if (!more)
        return fail(MPI_ERR_NO_MEM, "no memory for %d process sets", *count + 1);
    *sets = more;
    set.name = strdup(name);
    error =
        set.name ? ask_members(job, rank, &set) : fail(MPI_ERR_NO_MEM, "no memory for a process set's name");
    if (!error && set.size > 0) {
        more[(*count)++] = set;
        return MPI_SUCCESS;
    }
    free(set.name);
    free(set.process);
    return error;
}

int pmix_ask_sets(const char *job, int rank, struct boot_set **sets, int *count)
{
    char *names = load_query() ? ask_names() : NULL, *rest = NULL;
    int error = MPI_SUCCESS;

    for (char *name = names ? strtok_r(names, ",", &rest) : NULL; name && !error;
         name = strtok_r(NULL, ",", &rest))
        error = strlen(name) < MPI_MAX_PSET_NAME_LEN ? add_set(name, job, rank, sets, count) : MPI_SUCCESS;
    free(names);
    return error;
}

#else

int pmix_ask_sets(const char *job, int rank, struct boot_set **sets, int *count)
{
    (void)job, (void)rank, (void)sets, (void)count;
    return MPI_SUCCESS;
}

#endif
