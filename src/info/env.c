/* MPI_INFO_ENV and MPI_Info_create_env: how this process was started, from the launcher's variables or the program's arguments. */
#include "info/info.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct info info_env = {.lock = LOCK_INIT, .read_only = true};

static bool gathered; /* MPI_INFO_ENV has its pairs; guarded by its lock */

/* What a launcher was asked for, as it tells its processes. */
static const struct env_value {
    const char *key, *variable;
} env_value[] = {
    {"command", "INKLING_JOB_COMMAND"},
    {"argv", "INKLING_JOB_ARGV"},
    {"maxprocs", "INKLING_JOB_MAXPROCS"},
    {"soft", "INKLING_JOB_SOFT"},
    {"host", "INKLING_JOB_HOST"},
    {"arch", "INKLING_JOB_ARCH"},
    {"wdir", "INKLING_JOB_WDIR"},
    {"file", "INKLING_JOB_FILE"},
    {"mpi_initial_errhandler", "INKLING_JOB_ERRHANDLER"},
    {"thread_level", "INKLING_JOB_THREAD_LEVEL"},
};

/* How many processes another launcher was asked to start of this command, as that launcher writes it. NULL:
 * it does not say (Open MPI's when it starts several commands; PRRTE). A singleton is one. */
static const char *find_maxprocs(void)
{
    const char *commands = getenv("OMPI_NUM_APP_CTX");

    if (commands)
        return strcmp(commands, "1") == 0 ? getenv("OMPI_COMM_WORLD_SIZE") : NULL;
    if (getenv("PMI_SIZE"))
        return getenv("PMI_SIZE");
    if (getenv("SLURM_STEP_NUM_TASKS"))
        return getenv("SLURM_STEP_NUM_TASKS");
    return getenv("PMIX_NAMESPACE") ? NULL : "1";
}

/* A value that an info cannot hold is left out: half a command line would be wrong. */
static int env_add(struct info *info, const char *key, const char *value)
{
    if (!value || strlen(value) > MPI_MAX_INFO_VAL || info_pair_find(info, key))
        return MPI_SUCCESS;
    return info_pair_set(info, key, value);
}

/* The arguments after the command, separated by spaces. */
static int gather_arguments(struct info *info, int argc, char *const argv[])
{
    char line[MPI_MAX_INFO_VAL + 2];
    size_t used = 0;

    line[0] = '\0';
    for (int i = 1; i < argc && argv[i]; i++) {
        int more = snprintf(line + used, sizeof line - used, "%s%s", i > 1 ? " " : "", argv[i]);

        used += (size_t)more;
        if (used >= sizeof line)
            return MPI_SUCCESS;
    }
    return env_add(info, "argv", line);
}

static int gather_command(struct info *info, int argc, char *const argv[])
{
    int error;

    if (argc < 1 || !argv || !argv[0] || info_pair_find(info, "command"))
        return MPI_SUCCESS;
    error = env_add(info, "command", argv[0]);
    return error ? error : gather_arguments(info, argc, argv);
}

/* The command line as the kernel keeps it. A line that is too long for an info is truncated here and left out
 * there. */
static int gather_own_command(struct info *info)
{
    enum {
        LINE = 4 * MPI_MAX_INFO_VAL,
        WORDS = 2 * MPI_MAX_INFO_VAL
    };
    char line[LINE + 1] = "", *words[WORDS];
    int count = 0;
    size_t length = 0;
    FILE *file = fopen("/proc/self/cmdline", "re");

    if (!file)
        return MPI_SUCCESS;
    length = fread(line, 1, LINE, file);
    fclose(file);
    for (size_t i = 0; i < length && count < WORDS; i += strlen(line + i) + 1)
        words[count++] = line + i;
    return gather_command(info, count, words);
}

static int gather_directory(struct info *info)
{
    char directory[MPI_MAX_INFO_VAL + 1];

    return env_add(info, "wdir", getcwd(directory, sizeof directory));
}

/* Adds what is known about how this process was started (see info_env_new). */
static int env_gather(struct info *info, int argc, char *const argv[])
{
    int error = MPI_SUCCESS;

    for (size_t i = 0; i < sizeof env_value / sizeof *env_value && !error; i++)
        error = env_add(info, env_value[i].key, getenv(env_value[i].variable));
    if (!error)
        error = gather_command(info, argc, argv);
    if (!error)
        error = gather_own_command(info);
    if (!error)
        error = env_add(info, "maxprocs", find_maxprocs());
    if (!error)
        error = gather_directory(info);
    if (!error)
        error = env_add(info, "mpi_memory_alloc_kinds", hint_world_kinds());
    return error;
}

void info_take(struct info *info)
{
    lock_always_take(&info->lock);
    if (info == &info_env && !gathered)
        gathered = env_gather(info, 0, NULL) == MPI_SUCCESS;
}

void info_release(struct info *info)
{
    lock_always_release(&info->lock);
}

int info_env_new(int argc, char *const argv[], struct info **info)
{
    struct info *fresh;
    int error = info_new(&fresh);

    if (error)
        return error;
    error = env_gather(fresh, argc, argv);
    if (error)
        info_unref(fresh);
    else
        *info = fresh;
    return error;
}

int info_env_init(void)
{
    if (!object_handle(&info_env.object))
        object_predefine(&info_env.object, OBJECT_INFO, (uint64_t)(uintptr_t)MPI_INFO_ENV);
    return MPI_SUCCESS;
}

/* A program may look at MPI_INFO_ENV before MPI_Init, so the handle is registered when the library is loaded. */
__attribute__((constructor)) static void register_env(void)
{
    info_env_init();
}
