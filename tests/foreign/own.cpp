// A program of the C++ bindings with functions of its own: reductions, attributes, error handlers and exceptions, generalized requests,
// data representations. For the compiler commands of other libraries that still have the bindings. An argument: how many exceptions it throws.
#include <cstdio>
#include <cstring>
#include <malloc.h>
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

static int failures;

static void expect(bool is_so, const char *what)
{
    if (!is_so)
        std::printf("failed: %s\n", what);
    failures += !is_so;
}

// Reductions.

static int reduced;

static void sum(const void *in, void *inout, int length, const MPI::Datatype &type)
{
    reduced += type == MPI::INT && type.Get_size() == (int)sizeof(int);
    for (int i = 0; i < length; i++)
        static_cast<int *>(inout)[i] += static_cast<const int *>(in)[i];
}

// That of the higher rank, so that the order counts.
static void last(const void *, void *, int, const MPI::Datatype &)
{
}

static void reductions(int rank, int size)
{
    int total = -1, one = 1;
    MPI::Op own, ordered;

    own.Init(sum, true);
    ordered.Init(last, false);
    MPI::COMM_WORLD.Allreduce(&one, &total, 1, MPI::INT, own);
    expect(total == size, "a sum of its own");
    MPI::COMM_WORLD.Allreduce(&rank, &total, 1, MPI::INT, ordered);
    expect(total == size - 1, "a reduction that keeps the order");
    MPI::COMM_WORLD.Scan(&one, &total, 1, MPI::INT, own);
    expect(total == rank + 1, "a scan");
    ordered.Free();
    for (int i = 0; i < 600; i++) {
        MPI::Op again;
        again.Init(i % 2 ? sum : last, true);
        total = 1;
        again.Reduce_local(&one, &total, 1, MPI::INT);
        expect(total == 1 + i % 2, "one of many operations");
        again.Free();
    }
    own.Free();
    expect(reduced >= 300, "reductions of ints");
}

// Attributes.

static int copies, deletions;

static int copy_of_comm(const MPI::Comm &comm, int, void *extra, void *in, void *out, bool &flag)
{
    copies += comm.Get_size() == MPI::COMM_WORLD.Get_size() && extra == &copies && dynamic_cast<const MPI::Intracomm *>(&comm);
    *static_cast<void **>(out) = static_cast<char *>(in) + 1;
    flag = true;
    return MPI::SUCCESS;
}

static int deletion_of_comm(MPI::Comm &comm, int, void *value, void *extra)
{
    deletions += value && extra == &copies && comm.Get_rank() == MPI::COMM_WORLD.Get_rank();
    return MPI::SUCCESS;
}

static int copy_of_type(const MPI::Datatype &type, int, void *,
#ifdef MPICH_VERSION
                        void *in,
#else
                        const void *in,
#endif
                        void *out, bool &flag)
{
    copies += type.Get_size() == 8;
    *static_cast<const void **>(out) = in;
    flag = true;
    return MPI::SUCCESS;
}

static int deletion_of_type(MPI::Datatype &, int, void *, void *)
{
    deletions++;
    return MPI::SUCCESS;
}

static int deletion_of_win(MPI::Win &win, int, void *, void *)
{
    deletions += win != MPI::WIN_NULL;
    return MPI::SUCCESS;
}

static int copy_of_win(const MPI::Win &, int, void *, void *, void *, bool &flag)
{
    flag = false;
    return MPI::SUCCESS;
}

static void attributes()
{
    int key = MPI::Comm::Create_keyval(copy_of_comm, deletion_of_comm, &copies), here = 0;
    void *value = 0;
    MPI::Intracomm dup = MPI::COMM_WORLD.Dup(), again;

    dup.Set_attr(key, &here);
    again = dup.Dup();
    expect(again.Get_attr(key, &value) && value == reinterpret_cast<char *>(&here) + 1 && copies == 1, "a copied attribute");
    again.Free();
    dup.Delete_attr(key);
    expect(deletions == 2 && !dup.Get_attr(key, &value), "deleted attributes");
    MPI::Comm::Free_keyval(key);
    key = MPI::Comm::Create_keyval(MPI::Comm::NULL_COPY_FN, MPI::Comm::NULL_DELETE_FN, 0);
    dup.Set_attr(key, &here);
    again = dup.Dup();
    expect(!again.Get_attr(key, &value), "an attribute that is not copied");
    MPI::Comm::Free_keyval(key);
    again.Free();
    dup.Free();
}

