#include "insight/order/order_clock.h"

#include "insight/board/process_record.h"
#include "insight/call/program_site.h"
#include "insight/findings/finding.h"
#include "insight/objects/comm_record.h"

static bool several;

bool thread_check_is_shared(void)
{
    return several;
}

static bool is_innocent(const struct intercept *call)
{
    return call->procedure->is_any_time || call->procedure->family == FAMILY_THREAD_LEVEL || !process.is_up;
}

/* Once for each thread. */
static void say_wrong_thread(struct intercept *call)
{
    static __thread bool is_said __attribute__((tls_model("initial-exec")));
    const char *level = process.level == MPI_THREAD_SINGLE ? "MPI_THREAD_SINGLE" : "MPI_THREAD_FUNNELED";

    if (is_said)
        return;
    is_said = true;
    finding_add(
        &(struct finding_about){
            .class = FINDING_THREAD,
            .call = call,
            .fix = "ask MPI_Init_thread for MPI_THREAD_MULTIPLE and look at what it provides, or make "
                   "all calls in the main thread"},
        "%s is called by another thread than the one that called MPI_Init, but the level is %s",
        call->procedure->name, level);
}

/* The main thread calls, and others of the program are there, which needs MPI_THREAD_FUNNELED. Once. */
__attribute__((noinline)) static void look_for_others(struct intercept *call)
{
    static bool is_said;
    bool in_region = program_threads_in_region();
    void *begun = program_threads_begun_at();

    if (is_said || !(in_region || begun) || is_innocent(call))
        return;
    is_said = true;
    finding_add(&(struct finding_about){.class = FINDING_THREAD,
                                        .call = call,
                                        .made = begun,
                                        .made_by = "the other thread",
                                        .fix = "ask MPI_Init_thread for MPI_THREAD_FUNNELED and look at what "
                                               "it provides"},
                in_region ? "%s is called in an OpenMP region of several threads, but the level is "
                            "MPI_THREAD_SINGLE"
                          : "%s is called while the program has another thread, but the level is "
                            "MPI_THREAD_SINGLE",
                call->procedure->name);
}

/* Another thread than the first one calls, or has called. */
__attribute__((noinline)) static void look_at_several(struct intercept *call)
{
    struct intercept *other = intercept_calls();

    if (is_innocent(call))
        return;
    several = true;
    if (!process_is_main && call->procedure->family == FAMILY_FINALIZE && process.has_world)
        finding_add(&(struct finding_about){.class = FINDING_THREAD,
                                            .call = call,
                                            .fix = "call it in the thread that has called MPI_Init"},
                    "MPI_Finalize is called by another thread than the one that called MPI_Init");
    else if (!process_is_main && process.level < MPI_THREAD_SERIALIZED)
        say_wrong_thread(call);
    else if (other && process.level < MPI_THREAD_MULTIPLE && !is_innocent(other))
        finding_add(
            &(struct finding_about){
                .class = FINDING_THREAD,
                .call = call,
                .other = finding_place(other->site),
                .fix = "ask MPI_Init_thread for MPI_THREAD_MULTIPLE, or keep calls apart with a lock"},
            "%s is called while another thread is in %s, but the level is below MPI_THREAD_MULTIPLE",
            call->procedure->name, other->procedure->name);
}

void thread_check(struct intercept *call)
{
    if (!process_is_main || several)
        look_at_several(call);
    else if (program_threads_may_be() && process.level == MPI_THREAD_SINGLE && process.is_up)
        look_for_others(call);
}

void thread_check_collective(struct intercept *call)
{
    const struct comm_record *comm = comm_check_of(call);

    for (struct intercept *other = intercept_calls(); several && comm && other; other = other->next) {
        if ((other->procedure->family != FAMILY_COLLECTIVE && other->procedure->family != FAMILY_COMM_MAKE) ||
            comm_check_of(other) != comm)
            continue;
        finding_add(&(struct finding_about){.class = FINDING_THREAD,
                                            .call = call,
                                            .other = finding_place(other->site),
                                            .role = "the other thread's call",
                                            .fix = "give each thread a communicator of its own, or keep the "
                                                   "calls in one order with a lock"},
                    "%s is called while another thread is in %s of the same communicator, so their order may "
                    "differ from rank to rank",
                    call->procedure->name, other->procedure->name);
        other->is_reported = true; /* errors are the consequence */
        return;
    }
}
