/* A process whose waits nobody counts and whose events nobody hears, for models of what waits. Its clock stands. */
#include "hint/hint.h"
#include "metric/event.h"
#include "metric/metric.h"
#include "plain/clock.h"

struct hints hint_process;
struct metric_words metric_stripe[THREAD_STRIPES];
_Atomic unsigned metric_watched, event_wanted;
_Atomic bool event_is_queued;

void event_deliver_now(void)
{
}

void event_raise(struct event event)
{
    (void)event;
}

uint64_t clock_ns(void)
{
    return 1;
}

uint64_t clock_thread_ns(void)
{
    return 1;
}
