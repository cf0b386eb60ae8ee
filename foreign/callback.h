/* User functions. C hands a state on to most; there the program's function and its state are kept. Operations and error handlers get
 * none: each distinct function of the program gets a slot, that is, a C function of its own (slots.c, made by gen/), for good. */
#ifndef FOREIGN_CALLBACK_H
#define FOREIGN_CALLBACK_H

#include "foreign/foreign.h"

enum {
    FOREIGN_SLOTS = 256 /* distinct functions of a kind */
};

extern void (*const operation_slots[FOREIGN_SLOTS])(void *in, void *inout, int *length, MPI_Datatype *type);
extern void (*const large_operation_slots[FOREIGN_SLOTS])(void *in, void *inout, MPI_Count *length,
                                                          MPI_Datatype *type);
extern void (*const comm_handler_slots[FOREIGN_SLOTS])(MPI_Comm *comm, int *code, ...);
extern void (*const file_handler_slots[FOREIGN_SLOTS])(MPI_File *file, int *code, ...);
extern void (*const win_handler_slots[FOREIGN_SLOTS])(MPI_Win *win, int *code, ...);
extern void (*const session_handler_slots[FOREIGN_SLOTS])(MPI_Session *session, int *code, ...);

void call_operation(int slot, void *in, void *inout, int *length, MPI_Datatype *type);
void call_large_operation(int slot, void *in, void *inout, MPI_Count *length, MPI_Datatype *type);
void call_comm_handler(int slot, MPI_Comm *comm, int *code);
void call_file_handler(int slot, MPI_File *file, int *code);
void call_win_handler(int slot, MPI_Win *win, int *code);
void call_session_handler(int slot, MPI_Session *session, int *code);

#endif
