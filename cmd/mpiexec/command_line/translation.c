#include "cmd/mpiexec/command_line/notices.h"

#include "cmd/mpiexec/command_line/words.h"
#include "hint/hint.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

static const char mca_prefix[] = "OMPI_MCA_";

/* The values are pairs THEIRS=OURS, separated by spaces; NULL: the same on both sides. A value that is not there has no equivalent. */
struct translation {
    const char *theirs; /* an MCA parameter; in capitals, a variable */
    const char *ours;   /* without INKLING_ */
    const char *values;
};

static const struct translation translations[] = {
    {"btl_vader_eager_limit", "EAGER_LIMIT", NULL},
    {"btl_sm_eager_limit", "EAGER_LIMIT", NULL},
    {"btl_tcp_eager_limit", "OFI_EAGER_LIMIT", NULL},
    {"btl_openib_eager_limit", "OFI_EAGER_LIMIT", NULL},
    {"btl_ofi_eager_limit", "OFI_EAGER_LIMIT", NULL},
    {"btl_tcp_if_include", "OFI_INTERFACE", NULL},
    {"btl_vader_single_copy_mechanism", "CMA", "none=false cma=true"},
    {"btl_sm_single_copy_mechanism", "CMA", "none=false cma=true"},
    {"smsc", "CMA", "^cma=false cma=true"},
    {"mtl_ofi_provider_include", "OFI_PROVIDER", NULL},
    {"coll_tuned_barrier_algorithm", "BARRIER",
     "0=auto 1=star linear=star 4=dissemination bruck=dissemination 6=tree tree=tree"},
    {"coll_tuned_bcast_algorithm", "BCAST",
     "0=auto 2=pipeline chain=pipeline 3=pipeline pipeline=pipeline 6=tree binomial=tree 7=tree knomial=tree "
     "8=scatter scatter_allgather=scatter 9=scatter scatter_allgather_ring=scatter"},
    {"coll_tuned_reduce_algorithm", "REDUCE",
     "0=auto 1=star linear=star 5=tree binomial=tree 7=pieces rabenseifner=pieces"},
    {"coll_tuned_allreduce_algorithm", "ALLREDUCE",
     "0=auto 1=star basic_linear=star 2=tree nonoverlapping=tree 3=doubling recursive_doubling=doubling "
     "4=pieces ring=pieces 5=pieces segmented_ring=pieces 6=pieces rabenseifner=pieces"},
    {"coll_tuned_allgather_algorithm", "ALLGATHER",
     "0=auto 1=linear linear=linear 2=bruck bruck=bruck 4=ring ring=ring 5=neighbour neighbor=neighbour"},
    {"coll_tuned_alltoall_algorithm", "ALLTOALL",
     "0=auto 2=pairwise pairwise=pairwise 3=bruck modified_bruck=bruck"},
    {"coll_tuned_reduce_scatter_algorithm", "REDUCE_SCATTER", "0=auto 1=tree non-overlapping=tree"},
    {"coll_tuned_gather_algorithm", "GATHER", "0=auto 1=star basic_linear=star"},
    {"coll_tuned_scatter_algorithm", "SCATTER", "0=auto 1=star basic_linear=star"},
    {"MPIR_CVAR_CH3_EAGER_MAX_MSG_SIZE", "EAGER_LIMIT", NULL},
    {"MPIR_CVAR_CH4_SHM_POSIX_EAGER_MAX_SIZE", "EAGER_LIMIT", NULL},
    {"MPIR_CVAR_CH4_OFI_EAGER_MAX_MSG_SIZE", "OFI_EAGER_LIMIT", NULL},
    {"MPIR_CVAR_NEMESIS_TCP_NETWORK_IFACE", "OFI_INTERFACE", NULL},
    {"MPIR_CVAR_OFI_USE_PROVIDER", "OFI_PROVIDER", NULL},
    {"MPIR_CVAR_ASYNC_PROGRESS", "PROGRESS_THREAD", "0=false 1=true false=false true=true no=false yes=true"},
    {"MPIR_CVAR_BARRIER_INTRA_ALGORITHM", "BARRIER",
     "auto=auto dissemination=dissemination k_dissemination=dissemination smp=hosts"},
    {"MPIR_CVAR_BCAST_INTRA_ALGORITHM", "BCAST",
     "auto=auto binomial=tree smp=hosts scatter_recursive_doubling_allgather=scatter "
     "scatter_ring_allgather=scatter"},
    {"MPIR_CVAR_REDUCE_INTRA_ALGORITHM", "REDUCE",
     "auto=auto binomial=tree reduce_scatter_gather=pieces smp=hosts"},
    {"MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM", "ALLREDUCE",
     "auto=auto recursive_doubling=doubling reduce_scatter_allgather=pieces ring=pieces tree=tree smp=hosts"},
    {"MPIR_CVAR_ALLGATHER_INTRA_ALGORITHM", "ALLGATHER", "auto=auto brucks=bruck ring=ring"},
    {"MPIR_CVAR_ALLTOALL_INTRA_ALGORITHM", "ALLTOALL",
     "auto=auto brucks=bruck pairwise=pairwise pairwise_sendrecv_replace=pairwise"},
    {"MPIR_CVAR_REDUCE_SCATTER_INTRA_ALGORITHM", "REDUCE_SCATTER", "auto=auto pairwise=pairwise"},
    {"MPICH_ASYNC_PROGRESS", "PROGRESS_THREAD", "0=false 1=true"},
    {"I_MPI_ASYNC_PROGRESS", "PROGRESS_THREAD", "0=false 1=true off=false on=true no=false yes=true"},
    {"I_MPI_INTRANODE_EAGER_THRESHOLD", "EAGER_LIMIT", NULL},
    {"I_MPI_EAGER_THRESHOLD", "OFI_EAGER_LIMIT", NULL},
    {"I_MPI_OFI_PROVIDER", "OFI_PROVIDER", NULL},
    {"I_MPI_ADJUST_BARRIER", "BARRIER", "1=dissemination"},
    {"I_MPI_ADJUST_BCAST", "BCAST", "1=tree 2=scatter 3=scatter"},
    {"I_MPI_ADJUST_REDUCE", "REDUCE", "2=tree 5=pieces"},
    {"I_MPI_ADJUST_ALLREDUCE", "ALLREDUCE", "1=doubling 2=pieces 3=tree 7=pieces 8=pieces"},
    {"I_MPI_ADJUST_ALLGATHER", "ALLGATHER", "2=bruck 3=ring"},
    {"I_MPI_ADJUST_ALLTOALL", "ALLTOALL", "1=bruck 3=pairwise"},
    {"MV2_SMP_EAGERSIZE", "EAGER_LIMIT", NULL},
    {"MV2_IBA_EAGER_THRESHOLD", "OFI_EAGER_LIMIT", NULL},
};

