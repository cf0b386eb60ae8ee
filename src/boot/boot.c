#include "boot/boot.h"

#include "base/last_flush.h"
#include "boot/launcher.h"
#include "hint/hint.h"
#include "plain/fail.h"
#include "plain/log.h"

#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct launcher *launcher = &singleton_launcher;

struct boot boot = {.launcher = "singleton", .appnum = -1, .universe_size = -1, .local_fd = -1};

static void end_own_job(int code, const char *text)
{
    char line[1100];

    snprintf(line, sizeof line, "inkling: error: %s", text);
    boot_abort(code, line);
}

void boot_set_launcher(const struct launcher *one)
{
    launcher = one;
    boot.launcher = one->name;
    /* Inkling's mpiexec notices how its ranks end; where the job survives that, only this process does */
    log_set_end(one->prints_why || hint_process.value[HINT_SURVIVE] ? NULL : end_own_job);
}

int boot_find_sets(struct boot_set **sets, int *count)
{
    *sets = NULL;
    *count = 0;
    return launcher->find_sets ? launcher->find_sets(sets, count) : MPI_SUCCESS;
}

static bool is_portable(const char *text, size_t size)
{
    size_t length = 0;

    for (; text[length]; length++)
        if (text[length] <= ' ' || text[length] >= 127)
            return false;
    return length < size;
}

int boot_put(const char *key, const char *value)
{
    if (!*key || strchr(key, '=') || !is_portable(key, BOOT_KEY_SIZE))
        return fail(MPI_ERR_OTHER, "key '%.80s': PMI carries 1 to %d printable characters without '='", key,
                    BOOT_KEY_SIZE - 1);
    if (!is_portable(value, BOOT_VALUE_SIZE))
        return fail(MPI_ERR_OTHER,
                    "the value of %s: PMI carries at most %d printable characters without space", key,
                    BOOT_VALUE_SIZE - 1);
    return launcher->put(key, value);
}

int boot_fence(void)
{
    return launcher->fence();
}

int boot_get(int process, const char *key, char *value, size_t size)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* guards the conversation with the launcher */
    int error;

    pthread_mutex_lock(&mutex);
    error = launcher->get(process, key, value, size);
    pthread_mutex_unlock(&mutex);
    return error;
}

static void print_reason(const char *why)
{
    size_t length = strlen(why);

    if (write(STDERR_FILENO, why, length) < 0 || (length > 0 && why[length - 1] == '\n'))
        return;
    if (write(STDERR_FILENO, "\n", 1) < 0)
        return;
}

void boot_abort(int code, const char *why)
{
    int exit_code = code != 0 && (code & 255) == 0 ? 1 : code & 255;

    if (why && *why && !launcher->prints_why)
        print_reason(why);
    launcher->abort(code, why ? why : "");
    last_flush_now();
    _exit(exit_code);
}

void boot_end_as_dead(int teller)
{
    log_warn("this process ends, since process %d has taken it for dead: it was out of reach", teller);
    _exit(1);
}

int boot_fini(void)
{
    return launcher->close();
}
