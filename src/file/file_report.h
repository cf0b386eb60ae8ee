/* file_report: how much of a file was moved in which way: counts of the process (src/metric), and, for mpiexec --hints-report only,
 * of each file, with the time; and the report on the hints of a file (making/hint_report.h). */
#ifndef FILE_FILE_REPORT_H
#define FILE_FILE_REPORT_H

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum traffic_way {
    TRAFFIC_SELF,    /* by the rank itself, in the call */
    TRAFFIC_BUFFERS, /* through buffers of some ranks, together with the others */
    TRAFFIC_THREAD,  /* by a thread of the process, behind a nonblocking call */
    TRAFFIC_WAYS
};

/* Of one rank; any thread adds, relaxed. */
struct traffic {
    struct {
        _Atomic uint64_t bytes, ns;
    } way[TRAFFIC_WAYS][2];        /* [1]: writes */
    _Atomic bool is_collective[2]; /* some access was */
    _Atomic bool is_sieved[2];
};

struct file;

/* The clock when a move begins; 0: there is no report. */
uint64_t file_traffic_begin(void);
void file_traffic_add(struct file *file, enum traffic_way way, bool is_write, MPI_Offset bytes,
                      uint64_t since);
/* A message between a rank and a buffer (by_message.c). */
void file_traffic_add_message(void);
static inline void file_traffic_mark(_Atomic bool *mark)
{
    atomic_store_explicit(mark, true, memory_order_relaxed);
}

/* Reports what became of a file's hints (making/hint_report.h), and how it was read and written. */

/* is_final: the file is closed. */
void file_report(struct file *file, bool is_final);

#endif