static const struct translation *translation_find(const char *theirs)
{
    for (size_t i = 0; i < sizeof translations / sizeof *translations; i++)
        if (strcmp(translations[i].theirs, theirs) == 0)
            return &translations[i];
    return NULL;
}

/* Our word for their value; NULL: there is none. */
static char *translate_value(const struct translation *t, const char *theirs)
{
    char *copy, *rest = NULL, *ours = NULL;

    if (!t->values)
        return words_format("%s", theirs);
    copy = words_format("%s", t->values);
    for (char *pair = strtok_r(copy, " ", &rest); pair && !ours; pair = strtok_r(NULL, " ", &rest)) {
        char *equals = strchr(pair, '=');

        *equals = 0;
        if (strcmp(pair, theirs) == 0)
            ours = words_format("%s", equals + 1);
    }
    free(copy);
    return ours;
}

static bool is_set_already(const struct job *job, const char *variable)
{
    size_t length = strlen(variable);

    for (int i = 0; i < job->set.count; i++)
        if (strncmp(job->set.word[i], variable, length) == 0 && job->set.word[i][length] == '=')
            return true;
    return getenv(variable) != NULL;
}

/* Sets ours for the job. Returns why not; NULL: it is set, or the user has set it already. */
static const char *take_over(struct job *job, const struct translation *t, const char *theirs, char *what)
{
    char *value = translate_value(t, theirs), *variable = words_format("INKLING_%s", t->ours);

    if (!value)
        return "its value has no equivalent among Inkling's";
    if (is_set_already(job, variable))
        return "a setting of Inkling's own goes first";
    if (hint_process_set(variable, value))
        return "its value is none that Inkling takes";
    words_add(&job->set, words_format("%s=%s", variable, value));
    notices_translate(job, what, words_format("--set %s=%s", t->ours, value));
    return NULL;
}

/* Whether the parameter is for the part of Open MPI that starts processes, which the launcher for other hosts may be. */
static bool is_for_launcher(const char *name)
{
    static const char *const prefixes[] = {"plm_",  "oob_",   "ras_",   "orte_",
                                           "prte_", "rmaps_", "hwloc_", "routed_"};

    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    return false;
}

void translation_take_mca(struct job *job, const char *name, const char *value)
{
    const struct translation *t = isupper((unsigned char)*name) ? NULL : translation_find(name);
    char *what = words_format("--mca %s %s", name, value);
    const char *why = t ? take_over(job, t, value, what) : "it is about the insides of Open MPI";

    if (is_for_launcher(name)) {
        words_add(&job->for_launcher, words_format("%s", "--mca"));
        words_add(&job->for_launcher, words_format("%s", name));
        words_add(&job->for_launcher, words_format("%s", value));
        why = "Open MPI's launcher gets it, if that reaches the other hosts";
    }
    if (why)
        notices_ignore(job, what, why);
}

static void take_variable(struct job *job, const char *entry)
{
    bool is_mca = strncmp(entry, mca_prefix, sizeof mca_prefix - 1) == 0;
    const char *name = entry + (is_mca ? sizeof mca_prefix - 1 : 0);
    const char *equals = strchr(name, '=');
    const struct translation *t;
    char *word;

    if (!equals || is_mca == (isupper((unsigned char)*name) != 0))
        return; /* a variable is in capitals, a parameter is not */
    word = words_format("%.*s", (int)(equals - name), name);
    t = translation_find(word);
    free(word);
    if (t)
        take_over(job, t, equals + 1, words_format("%s", entry));
}

void translation_take_environment(struct job *job)
{
    int given = job->set.count;

    for (int i = 0; i < job->apps; i++)
        for (int j = 0; j < job->app[i].set.count; j++)
            take_variable(job, job->app[i].set.word[j]);
    for (int i = 0; i < given; i++)
        take_variable(job, job->set.word[i]);
    for (char **entry = environ; *entry; entry++)
        take_variable(job, *entry);
}
