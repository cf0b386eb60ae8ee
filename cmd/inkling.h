/* inkling: the subcommands of `inkling`, each in a file of its name. What prints for people prints as JSON if as_json is true. */
#ifndef CMD_INKLING_H
#define CMD_INKLING_H

#include <stdbool.h>
#include <stdio.h>

/* `inkling status`: which of MPI's procedures work in this library. Prints the transports, and how many procedures of each chapter
 * work. Returns 0. */
int procedures_print(bool as_json);
/* One procedure; case does not matter. False: there is none, and *near is one that is spelled like it, or NULL. */
bool procedures_print_one(const char *name, bool as_json, const char **near);

/* `inkling info`: how this library was built, and where its parts are. 1: the library or mpi.h is not in its place. */
int build_info_print(bool as_json);
/* Which transports and launchers this build supports, and whether `inkling where` follows stacks, by the headers that it found. Prints
 * three lines, and for each missing one how to get it. */
void build_info_print_transports(void);
/* Members of an object: "transports": [...], "libfabric": VERSION or null, "launchers": [...], "libpmix" and "libdw": the same. */
void build_info_print_json_transports(void);

/* `inkling vars`: what tools see through MPI_T: settings, performance variables and event types whose name or text has the word;
 * NULL: all. Returns 1 if there are none. */
int vars_run(const char *word, bool as_json);

struct rules;

/* `inkling coll`: the algorithms of collectives and the rules that choose one (coll/choice.h), with those of a file (hint/coll_rules.h; NULL:
 * none) before the built-in ones, as tables for people. */
void coll_table_print(FILE *out, const struct rules *given);
/* {"file": PATH or null, ..., "rules": [...], "algorithms": [...]}; a bound that is null is none. */
void coll_table_print_json(FILE *out, const struct rules *given);

/* `inkling where`: what the ranks of a job that runs on this host do now (where/). word: a job, or the process of a rank; NULL: lists
 * the jobs. */
enum where_how {
    WHERE_TEXT,
    WHERE_JSON,
    WHERE_WATCH,  /* on a screen that is drawn anew each second */
    WHERE_LOST,   /* as text, but only if ranks wait for one that has ended */
    WHERE_LINES,  /* for the command on another host that asks (where/view_lines.c) */
    WHERE_SECONDS /* the same in each second, for --watch there */
};
int where_run(const char *word, enum where_how how);

/* `inkling doctor`: what the library can use on this machine, and how to get the rest. Prints one line for each check, or an object
 * with the array "findings". Returns 0 if MPI programs can run here, else 1. */
int doctor_run(const char *argument, bool as_json);
/* `inkling doctor COMMAND LINE`: also whether that command line can run, and what in it surprises newcomers. words: as of
 * helper_explain; NULL: none. */
int doctor_run_for(char **words, bool as_json);

/* `inkling advise --measure`: what advice is worth for a program. Runs it under mpiexec --advise, and then with the hints advised and
 * without, in turns, so that what else happens on the machine meets both. Whole jobs are timed, start and end included. words:
 * options of mpiexec, the program and its arguments; ends with NULL. Returns the exit code of the command. */
int measure_run(char **words);

/* `inkling tune` and `inkling simulate`: starts the program of this name with these words, in the place of this one. words: end with
 * NULL; the one before them is written. Returns 1 if it cannot be started. */
int helper_run(const char *name, char **words);
/* `inkling can-run PROGRAM`: for which MPI it was built, which library it gets here, and what that lacks (abi/built_for.h). Returns 0: it can
 * run; 1: it cannot. */
int can_run(const char *name, bool as_json);
/* `inkling explain COMMAND LINE`: has mpiexec say what each part of a command line means. words: it, perhaps with the name of a
 * launcher first; the two before them are written. Returns 1 if mpiexec cannot be started. */
int helper_explain(char **words);
/* Has mpiexec look at the same line as `inkling doctor` does: its findings follow those of this process. Returns 0 if it can run. */
int helper_examine(char **words, bool as_json);

/* advise_verb: `inkling advise` makes the advice again from the profile of a run. */

/* Prints the advice to standard output; has_all: also hints that gain nothing. */
int advise_verb(const char *folder, bool as_json, bool has_all);

#endif