static void more_attributes()
{
    int key = MPI::Datatype::Create_keyval(copy_of_type, deletion_of_type, 0), here = 0, memory = 0;
    void *value = 0;
    MPI::Datatype pair = MPI::INT.Create_contiguous(2), same;
    MPI::Win win = MPI::Win::Create(&memory, sizeof memory, 1, MPI::INFO_NULL, MPI::COMM_WORLD);

    copies = deletions = 0;
    pair.Set_attr(key, &here);
    same = pair.Dup();
    expect(same.Get_attr(key, &value) && value == &here && copies == 1, "a copied attribute of a datatype");
    same.Free();
    pair.Free();
    expect(deletions == 2, "deleted attributes of datatypes");
    MPI::Datatype::Free_keyval(key);
    key = MPI::Win::Create_keyval(copy_of_win, deletion_of_win, 0);
    win.Set_attr(key, &here);
    win.Free();
    expect(deletions == 3, "a deleted attribute of a window");
    MPI::Win::Free_keyval(key);
}

// Error handlers.

static int handled;

static void on_comm(MPI::Comm &comm, int *code, ...)
{
    handled += comm.Get_size() == MPI::COMM_WORLD.Get_size() && MPI::Get_error_class(*code) == MPI::ERR_RANK;
}

static void on_win(MPI::Win &win, int *code, ...)
{
    handled += win != MPI::WIN_NULL && MPI::Get_error_class(*code) == MPI::ERR_RANK;
}

static void on_file(MPI::File &file, int *code, ...)
{
    handled += file == MPI::FILE_NULL && MPI::Get_error_class(*code) == MPI::ERR_NO_SUCH_FILE;
}

static bool has_handler(const MPI::Comm &comm, const MPI::Errhandler &handler)
{
    MPI::Errhandler there = comm.Get_errhandler();
    bool is_so = there == handler;

    there.Free();
    return is_so;
}

static void handlers()
{
    MPI::Intracomm dup = MPI::COMM_WORLD.Dup();
    MPI::Errhandler own = MPI::Comm::Create_errhandler(on_comm), of_win = MPI::Win::Create_errhandler(on_win),
                    of_file = MPI::File::Create_errhandler(on_file);
    int memory = 0, size = dup.Get_size();
    MPI::Win win = MPI::Win::Create(&memory, sizeof memory, 1, MPI::INFO_NULL, MPI::COMM_WORLD);

    dup.Set_errhandler(own);
    expect(has_handler(dup, own), "the handler of a communicator");
    dup.Send(&memory, 1, MPI::INT, size, 0);
    expect(handled == 1, "a handler of its own");
    handled = 0;
    dup.Call_errhandler(MPI::ERR_RANK);
    expect(handled == 1, "a handler that is called");
    win.Set_errhandler(of_win);
    handled = 0;
    win.Fence(0);
    win.Put(&memory, 1, MPI::INT, size, 0, 1, MPI::INT);
    expect(handled >= 1, "a handler of a window");
    MPI::FILE_NULL.Set_errhandler(of_file);
    handled = 0;
    MPI::File::Open(MPI::COMM_SELF, "/there/is/no/such/file", MPI::MODE_RDONLY, MPI::INFO_NULL);
    expect(handled >= 1, "a handler of files");
    of_file.Free();
    of_win.Free();
    own.Free();
    win.Free();
    dup.Free();
}

static int class_of_error(MPI::Comm &comm, int peer)
{
    int value = 0;

    try {
        comm.Send(&value, 1, MPI::INT, peer, 0);
    } catch (MPI::Exception &thrown) {
        return std::strlen(thrown.Get_error_string()) ? thrown.Get_error_class() : -1;
    }
    return MPI::SUCCESS;
}

// Of which one is too long for its buffer, among more than are on the stack of any library. The procedure of C, since headers lose what
// they have allocated for theirs; MPICH's throws nothing.
static bool fails_in_waitall(MPI_Comm comm, int rank)
{
    MPI_Request requests[40];
    int in[40], out[2] = {0, 0}, error = MPI_SUCCESS;

    for (int i = 0; i < 40; i++)
        MPI_Irecv(&in[i], 1, MPI_INT, rank, i, comm, &requests[i]);
    for (int i = 0; i < 40; i++)
        MPI_Send(out, i == 39 ? 2 : 1, MPI_INT, rank, i, comm);
    try {
        error = MPI_Waitall(40, requests, MPI_STATUSES_IGNORE);
    } catch (MPI::Exception &thrown) {
        error = thrown.Get_error_code();
    }
    return error != MPI_SUCCESS && requests[0] == MPI_REQUEST_NULL && requests[39] == MPI_REQUEST_NULL;
}

