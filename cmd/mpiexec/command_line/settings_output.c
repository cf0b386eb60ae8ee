#include "cmd/mpiexec/command_line/notices.h"
#include "cmd/mpiexec/command_line/options.h"
#include "cmd/mpiexec/command_line/words.h"
#include "plain/fail.h"

#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int settings_label(struct parse *p, char **value)
{
    (void)value;
    p->job->label = true;
    return 0;
}

int settings_label_pattern(struct parse *p, char **value)
{
    p->job->label = true;
    p->job->label_pattern = value[0];
    return 0;
}

int settings_timestamp(struct parse *p, char **value)
{
    (void)value;
    p->job->timestamp = true;
    return 0;
}

int settings_direct_output(struct parse *p, char **value)
{
    (void)value;
    p->job->direct_output = true;
    return 0;
}

int settings_merge(struct parse *p, char **value)
{
    (void)value;
    p->job->merges = true;
    return 0;
}

/* Cuts ":WORD,WORD" of Open MPI's off the folder. Sets the flags; a name with another colon stays whole. */
static void cut_output_words(char *folder, bool *nocopy, bool *nojobid)
{
    char *colon = strrchr(folder, ':'), *rest = NULL;
    char *copy = words_format("%s", colon ? colon + 1 : "");
    bool is_known = colon != NULL;

    for (char *word = strtok_r(copy, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
        *nocopy = *nocopy || strcmp(word, "nocopy") == 0;
        *nojobid = *nojobid || strcmp(word, "nojobid") == 0;
        is_known = is_known && (strcmp(word, "nocopy") == 0 || strcmp(word, "nojobid") == 0 ||
                                strcmp(word, "copy") == 0 || strcmp(word, "jobid") == 0);
    }
    if (is_known)
        *colon = 0;
    *nocopy = *nocopy && is_known;
    *nojobid = *nojobid && is_known;
    free(copy);
}

/* FOLDER, perhaps with Open MPI's :nocopy, which keeps the output out of mpiexec's own, and :nojobid, without the folder of the job. */
int settings_output_folder(struct parse *p, char **value)
{
    char *folder = words_format("%s", value[0]);
    bool nocopy = false, nojobid = false;
    const char *job;

    cut_output_words(folder, &nocopy, &nojobid);
    job = nojobid ? "" : "/1";
    p->job->copies_without_job = nojobid;
    if (!*folder)
        return fail(MPI_ERR_OTHER, "--%s: the name of a folder is needed", p->name);
    if (!nocopy) {
        p->job->copy_to = folder;
        return 0;
    }
    p->job->file_of[0] = words_format("%s%s/rank.%%0/stdout", folder, job);
    p->job->file_of[1] = words_format("%s%s/rank.%%0/stderr", folder, job);
    return 0;
}

int settings_outfile(struct parse *p, char **value)
{
    p->job->file_of[0] = value[0];
    return 0;
}

int settings_errfile(struct parse *p, char **value)
{
    p->job->file_of[1] = value[0];
    return 0;
}

/* --output of Open MPI 5: a list. */
int settings_output_list(struct parse *p, char **value)
{
    char *copy = words_format("%s", value[0]), *rest = NULL;
    int error = 0;

    for (char *word = strtok_r(copy, ",", &rest); word && !error; word = strtok_r(NULL, ",", &rest)) {
        char *equals = strchr(word, '=');

        if (strncmp(word, "tag", 3) == 0 || strcmp(word, "rank") == 0)
            error = settings_label(p, NULL);
        else if (strcmp(word, "timestamp") == 0)
            error = settings_timestamp(p, NULL);
        else if (strncmp(word, "merge", 5) == 0)
            error = settings_merge(p, NULL);
        else if (equals && strncmp(word, "dir=", 4) == 0)
            p->job->copy_to = words_format("%s", equals + 1);
        else if (equals && strncmp(word, "file=", 5) == 0)
            p->job->file_of[0] = p->job->file_of[1] = words_format("%s.%%0", equals + 1);
        else
            notices_ignore(p->job, words_format("--output %s", word), "there is no such output here");
    }
    free(copy);
    return error;
}

int settings_input(struct parse *p, char **value)
{
    int number = 0, error;

    if (strcmp(value[0], "all") == 0)
        number = INPUT_ALL;
    else if (strcmp(value[0], "none") == 0)
        number = INPUT_NONE;
    else {
        error = settings_parse_number(p, value[0], 0, INT_MAX, &number);
        if (error)
            return fail(MPI_ERR_OTHER, "--%s %.32s: a rank, all or none is needed", p->name, value[0]);
    }
    p->job->input = number;
    p->job->is_input_chosen = true;
    return 0;
}

int settings_codes(struct parse *p, char **value)
{
    (void)value;
    p->job->prints_codes = true;
    return 0;
}

int settings_quiet(struct parse *p, char **value)
{
    (void)value;
    p->job->quiet = true;
    return 0;
}

int settings_check_output(const struct job *job)
{
    if ((job->label || job->timestamp) && job->direct_output)
        return fail(MPI_ERR_OTHER,
                    "--%s and --direct-output exclude each other: who labels lines has to read them",
                    job->label ? "label" : "timestamp-output");
    if (job->copy_to && job->direct_output)
        return fail(MPI_ERR_OTHER,
                    "--output-filename and --direct-output exclude each other: who copies lines has to "
                    "read them");
    if (job->copy_to && (job->file_of[0] || job->file_of[1]))
        return fail(
            MPI_ERR_OTHER,
            "--output-filename and --%s-pattern exclude each other: what goes to a file is not copied",
            job->file_of[0] ? "outfile" : "errfile");
    if (job->merges && job->file_of[1] && !job->file_of[0])
        return fail(MPI_ERR_OTHER,
                    "--merge-stderr-to-stdout and --errfile-pattern exclude each other: leave one out");
    if (job->input >= job->size)
        return fail(MPI_ERR_OTHER, "--stdin %d: there is no such rank; the last one is %d", job->input,
                    job->size - 1);
    return 0;
}
