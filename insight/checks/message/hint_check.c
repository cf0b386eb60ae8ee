#include "insight/checks/message/message_check.h"

#include "insight/checks/buffer/buffer_use.h"
#include "insight/findings/finding.h"
#include "insight/objects/info_value.h"

#include <string.h>

static const struct {
    const char *key;
    enum assertion bit;
} assertions[] = {{"mpi_assert_no_any_tag", ASSERT_NO_ANY_TAG},
                  {"mpi_assert_no_any_source", ASSERT_NO_ANY_SOURCE},
                  {"mpi_assert_exact_length", ASSERT_EXACT_LENGTH},
                  {"mpi_assert_allow_overtaking", ASSERT_ALLOW_OVERTAKING},
                  {"mpi_assert_strict_persistent_collective_ordering", ASSERT_STRICT_ORDERING}};

void hint_check_learn(const struct intercept *call, struct comm_record *comm, MPI_Comm handle)
{
    MPI_Info info = MPI_INFO_NULL;
    unsigned now = 0;

    if (real.Comm_get_info(handle, &info) || info == MPI_INFO_NULL)
        return;
    info_value_add_given(call, info);
    for (size_t i = 0; i < sizeof assertions / sizeof *assertions; i++) {
        char value[16];

        info_value_read(info, assertions[i].key, value, sizeof value);
        if (strcmp(value, "true") == 0)
            now |= assertions[i].bit;
    }
    kind_check_learn(call, comm, info);
    real.Info_free(&info);
    if (now & ~comm->assertions)
        comm->asserted_at = call->site;
    if (now & ASSERT_ALLOW_OVERTAKING)
        overtaking_check_begin();
    comm->assertions = now;
}

static void say_wildcard(struct intercept *call, const struct comm_record *comm, const char *wildcard,
                         const char *key)
{
    finding_add(&(struct finding_about){.class = FINDING_HINT,
                                        .call = call,
                                        .made = comm->asserted_at,
                                        .made_by = "the hint set",
                                        .fix = "name what is received, or take the hint away"},
                "%s uses %s on a communicator with %s=true", call->procedure->name, wildcard, key);
}

void hint_check_wildcards(struct intercept *call, const struct comm_record *comm, int source, int tag)
{
    if (!comm || !(comm->assertions & (ASSERT_NO_ANY_TAG | ASSERT_NO_ANY_SOURCE)))
        return;
    if (tag == MPI_ANY_TAG && comm->assertions & ASSERT_NO_ANY_TAG)
        say_wildcard(call, comm, "MPI_ANY_TAG", "mpi_assert_no_any_tag");
    if (source == MPI_ANY_SOURCE && comm->assertions & ASSERT_NO_ANY_SOURCE)
        say_wildcard(call, comm, "MPI_ANY_SOURCE", "mpi_assert_no_any_source");
}

void hint_check_length(struct intercept *call, const struct posted_receive *posted, struct call_place send,
                       const char *sent, const char *room)
{
    finding_add(&(struct finding_about){.class = FINDING_HINT,
                                        .call = call,
                                        .where = posted->site == call->site ? NULL : posted->site,
                                        .other = send,
                                        .made = posted->record->asserted_at,
                                        .made_by = "the hint set",
                                        .role = "the send",
                                        .fix = "receive as much as is sent, or take the hint away"},
                "a message has another length than its receive, on a communicator with "
                "mpi_assert_exact_length=true: sent %s, "
                "room for %s",
                sent, room);
}
