/* launch: brings the ranks into being, here or by a launcher on other hosts. Each part is a file of its name. */
#ifndef CMD_MPIEXEC_LAUNCH_LAUNCH_H
#define CMD_MPIEXEC_LAUNCH_LAUNCH_H

#include "cmd/diagnosis.h"
#include "cmd/mpiexec/job.h"

#include <stddef.h>
#include <sys/types.h>

/* cores: the cores that each rank may run on. */

/* Sets job->cores, or leaves it NULL if the ranks are not bound. No two ranks get the same core. Cores that
 * another mpiexec of this host has bound its ranks to are used only with an explicit --bind-to. */
int cores_assign(struct job *job);
/* The number of logical cores that mpiexec may use. */
int cores_count(void);
/* How many objects of this level the cores that the ranks may have are in. */
int cores_objects(const struct placement *place, enum level level);
/* What --report-bindings and --display-map print, on standard error. */
void cores_report(const struct job *job);

/* start: starts the ranks. */

/* Starts one rank; on failure it is not running, and the note says why. */
int start_rank(struct job *job, int number);

/* mpiexec itself needs more descriptors than the usual soft limit. Ranks get the original limit back. */
void start_raise_limit(void);
void start_restore_limit(void);

/* remote: ranks on other hosts. Launchers know how to reach these (ssh, Slurm, PBS, ...). mpiexec hands the
 * job over to the first installed launcher (launchers.c) and says which. */

/* The launcher becomes the job's only rank, so that it is watched and ended as ranks are, and mpiexec can say what the ranks do. */
int remote_nest(struct job *job);

/* insight_job: what `mpiexec --check` and `--advise` add to a job: libinkling_insight.so in front of the MPI library of each rank, and
 * the board on which its ranks leave their findings (insight/board/board.h). Ranks on other hosts make boards of their own, and rank 0
 * tells. A spawned job is checked as the one that spawned it, whose mpiexec tells of both.
 */

/* How long the first form of --check=FORM,... is. */
size_t insight_check_form(const char *how);
/* Says what is wrong with the file of a form suppress:FILE of the option or setting `name`; of other forms, nothing. */
int insight_check_suppressions(const char *name, const char *form, size_t length);
/* Before the environment of the ranks is made. */
int insight_check_open(struct job *job);
/* A rank has died, which ends the job: status as of waitpid. */
void insight_check_died(int rank, int status);
/* A rank has died, and the job goes on: before the others are told. A crash whose place is known is a finding, since it is a fault; who is
 * killed, or leaves, may be meant to. */
void insight_check_lost(int rank, int status);
/* Why a rank that has called MPI_Abort did so where it was not the program; NULL: it was. */
const char *insight_check_why_ended(void);
/* Prints the findings of a job that has ended. Returns its exit code. */
int insight_check_report(const struct job *job, int code);

/* For `mpiexec --advise` alone: the folder for its profile, and the advice made of it at the end. */

int insight_advise_open(struct job *job);
/* Prints the advice to standard error, and writes the folder's files. */
void insight_advise_report(const struct job *job);

/* guard: a second process that ends the job's processes if mpiexec is killed.
 *
 * Ranks die with mpiexec (PR_SET_PDEATHSIG). What a rank has started, such as a program behind a shell, does
 * not. The guard sleeps until mpiexec's end of a pipe closes. It then kills the ranks' process groups, every process
 * with the job's name in its environment, and every one with the job's mark.
 *
 * The mark is for daemons, which may have left all else behind: a random number as the soft RLIMIT_LOCKS, which Linux
 * has not looked at since 2.4.25, and which children inherit. A job inside another has that one's mark.
 */

/* Starts the guard for the job `name` of at most `ranks` ranks. */
int guard_start(const char *name, int ranks);
/* Tells the guard the process (group) of a rank; 0: it has ended. */
void guard_note(int rank, pid_t pid);
/* Ends the guard, when the job is over. */
void guard_stop(void);

/* Sends `signal` to every child of this process. Returns how many there are. */
int guard_sweep_children(int signal);

/* launchers: the launchers that start ranks on other hosts, and the command line of each.
 *
 * With all of them the ranks speak PMI-1 or PMIx. env(1) sets a rank's variables on its host, because each
 * launcher treats special characters in them differently.
 */

struct remote_launcher {
    const char *command;
    const char *needs; /* the variable that must be set for it to be usable here; NULL: none */
    bool ends_hosts;   /* when a rank dies it ends the others on its host, too */
    /* Makes the command line. hosts: words "name:slots". */
    int (*make_line)(const struct job *job, const struct words *hosts, struct words *line);
};

/* Best first. A NULL command ends the list. */
extern const struct remote_launcher launchers[];

/* program: finds the program of one part of the command line. */

/* Sets app->program. A name with '/' is looked for relative to the working directory of the app, then to
 * mpiexec's. Any other name is looked for in -path, then in $PATH, then in those two directories. The note of
 * an error has the nearest name. */
int program_find(struct app *app);

/* Whether PATH has a program of this name. */
bool program_is_in_path(const char *name);

/* foreign: programs that were built for another MPI get Inkling's library of that one's ABI (cmd/abi/built_for.h). */

/* Sets what their processes need. An error says why a program cannot run here. Called when the rest of the environment is known. */
int foreign_open(struct job *job);
/* Adds what is found to what `inkling explain` prints. */
void foreign_explain(struct job *job);
/* The same as findings of `inkling doctor` (cmd/diagnosis.h). Returns the worst. */
enum diagnosis foreign_examine(struct job *job);

/* variables: the environment of the ranks. boot/boot.h documents it. */

/* The environment of rank `number`, whose PMI socket is pmi_fd. Valid until the next call. */
char **variables_of(const struct job *job, int number, int pmi_fd);

/* Lists, as NAME=VALUE, what processes of this part need when another launcher starts them, besides mpiexec's own
 * environment: what the command line sets and what MPI_INFO_ENV reports, which is on mpiexec's command line too. What a
 * spawned job sets is on none: it goes through the launcher's environment under names of its own, which
 * variables_name_unseen lists, each after this option. A shell, which variables_name_given adds in front of the program,
 * gives the values their names back; some shells drop variables of the environment whose names are none of theirs. */
void variables_list(const struct job *job, const struct app *app, struct words *words);
void variables_name_unseen(const struct job *job, const char *option, struct words *words);
void variables_name_given(const struct job *job, const struct app *app, struct words *words);
/* Lists the names of mpiexec's own environment that processes of this part get, each after this option. */
void variables_name_all(const struct job *job, const struct app *app, const char *option,
                        struct words *words);

#endif
