/* plain: what the library, its checker and the commands share, with no MPI in it: a static library (CMakeLists.txt) that each of the
 * three links, the library with inlining across files.
 *
 * Nothing here knows a rank, a communicator or a hint. What the user may choose is an argument (port_open) or is given at start
 * (name_place_given). Of mpi.h only the classes of errors are used, and the longest name of a port. Files include nothing but plain's
 * own headers (src/LAYERS). What needs an object of MPI or counts something of the library is in src/base.
 *
 *     fail, log               the error note; lines for people
 *     clock, spelling, json   the time, words that are spelled alike, text as JSON
 *     source_place, python_frame    the line of the program at an address, or of its script
 *     pmi_line, spawn_report  what ranks, spawners and mpiexec send each other
 *     port, port_seal, port_lines, tcp_listener    meeting processes of other jobs
 *     name_directory          published names
 *     host_id, interface, adapter   which host this is, which of its addresses others may use, and its network adapters
 *     where_table             what `inkling where` reads of a process, and where a request was posted
 *     memfd, private, socket, cpu   what Linux has, as this project uses it
 *     keyed_hash, library, privilege    proofs with libcrypto, libraries loaded at run time, programs that may not load them
 *
 * Threads: any may call, unless a header says more.
 *
 * fail: the error note.
 *
 * Every function returns an int MPI error class; 0 is success. The function that first detects an error
 * writes the note:
 *
 *     return fail(MPI_ERR_TAG, "tag %d is above MPI_TAG_UB %d", tag, ub);
 *
 * Callers pass the class on unchanged. The note belongs to the calling thread and stays until the thread's
 * next fail(). The api layer puts it into the message of the error handler, and MPI_Error_string() appends it
 * to the text of its class. Outputs are written only on success.
 */
#ifndef PLAIN_FAIL_H
#define PLAIN_FAIL_H

enum {
    FAIL_NOTE_SIZE = 384
};

/* Records the note and returns error_class. */
int fail(int error_class, const char *format, ...) __attribute__((format(printf, 2, 3), cold));

/* The calling thread's last note ("" if none) and its class (0 if none). */
const char *fail_note(void);
int fail_class(void);

#endif
