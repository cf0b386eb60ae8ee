/* finding: what a check has found: one entry of the board for all that are alike. */
#ifndef INSIGHT_FINDING_H
#define INSIGHT_FINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum finding_class {
    FINDING_NONE,
    FINDING_ARGUMENT,
    FINDING_CALL_ORDER,
    FINDING_COLLECTIVE,
    FINDING_ROOT,
    FINDING_OPERATION,
    FINDING_TYPE,
    FINDING_COUNT,
    FINDING_DEADLOCK,
    FINDING_LEAK,
    FINDING_REQUEST,
    FINDING_BUFFER,
    FINDING_EPOCH,
    FINDING_CONFLICT,
    FINDING_THREAD,
    FINDING_HINT,
    FINDING_LOST,
    FINDING_RACE,
    FINDING_TOLERANCE,
    FINDING_STANDSTILL,
    FINDING_BUFFERING,
    FINDING_FILE_CONFLICT,
    FINDING_ACCUMULATE_ORDER,
    FINDING_CRASH,
    FINDING_CLASSES
};

/* A place of the program: an address in a module of the board's list; 0: unknown. */
struct call_place {
    uint32_t module;
    uint64_t offset;
};

struct finding {
    int class;
    bool is_spawned; /* of a job that the program has spawned: so are its ranks */
    uint64_t count;
    uint64_t ranks[8]; /* a bit for each */
    struct call_place where, other, made;
    char text[3072];  /* what */
    char call[320];   /* the call with its arguments; "" : none */
    char role[64];    /* what `other` is, such as "the other call" */
    char made_by[64]; /* what was made at `made`, such as "the window" */
    char fix[256];
};

/* What is known about a finding; any part may be NULL. */
struct intercept;
struct finding_about {
    enum finding_class class;
    struct intercept *call;
    struct call_place at;    /* a place instead of `where` */
    void *where, *made;      /* addresses in this process; where NULL: the call's */
    struct call_place other; /* a place of another rank, or of an earlier call */
    const char *role, *made_by, *fix;
    const int *rank; /* whose call it is, in MPI_COMM_WORLD; NULL: this rank's */
    bool is_quiet;   /* is a consequence if the call has been reported already */
};

/* The names that reports have: "leak", ... */
extern const char *const finding_names[FINDING_CLASSES];

void finding_add(const struct finding_about *about, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Takes back what begins so: it is no longer true. */
void finding_withdraw(const char *text);
/* Whether one of these classes was found by any rank. */
bool finding_is_known(uint64_t classes);
struct call_place finding_place(void *address);
/* A place in a text, which is a file and a line when it is printed; never cut off: "" where there is no room. */
void finding_place_text(struct call_place place, char *text, size_t size);
/* This process has another board. */
void finding_forget_places(void);

#endif
