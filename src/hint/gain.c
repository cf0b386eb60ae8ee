/* What the hints were worth when they were measured. Written by bench/hints.py (make bench-hints). */
#include "hint/hint.h"

const char *const hint_gain[HINT_COUNT] = {
    [HINT_NO_ANY_TAG] = "1.05 x for receives whose messages wait, 100 from one rank in shuffled order: "
                        "140 ns each in place of 148; a waiting message takes 207 bytes of memory in "
                        "place of 235",
    [HINT_NO_ANY_SOURCE] = "1.31 x for receives whose messages wait, 30,000 from one rank in shuffled "
                           "order: 202 ns each in place of 265; a waiting message takes 105 bytes of "
                           "memory in place of 140",
    [HINT_ASSERT_MEMORY_KINDS] =
        "1.87 x for an allreduce of 4 MiB in memory of MPI_Alloc_mem, two ranks: 685 "
        "us in place of 1281, or of 1260 in memory of malloc; 1.09 x for messages of 8 "
        "bytes where the job has asked for a device's kind: 53 ns each in place of 58, "
        "if a look-up is a few compares; a real driver takes longer; system: 1.07 x "
        "for writes of 64 bytes by the shared pointer, 4 ranks, where the job has "
        "asked for a device's kind: 0.75 us in place of 0.80",
    [HINT_MEMORY_KINDS] = "3.73 x for windows of 1 MiB messages between buffers of MPI_Alloc_mem instead "
                          "of malloc: 56.5 GB/s in place of 15.2; of 64 KiB 53.3 in place of 10.2, of 16 "
                          "MiB 35.3 in place of 9.6",
    [HINT_STRICT_PERSISTENT_ORDERING] =
        "99 x less memory for a small persistent collective besides its request, half "
        "of them allreduces and half broadcasts, two ranks: 16 bytes on each in place "
        "of 1581, and 2065 ns to make one in place of 5870; a start and its wait take "
        "253 ns in place of 246, or 252 in place of 262 with 1,000 in turn",
    [HINT_ALLOW_OVERTAKING] = "1.55 x for two threads of a process that send 8-byte messages to themselves "
                              "under tags of their own: 5.5 million a second in place of 3.6; one thread "
                              "sends 5.5",
    [HINT_EXACT_LENGTH] = "8 x less waiting for the sender of 1 MiB to a receiver that has posted its "
                          "receive and computes for 1 ms: 137 us in MPI_Send in place of 1096; the whole "
                          "exchange takes 1139 us in place of 2097",
    [HINT_NO_LOCKS] = "1.00 x for MPI_Put of 8 bytes to each other and MPI_Win_fence: 141 ns in "
                      "place of 141; accesses look at no lock without the hint either, and the lock is 16 "
                      "bytes of a line that the window needs anyway",
    [HINT_ACCUMULATE_OPS] = "same_op: 1.11 x for MPI_Accumulate of 8 bytes with MPI_REPLACE by both ranks "
                            "to one place: 117 ns in place of 130",
    [HINT_ACCUMULATE_ORDERING] = "none: 0.94 x for MPI_Accumulate of 64 doubles to each other, a flush after "
                                 "16: 76 ns each in place of 72; each is done when its call returns, so no "
                                 "later one can overtake it",
    [HINT_ACCUMULATE_GRANULARITY] =
        "64 KiB: 11.54 x for sums of 8,192 64-bit integers by both ranks to one place: "
        "4624 ns in place of 53347",
    [HINT_SHARED_NONCONTIG] = "9.0 x for atomic additions of each rank in its own 8 bytes of "
                              "MPI_Win_allocate_shared: 2.63 ns in place of 23.71",
    [HINT_MINIMUM_MEMORY_ALIGNMENT] =
        "1.00 x for MPI_Put of 4 KiB to each other where 4096 is asked for: 117 ns in "
        "place of 117; memory begins at a cache line anyway, and more is for the program's own "
        "instructions and devices",
    [HINT_SAME_SIZE] = "1.31 x for making and freeing a window of MPI_Win_allocate, 16 ranks that all "
                       "give same_size and same_disp_unit: 445 us in place of 585; it takes 5,816 "
                       "bytes on a rank in place of 5,955",
    [HINT_SAME_DISP_UNIT] = "1.90 x for making and freeing a window of MPI_Win_allocate, 16 ranks that all "
                            "give same_size and same_disp_unit: 294 us in place of 558; it takes 5,804 "
                            "bytes on a rank in place of 5,967",
    [HINT_COLLECTIVE_BUFFERING] =
        "1.9 x for a collective write of blocks of 1 KiB in turn by 8 ranks: 1.66 GB/s "
        "in place of 0.86 with false",
    [HINT_CB_NODES] = "1: 1.01 x for a collective write of 256^3 doubles by 4 ranks in 2 x 2 "
                      "columns: 3.48 GB/s in place of 3.45",
    [HINT_CB_BUFFER_SIZE] = "64 KiB, in place of 2.3 MiB: 0.81 x for a collective write of 256^3 doubles "
                            "by 4 ranks in 2 x 2 columns: 2.91 GB/s in place of 3.59",
    [HINT_ACCESS_STYLE] = "random, whose reads are not sieved: 0.24 x for reading 256 bytes in each 1 "
                          "KiB, 2 ranks, from the page cache: 0.53 GB/s in place of 2.21",
};

const struct hint_measure hint_measured[HINT_COUNT] = {
    [HINT_NO_ANY_TAG] = {147.6, 140},
    [HINT_NO_ANY_SOURCE] = {264.6, 202.2},
    [HINT_ASSERT_MEMORY_KINDS] = {1281, 684.8},
    [HINT_MEMORY_KINDS] = {15.17, 56.49},
    [HINT_STRICT_PERSISTENT_ORDERING] = {1581, 16},
    [HINT_ALLOW_OVERTAKING] = {3.573, 5.55},
    [HINT_EXACT_LENGTH] = {1096, 136.8},
    [HINT_NO_LOCKS] = {140.7, 140.6},
    [HINT_ACCUMULATE_OPS] = {130, 116.8},
    [HINT_ACCUMULATE_ORDERING] = {71.68, 75.9},
    [HINT_ACCUMULATE_GRANULARITY] = {5.335e+04, 4624},
    [HINT_SHARED_NONCONTIG] = {23.71, 2.635},
    [HINT_MINIMUM_MEMORY_ALIGNMENT] = {117.2, 116.8},
    [HINT_SAME_SIZE] = {584.5, 444.6},
    [HINT_SAME_DISP_UNIT] = {558.3, 294.4},
    [HINT_COLLECTIVE_BUFFERING] = {0.8567, 1.659},
    [HINT_CB_NODES] = {3.453, 3.483},
    [HINT_CB_BUFFER_SIZE] = {3.588, 2.914},
    [HINT_ACCESS_STYLE] = {2.211, 0.5317},
};
