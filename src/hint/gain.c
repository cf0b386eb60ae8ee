/* What the hints were worth when they were measured. Written by bench/hints.py (make bench-hints). */
#include "hint/hint.h"

const char *const hint_gain[HINT_COUNT] = {
    [HINT_NO_ANY_TAG] = "1.07 x for receives whose messages wait, 100 from one rank in shuffled order: "
                        "47 ns each in place of 50; a waiting message takes 197 bytes of memory in "
                        "place of 238",
    [HINT_NO_ANY_SOURCE] = "1.31 x for receives whose messages wait, 30,000 from one rank in shuffled "
                           "order: 121 ns each in place of 159; a waiting message takes 105 bytes of "
                           "memory in place of 140",
    [HINT_ASSERT_MEMORY_KINDS] =
        "1.34 x for an allreduce of 4 MiB in memory of MPI_Alloc_mem, two ranks: 360 "
        "us in place of 484, or of 675 in memory of malloc; 1.16 x for messages of 8 "
        "bytes where the job has asked for a device's kind: 79 ns each in place of 92, "
        "if a look-up is a few compares; a real driver takes longer",
    [HINT_MEMORY_KINDS] = "1.85 x for windows of 1 MiB messages between buffers of MPI_Alloc_mem instead "
                          "of malloc: 93.3 GB/s in place of 50.5; of 64 KiB 60.4 in place of 22.0, of 16 "
                          "MiB 28.5 in place of 22.3",
    [HINT_ALLOW_OVERTAKING] = "2.90 x for two threads of a process that send 8-byte messages to themselves "
                              "under tags of their own: 9.2 million a second in place of 3.2; one thread "
                              "sends 5.4",
    [HINT_EXACT_LENGTH] = "16 x less waiting for the sender of 1 MiB to a receiver that has posted its "
                          "receive and computes for 1 ms: 63 us in MPI_Send in place of 1042; the whole "
                          "exchange takes 1064 us in place of 2043",
};
