/* What the hints were worth when they were measured. Written by bench/hints.py (make bench-hints). */
#include "hint/hint.h"

const char *const hint_gain[HINT_COUNT] = {
    [HINT_NO_ANY_TAG] = "1.00 x for messages that come before their receive: 127 ns each in place of "
                        "127, from send to receive, 10,000 waiting; each takes 128 bytes of memory in "
                        "place of 144",
    [HINT_NO_ANY_SOURCE] = "1.02 x for messages that come before their receive: 149 ns each in place of "
                           "151, from send to receive, 10,000 waiting; each takes 128 bytes of memory in "
                           "place of 144",
    [HINT_EXACT_LENGTH] = "12 x less waiting for the sender of 1 MiB to a receiver that has posted its "
                          "receive and computes for 1 ms: 93 us in MPI_Send in place of 1093; the whole "
                          "exchange takes 1104 us in place of 2138",
};
