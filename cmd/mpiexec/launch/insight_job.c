#include "cmd/mpiexec/launch/launch.h"

#include "cmd/mpiexec/command_line/words.h"
#include "insight/advise/advise.h"
#include "insight/board/board.h"
#include "insight/board/finding_list.h"
#include "insight/board/loss.h"
#include "insight/board/message_channel.h"
#include "plain/fail.h"

#include <errno.h>
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    CODE_UNCHECKED = 1,
    CODE_FOUND = 66
};

static struct board *job_board, *spawner_board; /* NULL: none */
static const char library[] = "libinkling_insight.so";

/* The library beside the commands: bin/../lib in a build tree and in an installed one. */
static int find_insight(char *path)
{
    ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
    char *slash;

    path[length > 0 ? length : 0] = '\0';
    slash = strrchr(path, '/');
    if (slash)
        *slash = '\0';
    slash = strrchr(path, '/');
    if (!slash || strlen(path) + 32 > PATH_MAX)
        return fail(MPI_ERR_OTHER, "--check and --advise: mpiexec cannot tell where it lies");
    sprintf(slash, "/lib/%s", library);
    if (access(path, R_OK))
        return fail(MPI_ERR_OTHER, "--check and --advise need %s, which is not there", path);
    return 0;
}

/* Puts a value before what the ranks would have in a variable that is a list. */
static void put_first(struct job *job, const char *name, const char *value)
{
    const char *others = getenv(name);
    size_t length = strlen(name);

    for (int i = 0; i < job->set.count; i++)
        if (strncmp(job->set.word[i], name, length) == 0 && job->set.word[i][length] == '=')
            others = job->set.word[i] + length + 1;
    words_add(&job->set,
              words_format("%s=%s%s%s", name, value, others && *others ? ":" : "", others ? others : ""));
}

/* A path with a space cannot stand in LD_PRELOAD; then the library's folder goes into LD_LIBRARY_PATH. */
static int load_library(struct job *job)
{
    char path[PATH_MAX], *slash;
    int error = find_insight(path);

    if (error)
        return error;
    if (!strpbrk(path, " \t\n")) {
        put_first(job, "LD_PRELOAD", path);
        return 0;
    }
    slash = strrchr(path, '/');
    *slash = '\0';
    put_first(job, "LD_PRELOAD", slash + 1);
    put_first(job, "LD_LIBRARY_PATH", path);
    return 0;
}

/* What the process that spawned this job had loaded is not loaded unasked. */
static void unload_library(void)
{
    char *list = getenv("LD_PRELOAD") ? words_format("%s", getenv("LD_PRELOAD")) : NULL, *rest = list, *path;
    struct words others = {0};

    if (!list || !strstr(list, library))
        return;
    while ((path = strsep(&rest, ": ")))
        if (*path && !strstr(path, library))
            words_add(&others, path);
    if (others.count > 0)
        setenv("LD_PRELOAD", words_join(&others, 0), 1);
    else
        unsetenv("LD_PRELOAD");
}

/* A job that this mpiexec started under --check is checked with all that it spawns. One under another launcher has the library
 * loaded, which goes on to its spawned jobs, unless it is there for advice only. */
static void inherit(struct job *job)
{
    const char *name = getenv("INKLING_JOB_BOARD");

    spawner_board = name ? board_open(name) : NULL;
    if (spawner_board && !job->check)
        job->check = "text";
    if (job->check || getenv("INKLING_JOB_ADVISE"))
        unload_library();
}

static int open_board(struct job *job)
{
    char name[BOARD_NAME];
    int fd = board_make(&job_board);

    if (fd < 0)
        return fail(MPI_ERR_NO_MEM, "--check: no memory for the findings");
    board_name(job_board, fd, name);
    words_add(&job->set, words_format("INKLING_JOB_BOARD=%s", name));
    return 0;
}

/* For ranks on other hosts: the way to tell, whose files are named from here. */
static int tell_how(struct job *job)
{
    char *here = getcwd(NULL, 0);
    const char *how = job->check;
    struct words forms = {0};

    if (!here)
        return fail(MPI_ERR_OTHER, "--check: this folder has no name");
    for (size_t length; *how; how += length + (how[length] == ',')) {
        const char *path = memchr(how, ':', length = finding_print_form(how));

        if (path && path[1] != '/')
            words_add(&forms, words_format("%.*s%s/%.*s", (int)(path + 1 - how), how, here,
                                           (int)(how + length - path - 1), path + 1));
        else
            words_add(&forms, words_format("%.*s", (int)length, how));
    }
    for (int i = 1; i < forms.count; i++)
        forms.word[0] = words_format("%s,%s", forms.word[0], forms.word[i]);
    words_add(&job->set, words_format("INKLING_CHECK=%s", forms.word[0]));
    free(here);
    return 0;
}

size_t insight_check_form(const char *how)
{
    return finding_print_form(how);
}

int insight_check_suppressions(const char *name, const char *form, size_t length)
{
    char *path = words_format("%.*s", (int)length, form), why[256] = "";

    if (finding_print_suppresses(form))
        suppression_free(suppression_read(strchr(path, ':') + 1, why, sizeof why));
    return *why ? fail(MPI_ERR_OTHER, "%s=%.200s: %s", name, path, why) : MPI_SUCCESS;
}

