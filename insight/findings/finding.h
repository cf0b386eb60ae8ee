/* finding: adds what a check has found to the board's list. */
#ifndef INSIGHT_FINDINGS_FINDING_H
#define INSIGHT_FINDINGS_FINDING_H

#include "insight/board/finding_list.h"

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
