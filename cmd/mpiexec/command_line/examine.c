#include "cmd/mpiexec/command_line/examine.h"

#include "cmd/diagnosis.h"
#include "cmd/mpiexec/command_line/words.h"
#include "cmd/mpiexec/launch/launch.h"
#include "plain/fail.h"

#include <sys/stat.h>
#include <unistd.h>

static int ranks_of_line(const struct job *job)
{
    int count = 0;

    for (int i = 0; i < job->apps; i++)
        count += job->app[i].count;
    return count;
}

static void tell_ranks(const struct job *job)
{
    const struct app *app = job->app;
    int count = ranks_of_line(job);

    if (job->apps == 1 && !app->is_counted && count == 1)
        diagnosis_tell(SLOWER, "ranks", "one, since there is no -n",
                       words_format("mpiexec -n 4 %s", words_join(&app->argv, 0)));
    else
        diagnosis_tell(FINE, "ranks", words_format("%d", count), NULL);
}

/* Whether somebody may expect that ranks read it: a pipe or a file. */
static bool input_holds_data(void)
{
    struct stat input;

    return fstat(STDIN_FILENO, &input) == 0 &&
           (S_ISREG(input.st_mode) || S_ISFIFO(input.st_mode) || S_ISSOCK(input.st_mode));
}

static void tell_input(const struct job *job)
{
    if (job->input == INPUT_ALL)
        diagnosis_tell(FINE, "standard input", "every rank gets it", NULL);
    else if (job->input == INPUT_NONE)
        diagnosis_tell(FINE, "standard input", "no rank gets it", NULL);
    else if (input_holds_data() && !job->is_input_chosen && ranks_of_line(job) > 1)
        diagnosis_tell(SLOWER, "standard input",
                       "rank 0 alone gets what comes in here; the others find its end at once",
                       "mpiexec --stdin all gives it to every rank");
    else
        diagnosis_tell(FINE, "standard input", words_format("rank %d gets it", job->input), NULL);
}

int examine_line(struct job *job, int error)
{
    if (error) {
        diagnosis_tell(BROKEN, "command line", fail_note(),
                       "inkling explain says what its parts mean; mpiexec --help lists options");
        return 1;
    }
    diagnosis_tell(FINE, "command line", "mpiexec takes it", NULL);
    tell_ranks(job);
    tell_input(job);
    return foreign_examine(job) == BROKEN;
}
