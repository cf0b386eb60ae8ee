/* ranks: 1 2 */
/* Versions, names, clocks and the ABI's inquiries; what may be called at any time is, before and after MPI.
 */
#include "check.h"

#include <unistd.h>

static void versions(void)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int version, subversion, length;

    CHECK_EQ(MPI_Get_version(&version, &subversion), MPI_SUCCESS);
    CHECK_EQ(version * 100 + subversion, MPI_VERSION * 100 + MPI_SUBVERSION);
    CHECK_EQ(MPI_Abi_get_version(&version, &subversion), MPI_SUCCESS);
    CHECK_EQ(version * 100 + subversion, 100);
    CHECK_EQ(MPI_Get_library_version(text, &length), MPI_SUCCESS);
    CHECK_EQ(strlen(text), length);
    CHECK(strncmp(text, "Inkling ", 8) == 0);
}

static void check_key(MPI_Info info, const char *key, const char *wanted)
{
    char value[MPI_MAX_INFO_VAL];
    int size = sizeof value, found = 0;

    CHECK_EQ(MPI_Info_get_string(info, key, &size, value, &found), MPI_SUCCESS);
    CHECK(found);
    CHECK_STR(value, wanted);
}

static void abi_info(void)
{
    MPI_Info info;

    CHECK_EQ(MPI_Abi_get_info(&info), MPI_SUCCESS);
    check_key(info, "mpi_aint_size", "8");
    check_key(info, "mpi_count_size", "8");
    check_key(info, "mpi_offset_size", "8");
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    CHECK_EQ(MPI_Abi_get_fortran_info(&info), MPI_SUCCESS);
    check_key(info, "mpi_integer_size", "4");
    check_key(info, "mpi_double_precision_size", "8");
    check_key(info, "mpi_real_size", "4");
    check_key(info, "mpi_logical_size", "4");
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    CHECK_EQ(info, MPI_INFO_NULL);
}

static void fortran_types_are_told(void)
{
    static const struct {
        const char *key;
        MPI_Datatype type;
    } row[] = {
        {"mpi_logical1_supported", MPI_LOGICAL1},
        {"mpi_logical2_supported", MPI_LOGICAL2},
        {"mpi_logical4_supported", MPI_LOGICAL4},
        {"mpi_logical8_supported", MPI_LOGICAL8},
        {"mpi_logical16_supported", MPI_LOGICAL16},
        {"mpi_integer1_supported", MPI_INTEGER1},
        {"mpi_integer2_supported", MPI_INTEGER2},
        {"mpi_integer4_supported", MPI_INTEGER4},
        {"mpi_integer8_supported", MPI_INTEGER8},
        {"mpi_integer16_supported", MPI_INTEGER16},
        {"mpi_real2_supported", MPI_REAL2},
        {"mpi_real4_supported", MPI_REAL4},
        {"mpi_real8_supported", MPI_REAL8},
        {"mpi_real16_supported", MPI_REAL16},
        {"mpi_complex4_supported", MPI_COMPLEX4},
        {"mpi_complex8_supported", MPI_COMPLEX8},
        {"mpi_complex16_supported", MPI_COMPLEX16},
        {"mpi_complex32_supported", MPI_COMPLEX32},
        {"mpi_double_complex_supported", MPI_DOUBLE_COMPLEX},
    };
    MPI_Info info;

    CHECK_EQ(MPI_Abi_get_fortran_info(&info), MPI_SUCCESS);
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        int size;

        CHECK_EQ(MPI_Type_size(row[i].type, &size), MPI_SUCCESS);
        check_key(info, row[i].key, size == MPI_UNDEFINED ? "false" : "true");
    }
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
}

static void fortran_is_known(void)
{
    MPI_Info info;
    int yes = 7, no = 7, is_set = 0;

    CHECK_EQ(MPI_Abi_get_fortran_booleans(4, &yes, &no, &is_set), MPI_SUCCESS);
    CHECK(is_set && yes == 1 && no == 0);
    CHECK_EQ(MPI_Abi_set_fortran_booleans(4, &yes, &no), MPI_ERR_ABI);
    CHECK_EQ(MPI_Abi_get_fortran_booleans(3, &yes, &no, &is_set), MPI_ERR_ARG);
    CHECK_EQ(MPI_Abi_get_fortran_info(&info), MPI_SUCCESS);
    CHECK_EQ(MPI_Abi_set_fortran_info(info), MPI_ERR_ABI);
    MPI_Info_free(&info);
}

static void names_and_clocks(void)
{
    char name[MPI_MAX_PROCESSOR_NAME], host[MPI_MAX_PROCESSOR_NAME] = "";
    double start = MPI_Wtime(), now = start;
    int length;

    CHECK_EQ(MPI_Get_processor_name(name, &length), MPI_SUCCESS);
    CHECK_EQ(strlen(name), length);
    gethostname(host, sizeof host - 1);
    CHECK_STR(name, host);
    CHECK(MPI_Wtick() > 0 && MPI_Wtick() < 1);
    for (int i = 0; i < 1000; i++) {
        double later = MPI_Wtime();

        CHECK(later >= now);
        now = later;
    }
    usleep(2000);
    CHECK(MPI_Wtime() - start >= 0.002 && MPI_Wtime() - start < 10);
    CHECK_EQ(MPI_Pcontrol(1), MPI_SUCCESS);
}

static void addresses(void)
{
    char memory[100] = "";
    MPI_Aint first, last;

    CHECK_EQ(MPI_Get_address(memory, &first), MPI_SUCCESS);
    CHECK_EQ(MPI_Get_address(memory + 99, &last), MPI_SUCCESS);
    CHECK_EQ(MPI_Aint_diff(last, first), 99);
    CHECK_EQ(MPI_Aint_add(first, 99), last);
    CHECK_EQ(MPI_Get_address(memory, NULL), MPI_ERR_ARG);
}

int main(void)
{
    versions();
    abi_info();
    MPI_Init(NULL, NULL);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    versions();
    abi_info();
    fortran_is_known();
    fortran_types_are_told();
    names_and_clocks();
    addresses();
    MPI_Finalize();
    versions();
    abi_info();
    return 0;
}
