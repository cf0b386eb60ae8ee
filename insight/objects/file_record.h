/* file_record: a file as checks know it; file_check.c makes it. */
#ifndef INSIGHT_OBJECTS_FILE_RECORD_H
#define INSIGHT_OBJECTS_FILE_RECORD_H

#include "insight/board/board.h"
#include "insight/objects/comm_record.h"

enum {
    STYLE_RUNS = 64
};

/* Bytes that were read, or written: sorted, with gaps between. */
struct style_bytes {
    struct style_run {
        int64_t low, high;
    } run[STYLE_RUNS];
    int runs;
};

/* Of access_style: file_check.c. */
struct file_style {
    unsigned words; /* promised; 0: none */
    void *given_at;
    int64_t view, unit; /* where the view's data begins, and the size of its etype */
    bool has_gaps;      /* the view */
    int64_t begin;      /* of the last access, in bytes of the view; -1: none */
    bool is_write;      /* that one */
    void *accessed_at;
    struct style_bytes of_reads, of_writes;
};

/* file_check.c */
struct file_order {
    uint64_t shared; /* a struct file_share on the board; 0: none */
    uint64_t number;
    uint64_t syncs;
    uint64_t
        opened[ORDER_RANKS]; /* the intervals of others that this rank knew of when it had opened the file */
    bool is_atomic;
    bool is_unknown; /* opened for sequential access, or of another data representation than "native" */
};

struct file_record {
    struct tracked base;
    struct comm_record comm; /* its number and calls are the file's own */
    struct file_style style;
    struct file_order order;
};

/* The file of a call, also of MPI_File_close; NULL: unknown. */
struct file_record *file_check_of(const struct intercept *call);
/* The ranks that opened the file of a call; NULL: unknown. */
struct comm_record *file_check_comm(const struct intercept *call);

#endif
