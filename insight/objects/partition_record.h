/* partition_record: the partitions of a request as checks know them; partition_check.c makes them. */
#ifndef INSIGHT_OBJECTS_PARTITION_RECORD_H
#define INSIGHT_OBJECTS_PARTITION_RECORD_H

#include "insight/objects/type_check.h"

enum {
    PARTITIONS_WATCHED = 16, /* the first ones and the last */
    PARTITIONS_BY_HARDWARE = 3
};

/* What is known of the partitions of one request. */
struct partitions {
    const char *buffer;
    int64_t count; /* of items in each */
    MPI_Datatype type;
    int total;
    bool is_received;
    struct {
        int partition, watchpoint;
    } watch[PARTITIONS_WATCHED];
    uint64_t sum[]; /* of each since it is ready; 0: it is not. Of a receive 1: it has arrived */
};

/* The partition that a call may not use so; -1: none. */
int partition_check_overlap(const struct partitions *p, const void *buffer, int64_t count, MPI_Datatype type,
                            bool is_written);
const char *partition_start(const struct partitions *p, const struct type_record *type, int partition);

#endif
