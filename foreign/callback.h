/* User functions. C hands a state on to most; there the program's function and its state are kept. Operations and error handlers get
 * none: each distinct function of the program gets a slot, that is, a C function of its own (slots.c, made by gen/), for good. */
#ifndef FOREIGN_CALLBACK_H
#define FOREIGN_CALLBACK_H

#include "foreign/foreign.h"

#include "foreign/cxx/cxx.h"

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

typedef void any_function(void);

/* The functions of a kind that have slots. A slot is written once, before the function that goes with it is handed on. */
struct slots {
    any_function
        *_Atomic at[FOREIGN_SLOTS]; /* written with release by slot_of; read with acquire by function_at */
    bool is_cxx[FOREIGN_SLOTS];     /* written before `at` */
};

/* The function's slot; -1: all are taken. is_cxx: what calls it is cxx_calls. */
int slot_of(struct slots *slots, any_function *function, bool is_cxx);
any_function *function_at(struct slots *slots, int slot);
/* Raises the error of a program whose functions are too many, and returns what the procedure returns. */
int no_slot(void);

/* How the library of C++ bindings calls; NULL: it is not in the process. */
const struct cxx_calls *cxx_calls(void);

#endif
