/* ranks: 2 also: INKLING_CMA=false */
/* Many runs at a distance from each other, dense and far apart, more than are copied at once: what is put lies in them
 * alone, and a get finds it. */
#include "win.h"

enum {
    ROOM = 1 << 20,
    MARK = 0x5a
};

static const struct stride {
    int runs, bytes, step;
} strides[] = {{9000, 1, 3},     {5000, 8, 16},  {3000, 33, 40},
               {700, 100, 1024}, {600, 8, 1025}, {300, 3000, 3400}};

/* The put's bytes are of this number. */
static void check_memory(const unsigned char *base, const struct stride *s, int of)
{
    size_t n = 0;

    for (int i = 0; i < ROOM; i++) {
        int is_inside = i / s->step < s->runs && i % s->step < s->bytes;

        CHECK_EQ(base[i], is_inside ? byte_of(of, n) : MARK);
        n += (size_t)is_inside;
    }
}

static void move(const struct window *w, const struct stride *s, int of)
{
    static unsigned char data[ROOM], got[ROOM];
    int to = !rank, bytes = s->runs * s->bytes;
    MPI_Datatype type;

    OK(MPI_Type_vector(s->runs, s->bytes, s->step, MPI_BYTE, &type));
    OK(MPI_Type_commit(&type));
    fill(data, (size_t)bytes, of + rank);
    memset(w->base, MARK, ROOM);
    OK(MPI_Win_fence(0, w->win));
    OK(MPI_Put(data, bytes, MPI_BYTE, to, window_at(w, to, 0), 1, type, w->win));
    OK(MPI_Win_fence(0, w->win));
    check_memory(w->base, s, of + to);
    memset(got, MARK, ROOM);
    OK(MPI_Get(got, bytes, MPI_BYTE, to, window_at(w, to, 0), 1, type, w->win));
    OK(MPI_Win_fence(0, w->win));
    CHECK_EQ(find_wrong(got, (size_t)bytes, of + rank), -1);
    for (int i = bytes; i < ROOM; i++)
        CHECK_EQ(got[i], MARK);
    OK(MPI_Type_free(&type));
}

int main(int argc, char **argv)
{
    struct window w;

    set_up(&argc, &argv);
    for (enum way way = 0; way < WAYS; way++) {
        if (!window_open(&w, way, ROOM, 1, MPI_INFO_NULL, MPI_COMM_WORLD))
            continue;
        for (size_t i = 0; i < sizeof strides / sizeof *strides; i++)
            move(&w, &strides[i], (int)(10 * i));
        window_close(&w);
    }
    MPI_Finalize();
    return 0;
}
