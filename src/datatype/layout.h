/* layout: where the bytes of one item lie, in the order in which they go into a message.
 *
 * A layout is a list of pieces. A piece is a strided loop: `count` times, `stride` bytes apart, either a run
 * of `bytes` bytes or another layout (`body`) of `bytes` bytes of data. layout_add merges as it builds: runs
 * that touch become one, equal pieces at equal distances become a loop, loops of loops that fit become one
 * loop. A level that stays at least doubles the data, so layouts nest at most 62 deep however deep the type
 * does.
 *
 * There are two forms. The plain one knows only bytes. The typed one also knows of each run what predefined
 * type its values have (`basic`), and merges only what is of the same type; it serves where values count
 * (MPI_Get_elements, external32).
 *
 * Layouts are constant once the datatype that builds them is, and shared by reference count.
 */
#ifndef DATATYPE_LAYOUT_H
#define DATATYPE_LAYOUT_H

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct datatype;
struct device;
struct layout;

struct loop {
    MPI_Count at;                 /* displacement of the first, bytes */
    MPI_Count before;             /* bytes of data in the pieces before this one */
    MPI_Count count, stride;      /* count > 0 */
    MPI_Count bytes;              /* of data, each time; > 0 */
    struct layout *body;          /* referenced; NULL: a run of bytes */
    const struct datatype *basic; /* typed form, runs only: the type of the values, itself predefined */
};

struct layout {
    _Atomic int refs;
    bool is_plain;      /* drops `basic` of what is added, so that values of different types merge */
    MPI_Count bytes;    /* of data */
    MPI_Count elements; /* typed form: values of predefined type */
    size_t pieces, room;
    struct loop *piece;
    size_t places;
    int32_t *place; /* NULL, or all pieces are scattered runs of one length: where each run begins, from the
                       first one on; read faster than many short loops */
};

/* Empty, with one reference; NULL: no memory. */
struct layout *layout_new(void);
void layout_ref(struct layout *layout);
void layout_unref(struct layout *layout); /* NULL is fine */

/* Appends a run. The caller has seen to it that no displacement overflows. MPI_ERR_NO_MEM. */
int layout_add_run(struct layout *layout, MPI_Count at, MPI_Count bytes, const struct datatype *basic);
/* Appends `count` copies of body, `stride` bytes apart. Likewise. */
int layout_add(struct layout *layout, MPI_Count at, MPI_Count count, MPI_Count stride, struct layout *body);

/* Merges what could not be merged while it grew; nothing is added afterwards. */
void layout_close(struct layout *layout);

/* The least number of items, `extent` bytes apart, of which two entries share a byte; INT64_MAX: none do.
 * Layouts of more than 65,536 runs, other than such as run upwards in memory or are one loop, are not looked
 * at run by run; nor are others where memory is out, or where that would take long. Of these, what overlaps
 * is found only when there is more data than memory for it. */
MPI_Count layout_overlaps_from(const struct layout *layout, MPI_Count extent, MPI_Count true_extent);

/* The loop over any number of items of a layout, merged as far as it goes. Borrows the layout. */
struct loop layout_items(struct layout *layout, MPI_Count extent);

/* The number of the last piece that begins at or before this byte of the data. */
size_t layout_piece_of(const struct layout *l, MPI_Count byte);

/* Bytes of the first run. */
MPI_Count layout_first_run(const struct loop *loop);

/* Moves the bytes [from, from + bytes) of the data of `loop` between the memory at base and `packed`. */
void layout_pack(const struct loop *loop, const void *base, MPI_Count from, void *packed, MPI_Count bytes);
void layout_unpack(const struct loop *loop, void *base, MPI_Count from, const void *packed, MPI_Count bytes);
/* The same for memory that only a device reaches, run by run; `packed` is the host's. */
int layout_pack_device(const struct loop *loop, const struct device *device, const void *base, MPI_Count from,
                       void *packed, MPI_Count bytes);
int layout_unpack_device(const struct loop *loop, const struct device *device, void *base, MPI_Count from,
                         const void *packed, MPI_Count bytes);

/* Equal runs in memory, one after the other in the data. */
struct runs {
    char *at; /* where the first lies */
    MPI_Count bytes, count, stride;
};

/* Those that begin at byte `from` of the data of `loop`, in the memory at base; a rest of one is one. There
 * may be more equal ones behind them. */
struct runs layout_runs(const struct loop *loop, const void *base, MPI_Count from);

/* Values of predefined type in the first `bytes` bytes of a typed layout; MPI_UNDEFINED when one is cut. */
MPI_Count layout_elements(const struct layout *typed, MPI_Count bytes);
/* The reverse: bytes of the first `elements` values. */
MPI_Count layout_bytes(const struct layout *typed, MPI_Count elements);

/* The memory `displacement` bytes from base, which may be MPI_BOTTOM. */
static inline char *layout_at(const void *base, MPI_Count displacement)
{
    return (char *)((uintptr_t)base + (uintptr_t)displacement);
}

#endif
