/* hint_report: reports how hints were used, if the user asks for it (hint/report.h): for each object when it has got hints
 * and when it is freed, and for those that are left when MPI ends. */
#ifndef MAKING_HINT_REPORT_H
#define MAKING_HINT_REPORT_H

#include "comm/comm.h"
#include "hint/report.h"

/* Of any object but a communicator. */
void hint_report_object(const struct report_object *object, struct hints *h, report_effect_fn *effect,
                        const void *of);
/* One more line about such an object. */
void hint_report_fact(const struct report_object *object, const char *counted,
                      const uint64_t count[REPORT_COUNTS]);
/* comm has got hints. */
void hint_report_comm(struct comm *comm);
/* Call it before comm is freed. */
void hint_report_last_of_comm(struct comm *comm);
/* Call it before the World Model ends: its communicators that are left. */
void hint_report_world(void);
/* Call it before MPI ends: all that is left. */
void hint_report_rest(void);
/* What hint_report_rest calls to report windows that were not freed; set with the first one, any thread. */
void hint_report_windows_by(void (*report)(void));

#endif
