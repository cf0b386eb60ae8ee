#include "cmd/mpiexec/launch/launch.h"

#include "cmd/abi/built_for.h"
#include "cmd/diagnosis.h"
#include "cmd/mpiexec/command_line/notices.h"
#include "cmd/mpiexec/command_line/words.h"
#include "plain/fail.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the command line sets a variable to; NULL: nothing. */
static const char *value_set(const struct job *job, const struct app *app, const char *name)
{
    const struct words *sets[] = {&job->set, &app->set};
    const char *value = NULL;
    size_t length = strlen(name);

    for (size_t s = 0; s < sizeof sets / sizeof *sets; s++)
        for (int i = 0; i < sets[s]->count; i++)
            if (strncmp(sets[s]->word[i], name, length) == 0 && sets[s]->word[i][length] == '=')
                value = sets[s]->word[i] + length + 1;
    return value;
}

/* The value that processes of this part have for a variable; NULL: none. */
static const char *value_for(const struct job *job, const struct app *app, const char *name)
{
    const char *value = value_set(job, app, name);

    return value ? value : getenv(name);
}

static void put_list(struct app *app, const char *name, const char *first, const char *rest)
{
    words_add(&app->set, words_format("%s=%s%s%s", name, first, rest && *rest ? ":" : "", rest ? rest : ""));
}

static void put_before(const struct job *job, struct app *app, const char *name, const char *value)
{
    put_list(app, name, value, value_for(job, app, name));
}

/* An RPATH goes before LD_LIBRARY_PATH; what is loaded already goes before both. */
static int load_first(const struct job *job, struct app *app, const struct abi_found *found,
                      const char *folder)
{
    if (strpbrk(folder, " \t:"))
        return fail(MPI_ERR_OTHER,
                    "'%s' has an RPATH, so LD_PRELOAD would have to name '%s', which has a space; install "
                    "Inkling in a "
                    "folder without one",
                    app->argv.word[0], folder);
    for (int i = found->closure.count - 1; i > 0; i--) {
        const struct closure_part *part = &found->closure.part[i];

        if (part->is_by_rpath && abi_is_mpi(part->name) && abi_has(found->abi, part->name))
            put_before(job, app, "LD_PRELOAD", words_format("%s/%s", folder, part->name));
    }
    return 0;
}

/* By its path where that has no space, since others may change LD_LIBRARY_PATH before the program starts. */
static void preload(const struct job *job, struct app *app, const char *folder, const char *library)
{
    put_before(job, app, "LD_PRELOAD",
               strpbrk(folder, " \t:") ? library : words_format("%s/%s", folder, library));
}

/* For what cannot be seen, such as modules that a program loads: whichever library it needs, by the names of either ABI. Folders that
 * the command line names, as --prefix does, go before them. */
static void offer_all(const struct job *job, struct app *app)
{
    static const char name[] = "LD_LIBRARY_PATH";
    const char *given = value_set(job, app, name);
    char *folders;

    if (!abi_has(ABI_MPICH, "libmpi.so.12") || !abi_has(ABI_OPEN_MPI, "libmpi.so.40"))
        return;
    folders = words_format("%s:%s", abi_folder(ABI_OPEN_MPI), abi_folder(ABI_MPICH));
    if (given && *given)
        put_list(app, name, given, folders);
    else
        put_before(job, app, name, folders);
}

static void say_none(const struct job *job, const struct app *app, const struct abi_found *found)
{
    if (!job->quiet && !job->is_spawned)
        fprintf(stderr,
                "mpiexec: '%s' is built for %s (%s), for which this Inkling has no library; it takes its "
                "own, if that is "
                "here\n",
                app->argv.word[0], found->of, found->library);
}

static const char inherited[] = "INKLING_JOB_ABI";

static bool abi_is_named(const struct job *job)
{
    return job->abi && strcmp(job->abi, "auto") != 0;
}

static void take_named(const char *abi, struct abi_found *found)
{
    *found = (struct abi_found){.of = abi};
    if (strcmp(abi, "openmpi") == 0) {
        found->abi = ABI_OPEN_MPI;
        found->library = "libmpi.so.40";
    } else if (strcmp(abi, "mpich") == 0) {
        found->abi = ABI_MPICH;
        found->library = "libmpi.so.12";
    }
}

