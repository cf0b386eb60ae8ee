/* profile: what `mpiexec --advise` has counted, of one rank or, merged, of all. It has no pointers: ranks send it to each other,
 * rank 0 writes it as a file, and the commands read that file (insight/advise/).
 *
 * Its size is fixed, so a rank needs PROFILE_BYTES of memory whatever the program does, and twice that while profiles are merged.
 * What finds no room is counted in `lost`. An object without room for it is not advised on.
 */
#ifndef INSIGHT_OBSERVE_PROFILE_H
#define INSIGHT_OBSERVE_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

enum {
    PROFILE_VERSION = 3,
    PROFILE_OBJECTS = 128,
    PROFILE_SITES = 512,
    PROFILE_GIVEN = 64,
    PROFILE_MODULES = 16,
    PROFILE_PATH = 512,
    PROFILE_NAME = 64,
    PROFILE_SIZES = 40,  /* classes of lengths: 0, 1, 2-3, 4-7, ... */
    PROFILE_LANES = 64,  /* groups of ranks, of one each in jobs of up to 64 */
    PROFILE_BINS = 1024, /* of the timeline */
    PROFILE_BIN_NS = 100000
};

enum profile_kind {
    PROFILE_COMM,
    PROFILE_WIN,
    PROFILE_FILE
};

/* What the time goes to. */
enum profile_use {
    USE_COMPUTE, /* outside MPI */
    USE_SEND,    /* starting messages: MPI_Send, MPI_Isend ... */
    USE_WAIT,    /* MPI_Recv, MPI_Wait, MPI_Probe ... */
    USE_COLLECTIVE,
    USE_RMA,
    USE_FILE,
    USE_OTHER,
    USES
};

/* A place of the program: an address in a module of the list; 0: unknown. */
struct profile_place {
    uint32_t module; /* one more than the index */
    uint64_t offset;
};

/* All objects that one call at one place has made. Counts of merged profiles are sums over ranks. */
struct profile_object {
    int kind;
    char maker[48]; /* "MPI_Comm_split"; "" : predefined */
    struct profile_place place;
    char name[PROFILE_NAME]; /* "" : none, or not the same for all */
    bool has_names;          /* several: the place identifies them */
    uint64_t ranks;          /* that made it */
    uint64_t made, expected; /* equal: all members made theirs here */
    /* communicators */
    uint64_t receives, probes, any_source, any_tag;
    uint64_t exact, inexact, unknown_length;  /* completed receives */
    uint64_t sends, repeated;                 /* sends; those to a rank and tag that another had */
    uint64_t starts;                          /* of persistent collectives */
    uint64_t order, order_differs;            /* a hash of their order; whether ranks have others */
    uint64_t collectives, large, large_bytes; /* large: messages sent of at least 64 KiB */
    uint64_t heap, other, unknown_memory;     /* buffers: in memory of MPI, not, cannot be told */
    uint64_t other_large, other_large_bytes;  /* of at least 64 KiB, not in memory of MPI */
    uint64_t sizes[PROFILE_SIZES];            /* messages sent, by length */
    /* windows */
    uint64_t locks, puts, gets, accumulates, fetches; /* fetches: accumulates that also read */
    uint64_t op_mask;                                 /* a bit for each operation */
    uint64_t not_integer;
    uint64_t size_hash, unit_hash, size_differs, unit_differs;
    /* files */
    uint64_t reads, writes, read_bytes, write_bytes, in_order, backwards, elsewhere;
};

/* Calls of one procedure from one place on one object. */
struct profile_site {
    char procedure[48];
    int use;
    int object; /* -1: none */
    struct profile_place place;
    uint64_t ranks, calls, bytes, time; /* nanoseconds */
    uint64_t longest, shortest;         /* of a rank, all its calls together */
    int shortest_rank;                  /* who comes last to a collective waits least */
};

/* A hint that the program gave. */
struct profile_given {
    int object;
    char key[64], value[64], now[64]; /* `now`: what get_info said afterwards, "" : nothing */
    uint64_t count;
};

struct profile_lane {
    uint64_t ranks, sent, sent_bytes, unexpected; /* unexpected: the longest queue, as MPI_T tells it */
    uint64_t time[USES];
    float bin[PROFILE_BINS][USES]; /* nanoseconds */
};

struct profile {
    char magic[8]; /* "inkadv1" */
    uint32_t version, bytes;
    int size;              /* ranks of MPI_COMM_WORLD */
    uint64_t elapsed;      /* from MPI_Init to MPI_Finalize, the longest */
    uint64_t bin_ns;       /* width of a bin: PROFILE_BIN_NS times a power of 2 */
    bool knows_unexpected; /* the library has the variable */
    bool has_lost_objects;
    bool has_threads; /* MPI_THREAD_MULTIPLE was provided */
    char program[PROFILE_PATH], library[256];
    uint32_t modules, objects, sites, given;
    char module[PROFILE_MODULES][PROFILE_PATH];
    struct profile_object object[PROFILE_OBJECTS];
    struct profile_site site[PROFILE_SITES];
    struct profile_given hint[PROFILE_GIVEN];
    uint64_t messages[PROFILE_LANES][PROFILE_LANES],
        message_bytes[PROFILE_LANES][PROFILE_LANES]; /* from, to */
    struct profile_lane lane[PROFILE_LANES];
};

enum {
    PROFILE_BYTES = sizeof(struct profile)
};

/* The group that a rank belongs to. */
static inline int profile_lane_of(int rank, int size)
{
    return size <= PROFILE_LANES ? rank : (int)((int64_t)rank * PROFILE_LANES / size);
}

/* Adds what another rank, or a group of ranks, has counted. */
void profile_merge(struct profile *all, const struct profile *part);
/* Gives the timeline bins of twice the width. */
void profile_widen(struct profile *p);

#endif
