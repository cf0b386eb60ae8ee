/* objects: the communicators, open requests, unexpected messages, windows and files of a process, as traced.h reads them.
 *
 * They are read while the process runs, so a record may be half written and a list may change under the reader. Each walk has a
 * bound, each record must make sense (is_plausible in objects.c), and rank_look reads everything twice: what differs is read again.
 */
#ifndef CMD_WHERE_OBJECTS_H
#define CMD_WHERE_OBJECTS_H

#include "cmd/where/traced.h"

enum {
    OBJECTS_NAME = 96,
    OBJECTS_PLACE = 96,
    OBJECTS_COMMS = 256, /* of each, as many as are kept; `..._left` counts the rest */
    OBJECTS_REQUESTS = 256,
    OBJECTS_MESSAGES = 64,
    OBJECTS_WINDOWS = 64,
    OBJECTS_FILES = 64,
    OBJECTS_RANKS = 4096 /* of a communicator, whose processes are known */
};

struct object_comm {
    uint64_t at, context;
    int rank, count; /* count: ranks that a peer argument may name */
    bool is_hidden;  /* the program has no handle of it: a window's, say */
    bool is_inter;
    char name[OBJECTS_NAME]; /* "": none was given */
    uint64_t process;        /* the table of process numbers, in the process's memory */
};

struct object_request {
    uint64_t at;
    int kind, plane; /* enum request_kind; enum plane of those of messages */
    uint64_t comm;   /* its address; 0: no communicator */
    int source, tag; /* of receives, as asked for */
    int process;     /* of sends: the receiver; -1: not known */
    uint64_t bytes;  /* of sends: the message; of receives: the room */
    bool is_posted;  /* a receive that no message has been found for */
    uint64_t parent; /* of a message that is a part of another request: its address; 0: it is none */
    uint64_t
        posted; /* the return address of the call that has made it or, if it is persistent, started it; 0: not by the program */
    uint64_t made; /* likewise, of a persistent one */
    char place[OBJECTS_PLACE],
        origin[OBJECTS_PLACE]; /* of `posted` and `made`, as rank_look finds them: "at halo.c:88"; "" */
};

struct object_message {
    uint64_t comm;
    int source, tag;
    int process; /* of the source; -1: not known */
    uint32_t bytes;
};

struct object_window {
    uint64_t at, comm;
    int rank, count;
    char name[OBJECTS_NAME];
    uint64_t own_control, control;
    int controls;
    int locked[8], locks; /* ranks that this process has locked; locks counts all of them */
    bool is_open_to_all;  /* MPI_Win_lock_all, or a fence, has opened an epoch */
    bool has_started, has_posted;
};

struct object_file {
    uint64_t comm;
    char name[OBJECTS_NAME];
};

struct objects {
    struct object_comm comm[OBJECTS_COMMS];
    struct object_request request[OBJECTS_REQUESTS];
    struct object_message message[OBJECTS_MESSAGES];
    struct object_window window[OBJECTS_WINDOWS];
    struct object_file file[OBJECTS_FILES];
    int comms, requests, requests_left, messages, messages_left, windows, files;
};

/* False: something did not make sense. */
bool objects_read(const struct traced *t, struct objects *o);
/* The open request at this address, and the message that a request consists of; NULL: there is none, or several. */
const struct object_request *objects_request(const struct objects *o, uint64_t at);
const struct object_request *objects_part(const struct objects *o, const struct object_request *r);
/* The communicator at this address; NULL: none is known there. */
const struct object_comm *objects_comm(const struct objects *o, uint64_t at);
/* What the program calls a communicator: 'halo'; of a window or file: the window 'x'. */
void objects_name(const struct objects *o, uint64_t comm, char *to, size_t room);
/* The process number of a rank of it, and the rank of a process; -1: it has none. */
int objects_process(const struct traced *t, const struct object_comm *c, int rank);
int objects_rank(const struct traced *t, const struct object_comm *c, int process);
/* Marks the processes of it, as far as they are below `size`. */
void objects_members(const struct traced *t, const struct object_comm *c, bool *has, int size);

#endif
