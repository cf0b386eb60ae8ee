/* What the hints were worth when they were measured. Written by bench/hints.py (make bench-hints). */
#include "hint/hint.h"

const char *const hint_gain[HINT_COUNT] = {
    [HINT_NO_ANY_TAG] = "1.08 x for receives whose messages wait, 100 from one rank in shuffled order: "
                        "44 ns each in place of 48; a waiting message takes 208 bytes of memory in "
                        "place of 239",
    [HINT_NO_ANY_SOURCE] = "1.45 x for receives whose messages wait, 30,000 from one rank in shuffled "
                           "order: 80 ns each in place of 117; a waiting message takes 105 bytes of "
                           "memory in place of 140",
    [HINT_ASSERT_MEMORY_KINDS] =
        "1.65 x for an allreduce of 4 MiB in memory of MPI_Alloc_mem, two ranks: 296 "
        "us in place of 490, or of 494 in memory of malloc; 1.17 x for messages of 8 "
        "bytes where the job has asked for a device's kind: 74 ns each in place of 86, "
        "if a look-up is a few compares; a real driver takes longer",
    [HINT_MEMORY_KINDS] = "1.87 x for windows of 1 MiB messages between buffers of MPI_Alloc_mem instead "
                          "of malloc: 96.5 GB/s in place of 51.6; of 64 KiB 26.0 in place of 26.0, of 16 "
                          "MiB 28.3 in place of 20.2",
    [HINT_STRICT_PERSISTENT_ORDERING] =
        "138 x less memory for a small persistent collective besides its request, half "
        "of them allreduces and half broadcasts, two ranks: 16 bytes on each in place "
        "of 2212; a start and its wait take 200 ns in place of 215, or 201 in place of "
        "220 with 1,000 in turn",
    [HINT_ALLOW_OVERTAKING] = "2.97 x for two threads of a process that send 8-byte messages to themselves "
                              "under tags of their own: 10.1 million a second in place of 3.4; one thread "
                              "sends 5.6",
    [HINT_EXACT_LENGTH] = "17 x less waiting for the sender of 1 MiB to a receiver that has posted its "
                          "receive and computes for 1 ms: 60 us in MPI_Send in place of 1039; the whole "
                          "exchange takes 1061 us in place of 2040",
    [HINT_COLLECTIVE_BUFFERING] = "2.7 x for a collective write of blocks of 1 KiB in turn by 8 ranks: 1.21 "
                                  "GB/s in place of 0.44 with false",
    [HINT_CB_NODES] = "1: 1.13 x for a collective write of 256^3 doubles by 4 ranks in 2 x 2 columns: 1.97 "
                      "GB/s in place of 1.75",
    [HINT_CB_BUFFER_SIZE] =
        "64 KiB, in place of 2.3 MiB: 0.69 x for a collective write of 256^3 doubles by 4 ranks in 2 x 2 "
        "columns: 1.22 GB/s in place of 1.77",
    [HINT_ACCESS_STYLE] = "random, whose reads are not sieved: 0.38 x for reading 256 bytes in each 1 KiB, 2 "
                          "ranks, from the page cache: 0.32 GB/s in place of 0.83",
};

const struct hint_measure hint_measured[HINT_COUNT] = {
    [HINT_NO_ANY_TAG] = {48, 44},
    [HINT_NO_ANY_SOURCE] = {117, 80},
    [HINT_ASSERT_MEMORY_KINDS] = {490, 296},
    [HINT_MEMORY_KINDS] = {51.6, 96.5},
    [HINT_STRICT_PERSISTENT_ORDERING] = {2212, 16},
    [HINT_ALLOW_OVERTAKING] = {3.4, 10.1},
    [HINT_EXACT_LENGTH] = {1039, 60},
    [HINT_COLLECTIVE_BUFFERING] = {0.44, 1.21},
    [HINT_CB_NODES] = {1.75, 1.97},
    [HINT_CB_BUFFER_SIZE] = {1.77, 1.22},
    [HINT_ACCESS_STYLE] = {0.83, 0.32},
};
