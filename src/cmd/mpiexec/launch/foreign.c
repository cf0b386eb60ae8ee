#include "cmd/mpiexec/launch/launch.h"

#include "cmd/abi/built_for.h"
#include "cmd/mpiexec/command_line/notices.h"
#include "cmd/mpiexec/command_line/words.h"
#include "plain/fail.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The value that processes of this part have for a variable; NULL: none. */
static const char *value_for(const struct job *job, const struct app *app, const char *name)
{
    const struct words *sets[] = {&job->set, &app->set};
    const char *value = getenv(name);
    size_t length = strlen(name);

    for (size_t s = 0; s < sizeof sets / sizeof *sets; s++)
        for (int i = 0; i < sets[s]->count; i++)
            if (strncmp(sets[s]->word[i], name, length) == 0 && sets[s]->word[i][length] == '=')
                value = sets[s]->word[i] + length + 1;
    return value;
}

static void put_before(const struct job *job, struct app *app, const char *name, const char *value)
{
    const char *old = value_for(job, app, name);

    words_add(&app->set, words_format("%s=%s%s%s", name, value, old && *old ? ":" : "", old ? old : ""));
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

static void say_none(const struct job *job, const struct app *app, const struct abi_found *found)
{
    if (!job->quiet && !job->is_spawned)
        fprintf(stderr,
                "mpiexec: '%s' is built for %s (%s), for which this Inkling has no library; it takes its "
                "own, if that is "
                "here\n",
                app->argv.word[0], found->of, found->library);
}

/* What --abi says goes before what can be seen. */
static int foreign_find(const struct job *job, const struct app *app, struct abi_found *found)
{
    if (!job->abi || strcmp(job->abi, "auto") == 0)
        return abi_find(app->program, &app->argv, value_for(job, app, "LD_LIBRARY_PATH"), found);
    *found = (struct abi_found){.of = job->abi};
    if (strcmp(job->abi, "openmpi") == 0) {
        found->abi = ABI_OPEN_MPI;
        found->library = "libmpi.so.40";
    } else if (strcmp(job->abi, "mpich") == 0) {
        found->abi = ABI_MPICH;
        found->library = "libmpi.so.12";
    }
    return 0;
}

static int open_part(struct job *job, struct app *app)
{
    struct abi_found found;
    int error = foreign_find(job, app, &found);
    char *folder;

    if (error || found.abi == ABI_NONE || found.abi == ABI_STANDARD)
        return error;
    if (!abi_has(found.abi, found.library)) {
        say_none(job, app, &found);
        return 0;
    }
    error = abi_check_versions(&found);
    if (error)
        return error;
    folder = abi_folder(found.abi);
    put_before(job, app, "LD_LIBRARY_PATH", folder);
    if (found.is_by_rpath)
        return load_first(job, app, &found, folder);
    if (job->check || job->advise) /* before the checks, which are of the standard's ABI */
        put_before(job, app, "LD_PRELOAD", found.abi == ABI_MPICH ? "libmpich.so.12" : "libmpi.so.40");
    return 0;
}

int foreign_open(struct job *job)
{
    int error = 0;

    for (int i = 0; i < job->apps && !error; i++)
        error = open_part(job, &job->app[i]);
    return error;
}

static char *explain_found(const struct abi_found *found)
{
    if (found->abi == ABI_NONE)
        return words_format("no MPI library is needed%s%s%s", found->unseen ? ", but " : "",
                            found->unseen ? found->unseen : "",
                            found->unseen ? " cannot be seen (--abi says it)" : "");
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
