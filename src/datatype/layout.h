/* layout: where the bytes of one item lie in memory, in the order in which they go into a message.
 *
 * A run is a stretch of adjacent bytes. A piece is a strided loop (struct loop): it repeats a run, or another
 * layout (its body), `count` times, `stride` bytes apart. A layout is a list of pieces.
 *
 * layout_add merges pieces as it adds them. Adjacent runs become one run. Equal pieces at equal distances
 * become one loop. A loop over a loop becomes one loop where the strides fit. Each level of nesting that
 * remains at least doubles the data, so layouts nest at most 62 deep, however deep the type nests.
 *
 * There are two forms. The plain form knows only bytes. The typed form also knows the predefined type of the
 * values in each run (`basic`) and merges only runs of the same type. It is used where values are counted
 * (MPI_Get_elements, external32).
 *
 * A layout is constant once the datatype that builds it is. Layouts are shared by reference count.
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
    MPI_Count at;                 /* displacement of the first repetition, bytes */
    MPI_Count before;             /* bytes of data in the pieces before this one */
    MPI_Count count, stride;      /* count > 0 */
    MPI_Count bytes;              /* of data in one repetition; > 0 */
    struct layout *body;          /* referenced; NULL: a run of bytes */
    const struct datatype *basic; /* typed form, runs only: the type of the values, itself predefined */
};

struct layout {
    _Atomic int refs;
    bool is_plain;      /* drops `basic` of what is added, so that runs of different types merge */
    MPI_Count bytes;    /* of data */
    MPI_Count elements; /* typed form: values of predefined type */
    size_t pieces, room;
    struct loop *piece;
    size_t places;
    int32_t *place; /* NULL unless all pieces are scattered runs of one length: where each run begins,
                     * relative to the first. Faster to read than many short loops */
};

/* An empty layout with one reference; NULL: no memory. */
struct layout *layout_new(void);
void layout_ref(struct layout *layout);
void layout_unref(struct layout *layout); /* NULL is fine */

/* Appends a run. The caller has checked that no displacement overflows. MPI_ERR_NO_MEM. */
int layout_add_run(struct layout *layout, MPI_Count at, MPI_Count bytes, const struct datatype *basic);
/* Appends `count` copies of body, `stride` bytes apart. The same rules apply. */
int layout_add(struct layout *layout, MPI_Count at, MPI_Count count, MPI_Count stride, struct layout *body);

/* Merges what could not be merged earlier. Nothing is added afterwards. */
void layout_close(struct layout *layout);

/* The least number of items, `extent` bytes apart, among which two entries share a byte; INT64_MAX: none do.
 * Some overlaps are not found. Runs are not compared one by one if there are more than 65,536 (unless they
 * run upwards in memory or are one loop), if memory is out, or if it takes too long. Then an overlap is found
 * only if the data is larger than the memory that it lies in. */
MPI_Count layout_overlaps_from(const struct layout *layout, MPI_Count extent, MPI_Count true_extent);

/* The loop over any number of items of a layout, merged as far as possible. It takes no reference to the layout. */
struct loop layout_items(struct layout *layout, MPI_Count extent);

/* The index of the last piece that begins at or before this byte of the data. */
size_t layout_piece_of(const struct layout *l, MPI_Count byte);

/* Bytes of the first run. */
MPI_Count layout_first_run(const struct loop *loop);

/* Copies the bytes [from, from + bytes) of the data of `loop` between the memory at base and `packed`. */
void layout_pack(const struct loop *loop, const void *base, MPI_Count from, void *packed, MPI_Count bytes);
void layout_unpack(const struct loop *loop, void *base, MPI_Count from, const void *packed, MPI_Count bytes);
/* Copies from byte `at` of the data on, of at most `bytes` bytes, between memories of the host that do not overlap. Returns
 * how many: whole items that are alike on both sides, or runs that begin there. 0: they are too short to be looked for. */
MPI_Count layout_copy(const struct loop *to_loop, void *to, const struct loop *from_loop, const void *from,
                      MPI_Count at, MPI_Count bytes);
/* Packs and unpacks in memory that only a device can access, run by run. `packed` is in the host's memory. */
int layout_pack_device(const struct loop *loop, const struct device *device, const void *base, MPI_Count from,
                       void *packed, MPI_Count bytes);
int layout_unpack_device(const struct loop *loop, const struct device *device, void *base, MPI_Count from,
                         const void *packed, MPI_Count bytes);

/* Runs of equal length, `stride` bytes apart in memory, whose data are consecutive in the message. */
struct runs {
    char *at; /* the first run */
    MPI_Count bytes, count, stride;
};

/* The runs that begin at byte `from` of the data of `loop`, in the memory at base. If `from` is inside a run,
 * the rest of that run is one run. More equal runs may follow. */
struct runs layout_runs(const struct loop *loop, const void *base, MPI_Count from);

/* Values of predefined type in the first `bytes` bytes of a typed layout; MPI_UNDEFINED when one is cut. */
MPI_Count layout_elements(const struct layout *typed, MPI_Count bytes);
/* The reverse: the bytes of the first `elements` values. */
MPI_Count layout_bytes(const struct layout *typed, MPI_Count elements);

/* The address `displacement` bytes from base, which may be MPI_BOTTOM. */
static inline char *layout_at(const void *base, MPI_Count displacement)
{
    return (char *)((uintptr_t)base + (uintptr_t)displacement);
}

#endif