static void exceptions(int times)
{
    MPI::Intracomm dup = MPI::COMM_WORLD.Dup();
    size_t before;

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN); // of Waitall in MPICH
    dup.Set_errhandler(MPI::ERRORS_THROW_EXCEPTIONS);
    expect(has_handler(dup, MPI::ERRORS_THROW_EXCEPTIONS), "the handler that throws");
    expect(class_of_error(dup, dup.Get_size()) == MPI::ERR_RANK, "an exception");
    expect(class_of_error(dup, MPI::PROC_NULL) == MPI::SUCCESS, "no exception");
    expect(fails_in_waitall(dup, dup.Get_rank()), "an error of Waitall");
    before = mallinfo2().uordblks;
    for (int i = 0; i < times; i++)
        expect(class_of_error(dup, dup.Get_size()) == MPI::ERR_RANK && fails_in_waitall(dup, dup.Get_rank()), "one of many exceptions");
    expect(mallinfo2().uordblks < before + 100000, "nothing is lost when exceptions are thrown");
    MPI::FILE_NULL.Set_errhandler(MPI::ERRORS_THROW_EXCEPTIONS);
    try {
        MPI::File::Open(MPI::COMM_SELF, "/there/is/no/such/file", MPI::MODE_RDONLY, MPI::INFO_NULL);
        expect(false, "an exception of files");
    } catch (MPI::Exception &thrown) {
        expect(MPI::Get_error_class(thrown.Get_error_code()) == MPI::ERR_NO_SUCH_FILE, "the code of an exception of files");
    }
    MPI::FILE_NULL.Set_errhandler(MPI::ERRORS_RETURN);
    MPI::COMM_WORLD.Set_errhandler(MPI::ERRORS_ARE_FATAL);
    MPI::COMM_WORLD.Barrier();
    dup.Free();
}

// Generalized requests.

static int freed, cancelled;

static int query(void *extra, MPI::Status &status)
{
    status.Set_elements(MPI::INT, *static_cast<int *>(extra));
    status.Set_cancelled(cancelled > 0);
    status.Set_source(3);
    status.Set_tag(4);
    return MPI::SUCCESS;
}

static int give_up(void *extra)
{
    freed += extra != 0;
    return MPI::SUCCESS;
}

static int cancel(void *extra, bool is_complete)
{
    cancelled += extra && !is_complete;
    return MPI::SUCCESS;
}

static void requests()
{
    int elements = 5;
    MPI::Status status;
    MPI::Grequest request;

    request = request.Start(query, give_up, cancel, &elements); // static, but not with each library

    expect(!request.Test(), "a request of its own is not complete");
    request.Complete();
    request.Wait(status);
    expect(status.Get_elements(MPI::INT) == 5 && status.Get_source() == 3 && status.Get_tag() == 4 && !status.Is_cancelled() && freed == 1,
           "a request of its own");
    request = request.Start(query, give_up, cancel, &elements);
    request.Cancel();
    request.Complete();
    request.Wait(status);
    expect(cancelled == 1 && status.Is_cancelled() && freed == 2, "a cancelled request of its own");
}

// Data representations, of which MPICH's headers have none.

#ifdef MPICH_VERSION
static void representations()
{
}
#else
static void read_negated(void *userbuf, MPI::Datatype &type, int count, void *filebuf, MPI::Offset position, void *extra)
{
    for (int i = 0; i < count && type.Get_size() == 4; i++)
        static_cast<int *>(userbuf)[position + i] = -static_cast<int *>(filebuf)[i];
    *static_cast<int *>(extra) += 1;
}

static void write_negated(void *userbuf, MPI::Datatype &type, int count, void *filebuf, MPI::Offset position, void *extra)
{
    for (int i = 0; i < count && type.Get_size() == 4; i++)
        static_cast<int *>(filebuf)[i] = -static_cast<int *>(userbuf)[position + i];
    *static_cast<int *>(extra) += 1;
}

static void extent_of(const MPI::Datatype &type, MPI::Aint &extent, void *)
{
    MPI::Aint lower;

    type.Get_extent(lower, extent);
}

static void representations()
{
    int calls = 0, out[4] = {1, 2, 3, 4}, in[4] = {0, 0, 0, 0};
    char name[] = "/tmp/inkling-own-XXXXXX";
    MPI::File file;

    MPI::Register_datarep("negated", read_negated, write_negated, extent_of, &calls);
    close(mkstemp(name));
    file = MPI::File::Open(MPI::COMM_SELF, name, MPI::MODE_RDWR | MPI::MODE_CREATE | MPI::MODE_DELETE_ON_CLOSE, MPI::INFO_NULL);
    file.Set_view(0, MPI::INT, MPI::INT, "negated", MPI::INFO_NULL);
    file.Write_at(0, out, 4, MPI::INT);
    file.Read_at(0, in, 4, MPI::INT);
    expect(std::memcmp(in, out, sizeof in) == 0 && calls >= 2, "a data representation of its own");
    file.Set_view(0, MPI::INT, MPI::INT, "native", MPI::INFO_NULL);
    file.Read_at(0, in, 4, MPI::INT);
    expect(in[0] == -1 && in[3] == -4, "what it wrote");
    file.Close();
}
#endif

int main(int argc, char **argv)
{
    MPI::Init(argc, argv);
    int rank = MPI::COMM_WORLD.Get_rank(), size = MPI::COMM_WORLD.Get_size();

    reductions(rank, size);
    attributes();
    more_attributes();
    handlers();
    exceptions(argc > 1 ? atoi(argv[1]) : 1000);
    requests();
    representations();
    if (rank == 0)
        std::printf("own functions: %s\n", failures ? "failed" : "all well");
    MPI::Finalize();
    return failures != 0;
}
