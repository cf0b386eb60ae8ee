#include "cmd/mpiexec/launch/launch.h"

#include "cmd/mpiexec/command_line/words.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

enum {
    RANK_VARIABLE_SIZE = 48
};

/* What each rank has its number in, the number of the descriptor in, and all have the number of ranks in. Those of other launchers are
 * there because scripts, and programs that choose a device, read them; all ranks are on one host. */
static const char *const rank_names[] = {"INKLING_JOB_RANK",
                                         "PMI_RANK",
                                         "MPI_LOCALRANKID",
                                         "OMPI_COMM_WORLD_RANK",
                                         "OMPI_COMM_WORLD_LOCAL_RANK",
                                         "OMPI_COMM_WORLD_NODE_RANK",
                                         "MV2_COMM_WORLD_RANK",
                                         "MV2_COMM_WORLD_LOCAL_RANK"};
static const char *const size_names[] = {"PMI_SIZE",
                                         "MPI_LOCALNRANKS",
                                         "OMPI_COMM_WORLD_SIZE",
                                         "OMPI_COMM_WORLD_LOCAL_SIZE",
                                         "MV2_COMM_WORLD_SIZE",
                                         "MV2_COMM_WORLD_LOCAL_SIZE"};

enum {
    RANK_NAMES = sizeof rank_names / sizeof *rank_names,
    SIZE_NAMES = sizeof size_names / sizeof *size_names
};

static bool begins(const char *entry, const char *const *prefixes)
{
    for (; *prefixes; prefixes++)
        if (strncmp(entry, *prefixes, strlen(*prefixes)) == 0)
            return true;
    return false;
}

/* Whether a launcher sets the entry for its own processes, so that it is not passed on. */
static bool variables_is_ours(const char *entry)
{
    static const char *const prefixes[] = {
        "INKLING_JOB_",     "PMI_RANK=",        "PMI_SIZE=",        "PMI_FD=",          "PMI_PORT=",
        "PMI_ID=",          "MPI_LOCALRANKID=", "MPI_LOCALNRANKS=", "OMPI_COMM_WORLD_", "MV2_COMM_WORLD_",
        "MPIEXEC_TIMEOUT=", "PMIX_RANK=",       "PMIX_NAMESPACE=",  "HYDI_CONTROL_FD=", NULL};

    return begins(entry, prefixes);
}

/* Sets NAME=VALUE in place of an older value of NAME from `since` on. */
static void set(struct words *words, int since, char *entry)
{
    size_t name = strcspn(entry, "=") + 1;

    for (int i = since; i < words->count; i++) {
        if (strncmp(words->word[i], entry, name) == 0) {
            words->word[i] = entry;
            return;
        }
    }
    words_add(words, entry);
}

static void set_text(struct words *words, const char *name, const char *value)
{
    if (value)
        words_add(words, words_format("INKLING_JOB_%s=%s", name, value));
}

static void set_number(struct words *words, const char *name, int value)
{
    words_add(words, words_format("INKLING_JOB_%s=%d", name, value));
}

/* Sets the argument line, unless it is too long for an info, and possibly for one word of exec. */
static void set_arguments_line(struct words *words, const struct app *app)
{
    char *line = words_join(&app->argv, 1);

    if (strlen(line) <= MPI_MAX_INFO_VAL)
        set_text(words, "ARGV", line);
    free(line);
}

/* Sets what MPI_INFO_ENV reports. wdir NULL: the process finds it itself. */
static void set_arguments(struct words *words, const struct app *app, const char *wdir)
{
    set_text(words, "COMMAND", app->argv.word[0]);
    if (app->argv.count > 1)
        set_arguments_line(words, app);
    set_number(words, "MAXPROCS", app->maxprocs);
    set_text(words, "SOFT", app->soft);
    set_text(words, "HOST", app->host);
    set_text(words, "ARCH", app->arch);
    set_text(words, "WDIR", wdir);
    set_text(words, "FILE", app->file);
    set_text(words, "MEMORY_KINDS", app->kinds);
    set_text(words, "ERRHANDLER", app->errhandler);
    set_text(words, "THREAD_LEVEL", app->thread_level);
}