/* What --abi says goes before what can be seen; what the spawning job's said, behind it. */
static int foreign_find(const struct job *job, const struct app *app, struct abi_found *found)
{
    const char *spawners = job->is_spawned ? getenv(inherited) : NULL;
    int error = 0;

    if (abi_is_named(job)) {
        take_named(job->abi, found);
        return 0;
    }
    error = abi_find(app->program, &app->argv, value_for(job, app, "LD_LIBRARY_PATH"), found);
    if (!error && found->abi == ABI_NONE && spawners)
        take_named(spawners, found);
    return error;
}

static int put_libraries(const struct job *job, struct app *app, const struct abi_found *found)
{
    char *folder = abi_folder(found->abi);

    put_before(job, app, "LD_LIBRARY_PATH", folder);
    if (found->is_by_rpath)
        return load_first(job, app, found, folder);
    /* Before the checks, which are of the standard's ABI. What --abi speaks of may be behind a script that puts folders first. */
    if (job->check || job->advise || !found->looked_at)
        preload(job, app, folder, found->abi == ABI_MPICH ? "libmpich.so.12" : "libmpi.so.40");
    return 0;
}

static int open_part(struct job *job, struct app *app)
{
    struct abi_found found;
    int error = foreign_find(job, app, &found);

    if (error || found.abi == ABI_STANDARD)
        return error;
    if (found.abi == ABI_NONE) {
        if (!abi_is_named(job))
            offer_all(job, app);
        return 0;
    }
    if (!abi_has(found.abi, found.library)) {
        say_none(job, app, &found);
        return 0;
    }
    error = abi_check_versions(&found);
    return error ? error : put_libraries(job, app, &found);
}

int foreign_open(struct job *job)
{
    int error = 0;

    if (abi_is_named(job))
        words_add(&job->set, words_format("%s=%s", inherited, job->abi));
    for (int i = 0; i < job->apps && !error; i++)
        error = open_part(job, &job->app[i]);
    return error;
}

static char *explain_found(const struct abi_found *found)
{
    if (found->abi == ABI_NONE)
        return words_format(
            "no MPI library is needed%s%s%s", found->unseen ? ", but " : "",
            found->unseen ? found->unseen : "",
            found->unseen ? " cannot be seen; it gets the libraries of each ABI (--abi names one)" : "");
    if (found->abi != ABI_STANDARD && !abi_has(found->abi, found->library))
        return words_format("built for %s (%s), for which this Inkling has no library", found->of,
                            found->library);
    return words_format("built for %s (%s); gets %s/%s", found->of, found->library, abi_folder(found->abi),
                        found->library);
}

void foreign_explain(struct job *job)
{
    for (int i = 0; i < job->apps; i++) {
        struct app *app = &job->app[i];
        struct abi_found found;

        if (!app->program)
            continue;
        notices_understand(job, words_format("libraries of %s", app->argv.word[0]),
                           foreign_find(job, app, &found) ? words_format("%s", fail_note())
                                                          : explain_found(&found));
    }
}

/* What is told of a part's program: its libraries, or why it gets none. */
static enum diagnosis tell_program(struct job *job, struct app *app)
{
    struct abi_found found;
    char *what = words_format("program %s", app->argv.word[0]);

    if (!app->program)
        return diagnosis_tell(BROKEN, what, "there is none", "check its name, or use its full path");
    if (foreign_find(job, app, &found) || (found.abi > ABI_STANDARD && abi_check_versions(&found)))
        return diagnosis_tell(BROKEN, what, fail_note(), "compile it with this mpicc");
    if (found.abi > ABI_STANDARD && !abi_has(found.abi, found.library))
        return diagnosis_tell(BROKEN, what, explain_found(&found), "compile it with this mpicc");
    return diagnosis_tell(FINE, what, explain_found(&found), NULL);
}

enum diagnosis foreign_examine(struct job *job)
{
    enum diagnosis worst = FINE;

    for (int i = 0; i < job->apps; i++)
        if (job->app[i].argv.count > 0 && tell_program(job, &job->app[i]) == BROKEN)
            worst = BROKEN;
    return worst;
}
