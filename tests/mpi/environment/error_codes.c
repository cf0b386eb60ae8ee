/* ranks: 1 2 */
/* Error classes, codes and strings: before, between and after; from several threads. */
#include "check.h"

#include <pthread.h>

static void check_string(int code, const char *expected)
{
    char text[MPI_MAX_ERROR_STRING];
    int length = -1;

    CHECK_EQ(MPI_Error_string(code, text, &length), MPI_SUCCESS);
    CHECK_STR(text, expected);
    CHECK_EQ(length, strlen(expected));
}

static void added_class_code_and_strings(void)
{
    int class, code, found;

    CHECK_EQ(MPI_Add_error_class(&class), MPI_SUCCESS);
    CHECK(class > MPI_ERR_LASTCODE);
    CHECK_EQ(MPI_Add_error_code(class, &code), MPI_SUCCESS);
    CHECK(code > MPI_ERR_LASTCODE && code != class);
    check_string(class, "");
    CHECK_EQ(MPI_Add_error_string(class, "my class"), MPI_SUCCESS);
    CHECK_EQ(MPI_Add_error_string(code, "my code"), MPI_SUCCESS);
    check_string(class, "my class");
    check_string(code, "my code");
    CHECK_EQ(MPI_Error_class(code, &found), MPI_SUCCESS);
    CHECK_EQ(found, class);
    CHECK_EQ(MPI_Error_class(class, &found), MPI_SUCCESS);
    CHECK_EQ(found, class);
    CHECK_EQ(MPI_Remove_error_string(code), MPI_SUCCESS);
    CHECK_EQ(MPI_Remove_error_code(code), MPI_SUCCESS);
    CHECK_EQ(MPI_Remove_error_string(class), MPI_SUCCESS);
    CHECK_EQ(MPI_Remove_error_class(class), MPI_SUCCESS);
}

static void predefined_classes(void)
{
    char text[MPI_MAX_ERROR_STRING];
    int found, length;

    for (int class = MPI_SUCCESS; class <= MPI_ERR_ABI; class ++) {
        CHECK_EQ(MPI_Error_class(class, &found), MPI_SUCCESS);
        CHECK_EQ(found, class);
        CHECK_EQ(MPI_Error_string(class, text, &length), MPI_SUCCESS);
        CHECK(length > 10 && length == (int)strlen(text));
        CHECK(strncmp(text, class ? "MPI_ERR_" : "MPI_SUCCESS", 8) == 0);
    }
}

static void *add_and_remove(void *unused)
{
    (void)unused;
    for (int i = 0; i < 200; i++)
        added_class_code_and_strings();
    return NULL;
}

static void any_thread_may(void)
{
    pthread_t thread[4];

    for (int i = 0; i < 4; i++)
        CHECK_EQ(pthread_create(&thread[i], NULL, add_and_remove, NULL), 0);
    for (int i = 0; i < 4; i++)
        CHECK_EQ(pthread_join(thread[i], NULL), 0);
}

static void errors(void)
{
    int class, code, found;

    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    CHECK_EQ(MPI_Add_error_class(&class), MPI_SUCCESS);
    CHECK_EQ(MPI_Add_error_code(class, &code), MPI_SUCCESS);
    CHECK_EQ(MPI_Add_error_string(code, "x"), MPI_SUCCESS);
    CHECK_EQ(MPI_Remove_error_class(class), MPI_ERR_ARG);
    CHECK_EQ(MPI_Remove_error_code(code), MPI_ERR_ARG);
    CHECK_EQ(MPI_Remove_error_string(code), MPI_SUCCESS);
    CHECK_EQ(MPI_Remove_error_string(code), MPI_ERR_ARG);
    CHECK_EQ(MPI_Remove_error_code(code), MPI_SUCCESS);
    CHECK_EQ(MPI_Remove_error_class(class), MPI_SUCCESS);
    CHECK_EQ(MPI_Remove_error_class(class), MPI_ERR_ARG);
    CHECK_EQ(MPI_Remove_error_class(MPI_ERR_RANK), MPI_ERR_ARG);
    CHECK_EQ(MPI_Remove_error_code(0), MPI_ERR_ARG);
    CHECK_EQ(MPI_Add_error_string(MPI_ERR_RANK, "x"), MPI_ERR_ARG);
    CHECK_EQ(MPI_Add_error_code(code, &found), MPI_ERR_ARG);
    CHECK_EQ(MPI_Error_class(code, &found), MPI_ERR_ARG);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
}

/* The text tells what was wrong with the last call of this class. */
static void string_has_the_note_of_the_last_error(void)
{
    char text[MPI_MAX_ERROR_STRING];
    int length, size;

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    CHECK_EQ(MPI_Send(&size, 1, MPI_INT, 54321, 0, MPI_COMM_WORLD), MPI_ERR_RANK);
    CHECK_EQ(MPI_Error_string(MPI_ERR_RANK, text, &length), MPI_SUCCESS);
    CHECK(strstr(text, "54321"));
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

int main(int argc, char **argv)
{
    added_class_code_and_strings();
    predefined_classes();
    MPI_Init(&argc, &argv);
    added_class_code_and_strings();
    predefined_classes();
    any_thread_may();
    errors();
    string_has_the_note_of_the_last_error();
    MPI_Finalize();
    added_class_code_and_strings();
    predefined_classes();
    any_thread_may();
    return 0;
}