static char *find_directory(const struct app *app)
{
    char *here = app->wdir && app->wdir[0] == '/' ? NULL : getcwd(NULL, 0);
    char *wdir = !here ? words_format("%s", app->wdir ? app->wdir : "/")
                       : words_format("%s%s%s", here, app->wdir ? "/" : "", app->wdir ? app->wdir : "");

    free(here);
    return wdir;
}

static void set_family(const struct job *job, struct words *words)
{
    const char *family = getenv("INKLING_JOB_FAMILY");

    words_add(words,
              words_format("INKLING_JOB_FAMILY=%s%s%s", family ? family : "", family ? "/" : "", job->name));
}

static bool has_name(const struct words *names, const char *entry)
{
    size_t length = strcspn(entry, "=");

    for (int i = 0; i < names->count; i++)
        if (strlen(names->word[i]) == length && strncmp(names->word[i], entry, length) == 0)
            return true;
    return false;
}

/* Whether processes of this part get the entry of mpiexec's environment. The library's settings are one for the job. */
static bool is_inherited(const struct job *job, const struct app *app, const char *entry)
{
    enum inherit inherit = app->inherit ? app->inherit : job->inherit;

    if (inherit == INHERIT_LIST)
        return has_name(app->inherit ? &app->names : &job->names, entry) ||
               strncmp(entry, "INKLING_", 8) == 0;
    return inherit != INHERIT_NONE || strncmp(entry, "INKLING_", 8) == 0;
}

/* Makes the part that is the same for every rank of one part of the command line. */
static void make_common_part(const struct job *job, const struct app *app, struct words *words)
{
    char *wdir = find_directory(app);

    words->count = 0;
    for (char **entry = environ; *entry; entry++)
        if (!variables_is_ours(*entry) && is_inherited(job, app, *entry))
            words_add(words, *entry);
    for (int i = 0; i < job->set.count; i++)
        set(words, 0, job->set.word[i]);
    for (int i = 0; i < app->set.count; i++)
        set(words, 0, app->set.word[i]);
    set_text(words, "NAME", job->name);
    set_family(job, words);
    set_number(words, "SIZE", job->size);
    set_number(words, "APPNUM", app->number);
    set_number(words, "UNIVERSE_SIZE", job->universe_size);
    set_number(words, "LOCAL_FD", job->memory);
    set_text(words, "PARENT", job->parent);
    set_text(words, "SECRET", job->secret);
    set_text(words, "LABEL", job->label ? "1" : NULL);
    set_text(words, "DIRECT_OUTPUT", job->direct_output ? "1" : NULL);
    set_arguments(words, app, wdir);
    free(wdir);
    for (int i = 0; i < SIZE_NAMES; i++)
        words_add(words, words_format("%s=%d", size_names[i], job->size));
}

/* Whether another launcher sets the entry for its own use on each host. */
static bool is_theirs(const char *entry)
{
    static const char *const prefixes[] = {"OMPI_", "PMIX_", "PRTE_", "ORTE_", "_=", NULL};

    return begins(entry, prefixes);
}

/* Whether the entry is a user's setting for that launcher, which begins the same way. */
static bool is_setting_of_theirs(const char *entry)
{
    static const char *const prefixes[] = {"OMPI_MCA_plm_", "OMPI_MCA_oob_", "OMPI_ALLOW_", "PRTE_ALLOW_",
                                           "PRTE_MCA_plm_", "PMIX_MCA_",     NULL};

    return begins(entry, prefixes);
}