int insight_check_open(struct job *job)
{
    int error;

    if (job->is_spawned)
        inherit(job);
    if (!job->check && !job->advise)
        return 0;
    error = load_library(job);
    if (!error && job->check)
        error = job->elsewhere ? tell_how(job) : open_board(job);
    if (!error && job->advise)
        error = insight_advise_open(job);
    return error;
}

/* The spawner's mpiexec waits for this one, and tells, unless it has ended. */
static void report_to_spawner(void)
{
    board = spawner_board;
    board_lock();
    finding_list_merge(&spawner_board->list, &job_board->list, true);
    board_unlock();
}

/* Of the place that a handler has seen, else of the last call of MPI. */
void insight_check_died(int rank, int status)
{
    const struct last_words *last = job_board && rank < BOARD_RANKS ? &job_board->rank[rank].last : NULL;
    struct finding died = {.class = FINDING_CRASH, .count = 1};

    if (!last || !atomic_load_explicit(&job_board->is_used, memory_order_acquire))
        return;
    if (WIFSIGNALED(status))
        snprintf(died.text, sizeof died.text, "rank %d died of signal %d (%s)", rank, WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    else
        snprintf(died.text, sizeof died.text, "rank %d ended with code %d, without MPI_Finalize", rank,
                 WEXITSTATUS(status));
    /* acquire: pairs with the release in crash_place.c */
    if (atomic_load_explicit(&last->signal, memory_order_acquire) && last->crash.module) {
        died.where = last->crash;
        died.other = last->call;
    } else {
        died.where = last->call;
        strcat(died.text, "; its last call of MPI is here");
    }
    strcpy(died.role, "its last call of MPI");
    died.ranks[rank / 64] = UINT64_C(1) << rank % 64;
    board = job_board;
    board_lock();
    finding_list_add(&job_board->list, &died);
    board_unlock();
}

void insight_check_lost(int rank, int status)
{
    if (!job_board || rank >= BOARD_RANKS)
        return;
    loss_add_dead(job_board, rank);
    /* acquire: pairs with the release in crash_place.c */
    if (atomic_load_explicit(&job_board->rank[rank].last.signal, memory_order_acquire))
        insight_check_died(rank, status);
}

const char *insight_check_why_ended(void)
{
    /* acquire: pairs with the release in process_abort */
    return board_end_text(job_board ? atomic_load_explicit(&job_board->end, memory_order_acquire) : END_NOT);
}

static bool has_begun(const struct job *job)
{
    for (int i = 0; i < job->size; i++)
        if (job->rank[i].initialized)
            return true;
    return false;
}

/* Says why nothing was checked, where that is so. Returns whether the checks should have been there. */
static bool tell_unchecked(const struct job *job)
{
    if (!has_begun(job)) {
        fprintf(stderr, "inkling check: nothing was checked: no rank has called MPI_Init\n");
        return false;
    }
    fprintf(stderr,
            "inkling check: nothing was checked: no rank has come to the checks; what sets LD_PRELOAD for "
            "the program must keep %s in it (LD_PRELOAD=tool.so:$LD_PRELOAD)\n",
            library);
    return true;
}

int insight_check_report(const struct job *job, int code)
{
    if (!job_board)
        return code;
    /* acquire: pairs with the release in process_open */
    if (!atomic_load_explicit(&job_board->is_used, memory_order_acquire))
        return tell_unchecked(job) && !code ? CODE_UNCHECKED : code;
    late_receive_tell(job_board);
    if (spawner_board && atomic_load_explicit(&spawner_board->printed, memory_order_acquire) == PRINTED_NOT) {
        report_to_spawner();
        return code;
    }
    /* acquire and release: pairs with itself in the mpiexec of a job that was spawned */
    atomic_store_explicit(&job_board->printed, PRINTED_ALL, memory_order_release);
    if (finding_print(&job_board->list, job->check, !job->is_spawned) == 0 || code)
        return code;
    return CODE_FOUND;
}

int insight_advise_open(struct job *job)
{
    char folder[PATH_MAX], old[PATH_MAX];

    if (mkdir(job->advise, 0777) && errno != EEXIST)
        return fail(MPI_ERR_OTHER, "--advise=%.256s: cannot make this folder: %s", job->advise,
                    strerror(errno));
    if (!realpath(job->advise, folder))
        return fail(MPI_ERR_OTHER, "--advise=%.256s: %s", job->advise, strerror(errno));
    snprintf(old, sizeof old, "%.4000s/profile", folder);
    unlink(old); /* what an earlier run left is not taken for this one's */
    for (int i = 0; i < job->size; i++) {
        snprintf(old, sizeof old, "%.4000s/profile.%d", folder, i);
        unlink(old);
    }
    job->advise = words_format("%s", folder);
    words_add(&job->set, words_format("INKLING_JOB_ADVISE=%s", folder));
    return 0;
}

void insight_advise_report(const struct job *job)
{
    if (advise_write(job->advise, stderr, false, false))
        fprintf(stderr, "inkling advise: %s\n", fail_note());
}
