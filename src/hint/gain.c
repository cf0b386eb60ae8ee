/* What the hints were worth when they were measured. Written by bench/hints.py (make bench-hints). */
#include "hint/hint.h"

const char *const hint_gain[HINT_COUNT] = {
    [HINT_NO_ANY_TAG] = "1.08 x for receives whose messages wait, 100 from one rank in shuffled order: "
                        "44 ns each in place of 47; a waiting message takes 208 bytes of memory in "
                        "place of 227",
    [HINT_NO_ANY_SOURCE] = "1.46 x for receives whose messages wait, 30,000 from one rank in shuffled "
                           "order: 84 ns each in place of 123; a waiting message takes 105 bytes of "
                           "memory in place of 140",
    [HINT_ASSERT_MEMORY_KINDS] =
        "1.35 x for an allreduce of 4 MiB in memory of MPI_Alloc_mem, two ranks: 359 "
        "us in place of 485, or of 664 in memory of malloc; 1.16 x for messages of 8 "
        "bytes where the job has asked for a device's kind: 81 ns each in place of 93, "
        "if a look-up is a few compares; a real driver takes longer",
    [HINT_MEMORY_KINDS] = "1.59 x for windows of 1 MiB messages between buffers of MPI_Alloc_mem instead "
                          "of malloc: 55.6 GB/s in place of 35.0; of 64 KiB 25.3 in place of 26.8, of 16 "
                          "MiB 28.4 in place of 21.0",
    [HINT_ALLOW_OVERTAKING] = "2.82 x for two threads of a process that send 8-byte messages to themselves "
                              "under tags of their own: 9.2 million a second in place of 3.3; one thread "
                              "sends 5.3",
    [HINT_EXACT_LENGTH] = "14 x less waiting for the sender of 1 MiB to a receiver that has posted its "
                          "receive and computes for 1 ms: 74 us in MPI_Send in place of 1050; the whole "
                          "exchange takes 1077 us in place of 2051",
};