/* What the job and this part of it set, as NAME=VALUE. */
static void list_settings(const struct job *job, const struct app *app, struct words *words)
{
    int since = words->count;

    for (int i = 0; i < job->set.count; i++)
        set(words, since, job->set.word[i]);
    for (int i = 0; i < app->set.count; i++)
        set(words, since, app->set.word[i]);
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* Whether its value is passed in the launcher's environment. Nobody has written it on a command line, so it must not
 * get there. The shell that gives it its name takes no others. */
static bool is_unseen(const struct job *job, const char *entry)
{
    if (!job->parent || !is_letter(entry[0]))
        return false;
    while (is_letter(*entry) || (*entry >= '0' && *entry <= '9'))
        entry++;
    return *entry == '=';
}

/* In the environment of the launcher, which has the values of all parts. */
static char *name_of_given(int part, int number)
{
    return words_format("INKLING_JOB_GIVEN_%d_%d", part, number);
}

static void pass_given(const struct job *job, int part, struct words *words)
{
    struct words given = {0};

    list_settings(job, &job->asked[part], &given);
    for (int i = 0; i < given.count; i++)
        if (is_unseen(job, given.word[i]))
            words_add(words, words_format("%s%s", name_of_given(part, i), strchr(given.word[i], '=')));
}

/* The environment of a launcher. The port and the secret are passed here because other users of the host can
 * see command lines. */
static char **environment_of_launcher(const struct job *job)
{
    static struct words words;

    words.count = 0;
    for (char **entry = environ; *entry; entry++)
        if (!variables_is_ours(*entry) && (!is_theirs(*entry) || is_setting_of_theirs(*entry)))
            words_add(&words, *entry);
    set_family(job, &words);
    set_text(&words, "PARENT", job->parent);
    if (job->parent)
        set_text(&words, "SECRET", job->secret);
    set_text(&words, "REPORT", job->report_port);
    words_add(&words, words_format("INKLING_JOB_HOSTS=%s %s", job->name, job->hosts));
    for (int i = 0; i < job->asked_parts; i++)
        pass_given(job, i, &words);
    return words.word;
}

char **variables_of(const struct job *job, int number, int pmi_fd)
{
    static struct words words;
    static const struct app *made_for;
    static char variable[RANK_NAMES + 1][RANK_VARIABLE_SIZE];
    const struct app *app = job->rank[number].app;

    if (job->asked)
        return environment_of_launcher(job);
    for (int i = 0; i < RANK_NAMES; i++)
        snprintf(variable[i], RANK_VARIABLE_SIZE, "%s=%d", rank_names[i], number);
    snprintf(variable[RANK_NAMES], RANK_VARIABLE_SIZE, "PMI_FD=%d", pmi_fd);
    if (made_for != app) {
        made_for = app;
        make_common_part(job, app, &words);
        for (int i = 0; i < RANK_NAMES + 1; i++)
            words_add(&words, variable[i]);
    }
    return words.word;
}

void variables_name_all(const struct job *job, const struct app *app, const char *option, struct words *words)
{
    for (char **entry = environ; *entry; entry++)
        if (!variables_is_ours(*entry) && !is_theirs(*entry) && strchr(*entry, '=') &&
            is_inherited(job, app, *entry)) {
            words_add(words, words_format("%s", option));
            words_add(words, words_format("%.*s", (int)strcspn(*entry, "="), *entry));
        }
}

void variables_name_unseen(const struct job *job, const char *option, struct words *words)
{
    for (int part = 0; part < job->apps; part++) {
        struct words given = {0};

        list_settings(job, &job->app[part], &given);
        for (int i = 0; i < given.count; i++)
            if (is_unseen(job, given.word[i])) {
                words_add(words, words_format("%s", option));
                words_add(words, name_of_given(part, i));
            }
    }
}

void variables_name_given(const struct job *job, const struct app *app, struct words *words)
{
    struct words given = {0}, script = {0};

    list_settings(job, app, &given);
    for (int i = 0; i < given.count; i++) {
        char *hidden = name_of_given((int)(app - job->app), i);

        if (is_unseen(job, given.word[i]))
            words_add(&script, words_format("export %.*s=\"$%s\"; unset %s;",
                                            (int)strcspn(given.word[i], "="), given.word[i], hidden, hidden));
    }
    if (script.count == 0)
        return;
    words_add(&script, words_format("exec \"$0\" \"$@\""));
    words_add(words, words_format("sh"));
    words_add(words, words_format("-c"));
    words_add(words, words_join(&script, 0));
}

void variables_list(const struct job *job, const struct app *app, struct words *words)
{
    struct words given = {0};

    list_settings(job, app, &given);
    for (int i = 0; i < given.count; i++)
        if (!is_unseen(job, given.word[i]))
            words_add(words, given.word[i]);
    set_number(words, "APPNUM", app->number);
    if (job->universe_size)
        set_number(words, "UNIVERSE_SIZE", job->universe_size);
    set_arguments(words, app, NULL);
}
