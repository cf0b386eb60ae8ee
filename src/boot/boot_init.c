/* Which launcher started the process, and what it says of the job. */
#include "boot/boot.h"
#include "boot/host.h"
#include "boot/launcher.h"
#include "boot/report_sender.h"
#include "hint/report.h"
#include "plain/clock.h"
#include "plain/fail.h"
#include "plain/keyed_hash.h"
#include "plain/log.h"
#include "plain/privilege.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    /* Hydra forwards this process's output, and drops what it has not read when it hears of an abort. */
    FOREIGN_PRINT_MS = 100
};

static void mpiexec_abort(int code, const char *why)
{
    pmi_abort(code, why); /* mpiexec prints it, and ends the job */
}

/* The standard error that mpiexec passed. If the program has replaced it, warnings go to the new one. */
static struct stat given_stderr;

static bool mpiexec_warn(const char *text)
{
    struct stat now;

    return fstat(STDERR_FILENO, &now) == 0 && now.st_dev == given_stderr.st_dev &&
           now.st_ino == given_stderr.st_ino && pmi_tell("warn", text);
}

static int mpiexec_close(void)
{
    log_set_sink(NULL);
    report_set_listener(NULL);
    return pmi_close(false);
}

static const struct launcher mpiexec = {.name = "mpiexec",
                                        .prints_why = true,
                                        .put = pmi_put,
                                        .fence = pmi_fence,
                                        .get = pmi_get,
                                        .find_nodes = pmi_find_nodes,
                                        .abort = mpiexec_abort,
                                        .close = mpiexec_close};

static void pmi1_abort(int code, const char *why)
{
    if (*why)
        pmi_linger(FOREIGN_PRINT_MS);
    pmi_abort(code, NULL);
    pmi_linger(1000 * LAUNCHER_ABORT_S);
}

/* Hydra tells processes of a death by a signal, which would end them; the library learns of it otherwise. */
static void ignore_news_of_deaths(void)
{
    struct sigaction found;

    if (hint_process.value[HINT_SURVIVE] && sigaction(SIGUSR1, NULL, &found) == 0 &&
        !(found.sa_flags & SA_SIGINFO) && found.sa_handler == SIG_DFL)
        signal(SIGUSR1, SIG_IGN);
}

static int pmi1_close(void)
{
    return pmi_close(true);
}

static const struct launcher pmi1 = {.name = "pmi1",
                                     .put = pmi_put,
                                     .fence = pmi_fence,
                                     .get = pmi_get,
                                     .find_nodes = pmi_find_nodes,
                                     .abort = pmi1_abort,
                                     .close = pmi1_close};

static char job_name[128];

/* A job name becomes part of socket names: [A-Za-z0-9._-]. */
static void set_job(const char *name)
{
    snprintf(job_name, sizeof job_name, "%s", name);
    for (char *c = job_name; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("._-", *c))
            *c = '_';
    boot.job = job_name;
}

static void set_secret(const char *text)
{
    static unsigned char secret[SECRET_SIZE];

    boot.secret = keyed_secret_parse(text, secret) ? secret : NULL;
}

/* That of those who spawned this job, else a new one. text: SECRET_DIGITS characters and NUL. */
static int choose_secret(char *text)
{
    const char *given = getenv("INKLING_JOB_SECRET");
    unsigned char secret[SECRET_SIZE];
    int error = given && keyed_secret_parse(given, secret) ? MPI_SUCCESS : keyed_secret_make(secret);

    if (!error)
        keyed_secret_format(secret, text);
    return error;
}

/* Reads a decimal environment variable; `absent` where it is not set. */
static int read_int(const char *name, int absent, int min, int *value)
{
    const char *text = getenv(name);
    char *end;
    long number;

    if (!text) {
        *value = absent;
        return 0;
    }
    errno = 0;
    number = strtol(text, &end, 10);
    if (end == text || *end || errno || number < min || number > INT_MAX)
        return fail(MPI_ERR_OTHER, "the launcher's %s='%.40s' is not an integer of at least %d", name, text,
                    min);
    *value = (int)number;
    return 0;
}

static int read_place(const char *rank_name, const char *size_name)
{
    int error = read_int(rank_name, 0, 0, &boot.rank);

    if (!error)
        error = read_int(size_name, 1, 1, &boot.size);
    if (!error && boot.rank >= boot.size)
        error = fail(MPI_ERR_OTHER, "the launcher's %s=%d is not below %s=%d", rank_name, boot.rank,
                     size_name, boot.size);
    return error;
}

/* mpiexec's values take precedence, also where another launcher starts the processes. */
static int read_numbers(void)
{
    int error = read_int("INKLING_JOB_APPNUM", boot.appnum, 0, &boot.appnum);

    return error ? error : read_int("INKLING_JOB_UNIVERSE_SIZE", boot.universe_size, 1, &boot.universe_size);
}

/* mpiexec's memory is a file without a name. A descriptor of anything else does not count: its number was
 * reused. */
static int find_memory(void)
{
    struct stat info;
    int fd;

    if (read_int("INKLING_JOB_LOCAL_FD", -1, 0, &fd) || fd < 0)
        return -1;
    if (fstat(fd, &info) < 0 || !S_ISREG(info.st_mode) || info.st_nlink != 0)
        return -1;
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    return fd;
}

