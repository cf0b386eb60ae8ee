/* where_table: what `inkling where` needs to know of a process to read its state from outside.
 *
 * The library has one such table, and an ELF note leads to it: name WHERE_NOTE_NAME, type WHERE_NOTE_TYPE, and as its description
 * the distance of the table from the description, 4 bytes. So whoever may read the memory of a process finds the table through its
 * mappings, and the process does nothing for that. The table says where objects, requests, names and queues lie, and at which
 * offsets in them are the fields that are read. What the numbers in these fields mean (kinds of waits and requests, bits of epochs)
 * belongs to the version: who changes one adds 1 to WHERE_VERSION.
 */
#ifndef PLAIN_WHERE_TABLE_H
#define PLAIN_WHERE_TABLE_H

#include <stddef.h>
#include <stdint.h>

#define WHERE_NOTE_NAME "Inkling" /* with its NUL 8 bytes, as the note says */

enum {
    WHERE_NOTE_TYPE = 1,
    WHERE_VERSION = 4
};

/* Offsets are of bytes, from the begin of what their group is named after; `size` is that of all of it. */
struct where_table {
    uint32_t version, size; /* of the table */

    /* Addresses. */
    const void *boot, *comm_pool, *request_pool, *win_pool, *file_pool;
    const void *comm_world, *comm_self; /* communicators that are in no pool */
    const void *watchers;               /* of the messages of processes of this host: one for each lane */
    const void *awaited_offset; /* of 8 bytes: where `awaited` lies, from the pointer of each thread */
    int (*mark)(uint64_t request, const void *caller); /* for who is in the process: where_table.h */

    struct {
        uint32_t job, rank, size;
    } of_boot;
    struct {
        uint32_t object_size, used, chunks, chunk_objects;
    } of_pool;
    struct {
        uint32_t handle, references;
    } of_object;
    struct {
        uint32_t size, context, rank, count, process, remote, match, lanes, name, name_size;
    } of_comm;
    struct {
        uint32_t count;
    } of_group;
    struct {
        uint32_t size, kind, done, active, persistent, immortal, posted, owner, space;
    } of_request;
    struct { /* of a persistent request, at its `posted` */
        uint32_t made, started;
    } of_request_places;
    struct { /* in the space of requests of messages */
        uint32_t source, tag, comm, bytes, peer, plane, is_posted, context, on_done;
    } of_transfer;
    struct {
        uint32_t process;
    } of_peer;
    struct { /* the program's messages without a receive, of a communicator in one lane */
        uint32_t record, used, live;
    } of_match;
    struct {
        uint32_t size, source, tag, length, waits;
    } of_unexpected;
    struct {
        uint32_t size, number, kind, wait, what, detail, since_ns;
    } of_awaited;
    struct {
        uint32_t noted;
    } of_wait;
    struct {
        uint32_t call, boxes, sequence, next, until;
    } of_shm_run;
    struct {
        uint32_t list, root;
    } of_coll_call;
    struct {
        uint32_t name;
    } of_choice_list;
    struct
    { /* `readers`: by slot, each ring as it was when it was last polled; `rings` of them are polled now, and have their
              * state in `watch`. Slots: `local_size` of its `plan`, and in lane 0 `guests` more. `taken`: messages of a ring */
        uint32_t size, lanes, open, readers, watch, watch_size, rings, slot, ring, ring_size, taken, plan,
            local_size, guests;
    } of_watcher;
    struct
    { /* `peer`: a record of `peer_size` bytes for each rank; `mailbox` in it leads to what the rank publishes, whose `line`
              * number sequence % lines, of `line_size` bytes, begins with the sequence number that was published, in its
              * lower `sequence_bits` */
        uint32_t comm, count, rank, lines, peer, peer_size, mailbox, line, line_size, sequence_bits;
    } of_mailboxes;
    struct {
        uint32_t comm;
    } of_agreement;
    struct {
        uint32_t size, comm, rank, count, name, access, open_to_all, own_control, control, controls, started,
            posted;
    } of_win;
    struct { /* the ranks of an epoch: `count`, then a record of `size` bytes for each from `first` on */
        uint32_t count, first, size, rank;
    } of_partners;
    struct {
        uint32_t size, lock, holder_shift;
    } of_win_control;
    struct {
        uint32_t size, comm, name;
    } of_file;
};

/* The distance from the begin of these notes of an ELF file to the table; 0: none of them leads to it. */
int64_t where_table_in_notes(const unsigned char *notes, size_t bytes);

/* Where the program has posted a request.
 *
 * The library marks a request with the address that the call returns to. Where a binding of another language or ABI, or a library
 * between them, has made that call, the address lies in there. So it marks the request once more, with what its own call returns to.
 * The function for that is found through the table: it has no name that leaves the library, and over
 * another library with the ABI there is none. */

/* The program has called for the request of this handle, or started it, from there. Any value is safe. Returns what
 * MPI_Request_toint does; 0: there is no such request, or nobody to tell. */
extern int (*where_mark)(uint64_t request, const void *caller);

/* Once, before the first request, when the library is loaded. */
void where_find_mark(void);

#endif
