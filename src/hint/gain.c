/* What the hints were worth when they were measured. Written by bench/hints.py (make bench-hints). */
#include "hint/hint.h"

const char *const hint_gain[HINT_COUNT] = {
    [HINT_NO_ANY_TAG] = "1.11 x for receives whose messages wait, 100 from one rank in shuffled order: "
                        "104 ns each in place of 116; a waiting message takes 207 bytes of memory in "
                        "place of 225",
    [HINT_NO_ANY_SOURCE] = "1.46 x for receives whose messages wait, 30,000 from one rank in shuffled "
                           "order: 242 ns each in place of 353; a waiting message takes 105 bytes of "
                           "memory in place of 140",
    [HINT_ASSERT_MEMORY_KINDS] =
        "2.15 x for an allreduce of 4 MiB in memory of MPI_Alloc_mem, two ranks: 665 "
        "us in place of 1428, or of 1462 in memory of malloc; 1.14 x for messages of 8 "
        "bytes where the job has asked for a device's kind: 54 ns each in place of 62, "
        "if a look-up is a few compares; a real driver takes longer; system: 0.94 x "
        "for writes of 64 bytes by the shared pointer, 4 ranks, where the job has "
        "asked for a device's kind: 0.85 us in place of 0.80",
    [HINT_MEMORY_KINDS] = "2.42 x for windows of 1 MiB messages between buffers of MPI_Alloc_mem instead "
                          "of malloc: 31.5 GB/s in place of 13.0; of 64 KiB 21.8 in place of 9.1, of 16 "
                          "MiB 25.6 in place of 8.6",
    [HINT_STRICT_PERSISTENT_ORDERING] =
        "175 x less memory for a small persistent collective besides its request, half "
        "of them allreduces and half broadcasts, two ranks: 12 bytes on each in place "
        "of 2101, and 346 ns to make one in place of 4652; a start and its wait take "
        "462 ns in place of 461, or 445 in place of 456 with 1,000 in turn",
    [HINT_ALLOW_OVERTAKING] = "1.17 x for two threads of a process that send 8-byte messages to themselves "
                              "under tags of their own: 6.1 million a second in place of 5.2; one thread "
                              "sends 3.2",
    [HINT_EXACT_LENGTH] = "5 x less waiting for the sender of 1 MiB to a receiver that has posted its "
                          "receive and computes for 1 ms: 236 us in MPI_Send in place of 1151; the whole "
                          "exchange takes 1239 us in place of 2155",
    [HINT_NO_LOCKS] = "1.00 x for MPI_Put of 8 bytes to each other and MPI_Win_fence: 395 ns in "
                      "place of 396; accesses look at no lock without the hint either, and the lock "
                      "is 16 bytes of a line that the window needs anyway",
    [HINT_ACCUMULATE_OPS] = "same_op: 1.28 x for MPI_Accumulate of 8 bytes with MPI_REPLACE by both ranks "
                            "to one place: 107 ns in place of 137",
    [HINT_ACCUMULATE_ORDERING] = "none: 1.00 x for MPI_Accumulate of 64 doubles to each other, a flush after "
                                 "16: 122 ns each in place of 122; each is done when its call returns, so no "
                                 "later one can overtake it",
    [HINT_ACCUMULATE_GRANULARITY] =
        "64 KiB: 19.84 x for sums of 8,192 64-bit integers by both ranks to one place: "
        "3597 ns in place of 71358",
    [HINT_SHARED_NONCONTIG] = "8.9 x for atomic additions of each rank in its own 8 bytes of "
                              "MPI_Win_allocate_shared: 2.78 ns in place of 24.83",
    [HINT_MINIMUM_MEMORY_ALIGNMENT] =
        "1.00 x for MPI_Put of 4 KiB to each other where 4096 is asked for: 112 ns in "
        "place of 112; memory begins at a cache line anyway, and more is for the "
        "program's own instructions and devices",
    [HINT_SAME_SIZE] = "1.31 x for making and freeing a window of MPI_Win_allocate, 16 ranks that all "
                       "give same_size and same_disp_unit: 497 us in place of 649; it takes 5,796 "
                       "bytes on a rank in place of 5,972",
    [HINT_SAME_DISP_UNIT] = "1.31 x for making and freeing a window of MPI_Win_allocate, 16 ranks that all "
                            "give same_size and same_disp_unit: 452 us in place of 590; it takes 5,804 "
                            "bytes on a rank in place of 5,965",
    [HINT_COLLECTIVE_BUFFERING] =
        "2.1 x for a collective write of blocks of 1 KiB in turn by 8 ranks: 1.29 GB/s "
        "in place of 0.61 with false",
    [HINT_CB_NODES] = "1, which takes 2.3 MiB of a host of 2 cores in place of 4.7: 0.96 x for a "
                      "collective write of 256^3 doubles by 4 ranks in 2 x 2 columns: 2.48 GB/s in "
                      "place of 2.59",
    [HINT_CB_BUFFER_SIZE] = "64 KiB, in place of 2.3 MiB: 1.02 x for a collective write of 256^3 doubles "
                            "by 4 ranks in 2 x 2 columns: 2.55 GB/s in place of 2.51",
    [HINT_ACCESS_STYLE] = "random, which keeps the kernel from reading ahead: 1.24 x for reading records "
                          "of 1 MiB, of each 256 bytes in each 1 KiB, at places in no order of a file on "
                          "disk that is not in the page cache, 2 ranks: 1797 us a record in place of "
                          "2235",
};

const struct hint_measure hint_measured[HINT_COUNT] = {
    [HINT_NO_ANY_TAG] = {116, 104.1},
    [HINT_NO_ANY_SOURCE] = {352.6, 241.5},
    [HINT_ASSERT_MEMORY_KINDS] = {1428, 665},
    [HINT_MEMORY_KINDS] = {13, 31.46},
    [HINT_STRICT_PERSISTENT_ORDERING] = {2101, 12},
    [HINT_ALLOW_OVERTAKING] = {5.198, 6.083},
    [HINT_EXACT_LENGTH] = {1151, 235.7},
    [HINT_NO_LOCKS] = {396.1, 394.8},
    [HINT_ACCUMULATE_OPS] = {137.3, 107.1},
    [HINT_ACCUMULATE_ORDERING] = {122.2, 122.3},
    [HINT_ACCUMULATE_GRANULARITY] = {7.136e+04, 3597},
    [HINT_SHARED_NONCONTIG] = {24.83, 2.776},
    [HINT_MINIMUM_MEMORY_ALIGNMENT] = {112, 112.2},
    [HINT_SAME_SIZE] = {648.8, 496.6},
    [HINT_SAME_DISP_UNIT] = {589.6, 451.6},
    [HINT_COLLECTIVE_BUFFERING] = {0.6099, 1.291},
    [HINT_CB_NODES] = {2.588, 2.478},
    [HINT_CB_BUFFER_SIZE] = {2.51, 2.554},
    [HINT_ACCESS_STYLE] = {2235, 1797},
};
