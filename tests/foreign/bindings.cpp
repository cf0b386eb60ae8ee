// A program of the C++ bindings, which MPI-3.0 removed, for the compiler commands of other libraries that still have them.
#include <cstdio>
#include <cstring>
#include <mpi.h>

static int failures;

static void expect(bool is_so, const char *what)
{
    if (!is_so)
        std::printf("failed: %s\n", what);
    failures += !is_so;
}

// By reference, so that the tables of virtual functions are in use.
static int sum_of(const MPI::Comm &comm, int value)
{
    int total = -1;

    comm.Allreduce(&value, &total, 1, MPI::INT, MPI::SUM);
    return total;
}

static void messages(int rank, int size)
{
    double out[6] = {0, 1, 2, 3, 4, 5}, in[3] = {-1, -1, -1};
    MPI::Datatype column = MPI::DOUBLE.Create_vector(3, 1, 2);
    MPI::Status status;
    MPI::Request requests[2];
    int right = (rank + 1) % size, left = (rank + size - 1) % size;

    column.Commit();
    requests[0] = MPI::COMM_WORLD.Irecv(in, 3, MPI::DOUBLE, left, MPI::ANY_TAG);
    requests[1] = MPI::COMM_WORLD.Isend(out, 1, column, right, 7);
    MPI::Request::Waitall(2, requests);
    expect(in[0] == 0 && in[1] == 2 && in[2] == 4, "a column arrives");
    MPI::COMM_WORLD.Sendrecv(&rank, 1, MPI::INT, right, 1, &size, 1, MPI::INT, left, 1, status);
    expect(size == left && status.Get_source() == left && status.Get_count(MPI::INT) == 1, "Sendrecv and its status");
    column.Free();
}

static void communicators(int rank, int size)
{
    MPI::Intracomm dup = MPI::COMM_WORLD.Dup(), half = MPI::COMM_WORLD.Split(rank % 2, rank);
    MPI::Group group = half.Get_group();

    expect(sum_of(dup, 1) == size && sum_of(MPI::COMM_WORLD, 1) == size, "sums through references");
    expect(half.Get_size() == group.Get_size() && group.Get_size() == (size + 1 - rank % 2) / 2, "half of the ranks");
    expect(MPI::Comm::Compare(dup, MPI::COMM_WORLD) == MPI::CONGRUENT, "a duplicate is congruent");
    group.Free();
    half.Free();
    dup.Free();
    expect(dup == MPI::COMM_NULL, "a freed one is null");
}

int main(int argc, char **argv)
{
    MPI::Init(argc, argv);
    int rank = MPI::COMM_WORLD.Get_rank(), size = MPI::COMM_WORLD.Get_size(), length = 0;
    char name[MPI::MAX_PROCESSOR_NAME];

    messages(rank, size);
    communicators(rank, size);
    MPI::Get_processor_name(name, length);
    expect(length == (int)std::strlen(name) && MPI::Wtime() >= 0 && MPI::Is_initialized(), "the environment");
    if (rank == 0)
        std::printf("bindings: %s\n", failures ? "failed" : "all well");
    MPI::Finalize();
    return failures != 0;
}
