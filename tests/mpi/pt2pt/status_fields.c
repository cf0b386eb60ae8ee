/* ranks: 1 */
/* MPI_Status: its accessors, counts and elements, as set and as read; it survives being copied anywhere. */
#include "check.h"

static void fields(void)
{
    MPI_Status status;
    int value = 0;

    memset(&status, 0, sizeof status);
    CHECK_EQ(MPI_Status_set_source(&status, -7), MPI_SUCCESS);
    CHECK_EQ(MPI_Status_set_tag(&status, 123456), MPI_SUCCESS);
    CHECK_EQ(MPI_Status_set_error(&status, MPI_ERR_TRUNCATE), MPI_SUCCESS);
    CHECK(status.MPI_SOURCE == -7 && status.MPI_TAG == 123456 && status.MPI_ERROR == MPI_ERR_TRUNCATE);
    CHECK_EQ(MPI_Status_get_source(&status, &value), MPI_SUCCESS);
    CHECK_EQ(value, -7);
    CHECK_EQ(MPI_Status_get_tag(&status, &value), MPI_SUCCESS);
    CHECK_EQ(value, 123456);
    CHECK_EQ(MPI_Status_get_error(&status, &value), MPI_SUCCESS);
    CHECK_EQ(value, MPI_ERR_TRUNCATE);
    for (int any = -3; any < 0; any++) { /* any int, such as MPI_ANY_TAG */
        CHECK_EQ(MPI_Status_set_source(&status, any), MPI_SUCCESS);
        CHECK_EQ(MPI_Status_set_tag(&status, any), MPI_SUCCESS);
        CHECK_EQ(MPI_Status_set_error(&status, any), MPI_SUCCESS);
        CHECK(status.MPI_SOURCE == any && status.MPI_TAG == any && status.MPI_ERROR == any);
    }
    CHECK_EQ(MPI_Status_get_tag(MPI_STATUS_IGNORE, &value), MPI_ERR_ARG);
    CHECK_EQ(MPI_Status_set_tag(MPI_STATUS_IGNORE, value), MPI_ERR_ARG);
}

static void zeroed_is_empty(void)
{
    MPI_Status status;
    int count = -1, flag = -1;

    memset(&status, 0, sizeof status);
    CHECK_EQ(MPI_Get_count(&status, MPI_DOUBLE, &count), MPI_SUCCESS);
    CHECK_EQ(count, 0);
    CHECK_EQ(MPI_Test_cancelled(&status, &flag), MPI_SUCCESS);
    CHECK_EQ(flag, 0);
    CHECK_EQ(MPI_Status_set_cancelled(&status, 1), MPI_SUCCESS);
    CHECK_EQ(MPI_Test_cancelled(&status, &flag), MPI_SUCCESS);
    CHECK_EQ(flag, 1);
}

static void counts(void)
{
    _Alignas(8) char odd[4 + 2 * sizeof(MPI_Status)];
    MPI_Status status, *moved = (MPI_Status *)(void *)(odd + 4);
    MPI_Count large = 0;
    MPI_Datatype five;
    int count = 0;

    memset(&status, 0, sizeof status);
    MPI_Type_contiguous(5, MPI_INT, &five);
    CHECK_EQ(MPI_Status_set_elements(&status, MPI_INT, 15), MPI_SUCCESS);
    CHECK_EQ(MPI_Get_count(&status, five, &count), MPI_SUCCESS);
    CHECK_EQ(count, 3);
    CHECK_EQ(MPI_Status_set_elements(&status, five, 12), MPI_SUCCESS);
    CHECK_EQ(MPI_Get_count(&status, five, &count), MPI_SUCCESS);
    CHECK_EQ(count, MPI_UNDEFINED);
    CHECK_EQ(MPI_Get_elements(&status, five, &count), MPI_SUCCESS);
    CHECK_EQ(count, 12);
    CHECK_EQ(MPI_Status_set_elements_c(&status, MPI_INT, (MPI_Count)1 << 40), MPI_SUCCESS);
    memcpy(moved, &status, sizeof status);
    CHECK_EQ(MPI_Get_elements_c(moved, MPI_INT, &large), MPI_SUCCESS);
    CHECK_EQ(large, (MPI_Count)1 << 40);
    CHECK_EQ(MPI_Get_count_c(moved, MPI_INT, &large), MPI_SUCCESS);
    CHECK_EQ(large, (MPI_Count)1 << 40);
    CHECK_EQ(MPI_Get_count(moved, MPI_INT, &count), MPI_SUCCESS);
    CHECK_EQ(count, MPI_UNDEFINED);
    CHECK_EQ(MPI_Status_set_elements(&status, MPI_INT, -1), MPI_ERR_COUNT);
    CHECK_EQ(MPI_Status_set_elements_c(&status, MPI_INT, INT64_MAX), MPI_ERR_COUNT);
    MPI_Type_free(&five);
}

/* Each of these sets one field. */
static void others_stay(void)
{
    MPI_Status status;
    int value = 0;

    memset(&status, 0, sizeof status);
    MPI_Status_set_source(&status, 7);
    MPI_Status_set_tag(&status, 8);
    MPI_Status_set_error(&status, MPI_ERR_TRUNCATE);
    MPI_Status_set_cancelled(&status, 1);
    CHECK_EQ(MPI_Status_set_elements(&status, MPI_INT, 9), MPI_SUCCESS);
    CHECK(status.MPI_SOURCE == 7 && status.MPI_TAG == 8 && status.MPI_ERROR == MPI_ERR_TRUNCATE);
    MPI_Test_cancelled(&status, &value);
    CHECK_EQ(value, 1);
    CHECK_EQ(MPI_Status_set_cancelled(&status, 0), MPI_SUCCESS);
    CHECK(status.MPI_SOURCE == 7 && status.MPI_TAG == 8 && status.MPI_ERROR == MPI_ERR_TRUNCATE);
    MPI_Get_elements(&status, MPI_INT, &value);
    CHECK_EQ(value, 9);
}

static void pairs(void)
{
    MPI_Status status;
    int count = 0;

    memset(&status, 0, sizeof status);
    for (int elements = 0; elements < 7; elements++) {
        CHECK_EQ(MPI_Status_set_elements(&status, MPI_DOUBLE_INT, elements), MPI_SUCCESS);
        CHECK_EQ(MPI_Get_elements(&status, MPI_DOUBLE_INT, &count), MPI_SUCCESS);
        CHECK_EQ(count, elements);
        CHECK_EQ(MPI_Get_count(&status, MPI_DOUBLE_INT, &count), MPI_SUCCESS);
        CHECK_EQ(count, elements % 2 ? MPI_UNDEFINED : elements / 2);
    }
}

int main(void)
{
    MPI_Init(NULL, NULL);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    fields();
    zeroed_is_empty();
    counts();
    others_stay();
    pairs();
    MPI_Finalize();
    return 0;
}
