/* mpiexec: starts an MPI program on several processes (MPI-5.0 section 11.5): on this host itself, on others
 * through a launcher (launch/launch.h). */
#include "cmd/mpiexec/command_line/notices.h"
#include "cmd/mpiexec/command_line/options.h"
#include "cmd/mpiexec/command_line/words.h"
#include "cmd/mpiexec/launch/launch.h"
#include "cmd/mpiexec/pmi/server.h"
#include "cmd/mpiexec/run/event_loop.h"
#include "cmd/mpiexec/run/output.h"
#include "cmd/mpiexec/spawn/spawned.h"
#include "hint/hint.h"
#include "plain/clock.h"
#include "plain/fail.h"
#include "plain/memfd.h"

#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

/* Opens descriptors 0 to 2 if they are closed, so that no later descriptor becomes a standard stream. */
static void open_standard_streams(void)
{
    int fd;

    do
        fd = open("/dev/null", O_RDWR);
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0)
        close(fd);
}

static void name_job(struct job *job)
{
    unsigned long long random = 0;

    if (getrandom(&random, sizeof random, GRND_NONBLOCK) < 0)
        random = clock_ns();
    snprintf(job->name, sizeof job->name, "%ld-%016llx", (long)getpid(), random);
    if (gethostname(job->host, sizeof job->host - 1) < 0 || !job->host[0])
        strcpy(job->host, "localhost");
}

/* A job that cannot have one has trouble between hosts only. */
static void job_choose_secret(struct job *job)
{
    const char *given = getenv("INKLING_JOB_SECRET");
    unsigned char secret[SECRET_SIZE];

    if ((given && keyed_secret_parse(given, secret)) || keyed_secret_make(secret) == 0)
        keyed_secret_format(secret, job->secret);
}

static void make_ranks(struct job *job)
{
    int number = 0;

    job->rank = words_allocate((size_t)job->size * sizeof *job->rank);
    for (int a = 0; a < job->apps; a++)
        for (int i = 0; i < job->app[a].count; i++)
            job->rank[number++] = (struct rank){
                .app = &job->app[a],
                .socket = -1,
                .stream = {{.fd = -1, .target = 1, .file = -1}, {.fd = -1, .target = 2, .file = -1}}};
}

/* The size of the shared memory: one ring from each rank to each. */
static size_t memory_size(const struct job *job)
{
    return (size_t)job->size * (size_t)job->size * (size_t)hint_process.value[HINT_RING_SIZE];
}

static int main_prepare(struct job *job)
{
    int error;

    name_job(job);
    job_choose_secret(job);
    make_ranks(job);
    if (!job->asked)
        job->world_size = job->size;
    if (!job->universe_size)
        job->universe_size = cores_count() > job->size ? cores_count() : job->size;
    start_raise_limit();
    output_choose(job);
    job->memory = memfd_open(memory_size(job));
    if (job->memory < 0)
        return fail_class();
    error = cores_assign(job);
    if (!error && (job->place.is_shown || job->place.is_reported))
        cores_report(job);
    return error ? error : input_open(job);
}

static int parse_order(int argc, char **argv, struct job *job)
{
    struct words *part;
    int parts, error = spawned_open(argc, argv, job, &part, &parts);

    if (!error)
        error = options_parse_parts(part, parts, job);
    return error;
}

/* Reports why nothing runs. Returns the exit code. */
static int main_report(struct job *job)
{
    if (!job->is_spawned) {
        fprintf(stderr, "mpiexec: %s\n", fail_note());
        return 1;
    }
    spawned_report_failure(job);
    return 0;
}

int main(int argc, char **argv)
{
    struct job job = {.control = -1};
    enum options_wish wish = WISH_RUN;
    int error;

    open_standard_streams();
    error = spawned_is(argc, argv) ? parse_order(argc, argv, &job) : options_parse(argc, argv, &job, &wish);
    if (!error && wish == WISH_HELP)
        options_print_help();
    if (!error && wish == WISH_VERSION)
        printf("mpiexec (Inkling) %s, MPI %d.%d\n", INKLING_VERSION, MPI_VERSION, MPI_SUBVERSION);
    if (wish == WISH_EXAMINE)
        return notices_examine(&job, error);
    if (wish == WISH_EXPLAIN) {
        int code = error ? main_report(&job) : 0; /* before other notes are written */

        foreign_explain(&job);
        notices_explain(&job);
        return code;
    }
    if (!error && wish == WISH_RUN)
        notices_print(&job);
    if (!error && wish == WISH_RUN)
        error = insight_check_open(&job);
    if (!error && wish == WISH_RUN)
        error = foreign_open(&job);
    if (!error && wish == WISH_RUN && job.elsewhere)
        error = remote_nest(&job);
    if (!error && wish == WISH_RUN)
        error = main_prepare(&job);
    if (error)
        return main_report(&job);
    if (wish != WISH_RUN || job.place.is_only_shown)
        return 0;
    return event_loop_run(&job);
}