/* Started by Inkling's mpiexec: everything is in the environment, nothing to wait for. */
static int init_from_mpiexec(int fd)
{
    const char *secret = getenv("INKLING_JOB_SECRET");
    int error = read_place("INKLING_JOB_RANK", "INKLING_JOB_SIZE");

    boot.appnum = boot.universe_size = -1;
    if (!error)
        error = read_numbers();
    if (error)
        return error;
    set_job(getenv("INKLING_JOB_NAME"));
    set_secret(secret ? secret : "");
    boot_set_launcher(&mpiexec);
    boot.local_rank = boot.rank;
    boot.local_size = boot.size;
    boot.all_local = true;
    boot.local_fd = find_memory();
    error = pmi_open(fd, boot.job);
    if (!error)
        setenv("INKLING_JOB_JOINED", "1", 1); /* for what this process starts */
    if (!error)
        report_set_listener(pmi_tell);
    if (!error && fstat(STDERR_FILENO, &given_stderr) == 0)
        log_set_sink(mpiexec_warn);
    return error;
}

/* Rank 0's secret, and the random part of the job's name. Names of other launchers' jobs can be guessed, and names of
 * sockets come from them: whoever took one of those first would keep the job from it. */
struct job_words {
    char random[SECRET_DIGITS + 1], secret[SECRET_DIGITS + 1];
};

static int put_words(struct job_words *w)
{
    unsigned char bytes[SECRET_SIZE];
    int error = keyed_secret_make(bytes);

    if (error)
        return error;
    keyed_secret_format(bytes, w->random);
    error = choose_secret(w->secret);
    if (!error)
        error = boot_put("inkling-job", w->random);
    return error ? error : boot_put("inkling-secret", w->secret);
}

static int get_words(struct job_words *w)
{
    int error = boot_get(0, "inkling-job", w->random, sizeof w->random);

    return error ? error : boot_get(0, "inkling-secret", w->secret, sizeof w->secret);
}

/* Collective over the job: finds who is on this host, and names the job. */
static int meet_job(const char *name, const struct launcher *launcher)
{
    struct job_words words;
    char whole[sizeof job_name];
    int error;

    report_sender_call();
    error = boot.rank == 0 ? put_words(&words) : MPI_SUCCESS;
    if (!error)
        error = host_find_neighbours(launcher);
    if (!error && boot.rank > 0)
        error = get_words(&words);
    if (error)
        return error;
    snprintf(whole, sizeof whole, "%s-%s", words.random, name);
    set_job(whole);
    set_secret(words.secret);
    setenv("INKLING_JOB_SECRET", words.secret, 1); /* for the jobs that it spawns */
    return MPI_SUCCESS;
}

/* Started by Hydra or another launcher that speaks PMI-1. */
static int init_from_pmi(int fd)
{
    int error = read_place("PMI_RANK", "PMI_SIZE");

    if (!error)
        error = pmi_open(fd, NULL);
    if (!error && !pmi_kvs())
        error = fail_class();
    if (error)
        return error;
    boot_set_launcher(&pmi1);
    ignore_news_of_deaths();
    if (hint_process.value[HINT_SURVIVE] && boot.rank == 0)
        pmi_warn_of_cleanup();
    error = pmi_appnum(&boot.appnum);
    if (!error)
        error = pmi_universe_size(&boot.universe_size);
    if (!error)
        error = read_numbers();
    return error ? error : meet_job(pmi_kvs(), &pmi1);
}

/* Started by PRRTE, Open MPI's launcher, Slurm or another launcher that speaks PMIx. */
static int init_from_pmix(void)
{
    struct pmix_place place;
    int error = pmix_open(&place);

    if (error)
        return error;
    boot_set_launcher(&pmix_launcher);
    boot.rank = place.rank;
    boot.size = place.size;
    boot.appnum = place.appnum;
    boot.universe_size = place.universe_size;
    error = read_numbers();
    return error ? error : meet_job(place.job, &pmix_launcher);
}

/* why: NULL, or why a launcher that is present cannot be used. */
static int init_alone(const char *why)
{
    unsigned long long random = 0;
    char name[64], secret[SECRET_DIGITS + 1] = "";

    if (getrandom(&random, sizeof random, GRND_NONBLOCK) < 0)
        random = clock_ns();
    snprintf(name, sizeof name, "%ld-%016llx", (long)getpid(), random);
    set_job(name);
    if (choose_secret(secret) == MPI_SUCCESS) /* without one, it is needed only between hosts */
        set_secret(secret);
    setenv("INKLING_JOB_SECRET", secret, 1); /* for the jobs that it spawns */
    boot_set_launcher(&singleton_launcher);
    boot.rank = boot.local_rank = 0;
    boot.size = boot.local_size = 1;
    boot.all_local = true;
    singleton_warn(why);
    return 0;
}

/* Whether mpiexec started this process, or one before it in the same place, and it did not get the socket. What a
 * rank starts after MPI_Init is a world of its own. */
static bool is_lost_rank(void)
{
    return getenv("INKLING_JOB_NAME") && !getenv("INKLING_JOB_JOINED");
}

static int fail_as_lost_rank(void)
{
    const char *rank = getenv("INKLING_JOB_RANK"), *fd = getenv("PMI_FD");

    return fail(MPI_ERR_OTHER,
                "rank %.12s has lost descriptor %.12s, its connection to mpiexec: what started it closed it "
                "(closefrom, close_range, Python's subprocess without close_fds=False); to start a program "
                "that is no rank, unset INKLING_JOB_NAME",
                rank ? rank : "?", fd ? fd : "?");
}

int boot_init(void)
{
    int fd = pmi_find(), error = privilege_check_job();

    if (error)
        return error;
    if (fd >= 0 && getenv("INKLING_JOB_NAME"))
        return init_from_mpiexec(fd);
    if (fd >= 0 && getenv("PMI_RANK"))
        return init_from_pmi(fd);
    if (!pmix_is_around())
        return is_lost_rank() ? fail_as_lost_rank() : init_alone(NULL);
    return pmix_load() ? init_alone(fail_note()) : init_from_pmix();
}
