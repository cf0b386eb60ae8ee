/* ranks: 1  not: address  not: thread */
/* Memory is out for windows, their epochs and their operations. */
#include "no_memory.h"

static MPI_Win made[CROWD], plain, dynamic;
static MPI_Group self_group;
static MPI_Datatype spaced; /* two integers with a gap */
static int cell[4 * CROWD];

/* The step has made its i-th. */
static int note(int code, int i)
{
    if (!code)
        number[i] = i + 1;
    return code;
}

static int create(int i)
{
    return note(TRY(MPI_Win_create(&cell[i], sizeof *cell, sizeof *cell, some_info, MPI_COMM_SELF, &made[i])),
                i);
}

static int allocate(int i)
{
    return note(TRY(MPI_Win_allocate(64, 1, some_info, MPI_COMM_SELF, &memory[i], &made[i])), i);
}

static int allocate_shared(int i)
{
    return note(TRY(MPI_Win_allocate_shared(64, 1, some_info, MPI_COMM_SELF, &memory[i], &made[i])), i);
}

static int create_dynamic(int i)
{
    return note(TRY(MPI_Win_create_dynamic(some_info, MPI_COMM_SELF, &made[i])), i);
}

static int drop_window(int i)
{
    return MPI_Win_free(&made[i]);
}

static int attach(int i)
{
    return note(TRY(MPI_Win_attach(dynamic, &cell[4 * i], sizeof *cell)), i);
}

static int detach(int i)
{
    return MPI_Win_detach(dynamic, &cell[4 * i]);
}

static int is_over(int i)
{
    (void)i;
    return MPI_SUCCESS;
}

static int post(int i)
{
    int code = TRY(MPI_Win_post(self_group, 0, plain));

    if (code)
        return code;
    CHECK_EQ(MPI_Win_start(self_group, 0, plain), MPI_SUCCESS);
    CHECK_EQ(MPI_Win_complete(plain), MPI_SUCCESS);
    CHECK_EQ(MPI_Win_wait(plain), MPI_SUCCESS);
    return note(code, i);
}

static int start(int i)
{
    int code;

    CHECK_EQ(MPI_Win_post(self_group, 0, plain), MPI_SUCCESS);
    code = TRY(MPI_Win_start(self_group, 0, plain));
    if (code)
        CHECK_EQ(MPI_Win_start(self_group, 0, plain), MPI_SUCCESS);
    CHECK_EQ(MPI_Win_complete(plain), MPI_SUCCESS);
    CHECK_EQ(MPI_Win_wait(plain), MPI_SUCCESS);
    return note(code, i);
}

static int lock(int i)
{
    int code = TRY(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, plain));

    if (!code)
        CHECK_EQ(MPI_Win_unlock(0, plain), MPI_SUCCESS);
    return note(code, i);
}

static int lock_all(int i)
{
    int code = TRY(MPI_Win_lock_all(0, plain));

    if (!code)
        CHECK_EQ(MPI_Win_unlock_all(plain), MPI_SUCCESS);
    return note(code, i);
}

/* Operations, in an epoch of their own. */
static int in_epoch(int (*operation)(int i), int i)
{
    int code;

    CHECK_EQ(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, plain), MPI_SUCCESS);
    code = operation(i);
    CHECK_EQ(MPI_Win_unlock(0, plain), MPI_SUCCESS);
    return note(code, i);
}

static int put_it(int i)
{
    return TRY(MPI_Put(ones, 2, MPI_INT, 0, i, 1, spaced, plain));
}

static int put(int i)
{
    return in_epoch(put_it, i);
}

static int get_it(int i)
{
    return TRY(MPI_Get(value, 1, spaced, 0, i, 2, MPI_INT, plain));
}

static int get(int i)
{
    return in_epoch(get_it, i);
}

static int accumulate_it(int i)
{
    return TRY(MPI_Accumulate(ones, 2, MPI_INT, 0, i, 1, spaced, MPI_SUM, plain));
}

static int accumulate(int i)
{
    return in_epoch(accumulate_it, i);
}

static int get_accumulate_it(int i)
{
    return TRY(MPI_Get_accumulate(ones, 2, MPI_INT, value, 1, spaced, 0, i, 1, spaced, MPI_SUM, plain));
}

static int get_accumulate(int i)
{
    return in_epoch(get_accumulate_it, i);
}

static int begin_rput(int i)
{
    CHECK_EQ(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, plain), MPI_SUCCESS);
    int code = TRY(MPI_Rput(ones, 1, MPI_INT, 0, i, 1, MPI_INT, plain, &request[i]));

    CHECK_EQ(MPI_Win_unlock(0, plain), MPI_SUCCESS);
    return code;
}

static int begin_rget_accumulate(int i)
{
    CHECK_EQ(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, plain), MPI_SUCCESS);
    int code = TRY(MPI_Rget_accumulate(zeros, 1, MPI_INT, value, 1, MPI_INT, 0, i, 1, MPI_INT, MPI_SUM, plain,
                                       &request[i]));

    CHECK_EQ(MPI_Win_unlock(0, plain), MPI_SUCCESS);
    return code;
}

static int wait_for_it(int i)
{
    return MPI_Wait(&request[i], MPI_STATUS_IGNORE);
}

static int get_info(int i)
{
    return TRY(MPI_Win_get_info(plain, &info[i]));
}

static int drop_info(int i)
{
    return MPI_Info_free(&info[i]);
}

static int get_group(int i)
{
    return TRY(MPI_Win_get_group(plain, &group[i]));
}

static int drop_group(int i)
{
    return MPI_Group_free(&group[i]);
}

static const struct step steps[] = {
    {"MPI_Win_create", create, drop_window},
    {"MPI_Win_allocate", allocate, drop_window},
    {"MPI_Win_allocate_shared", allocate_shared, drop_window},
    {"MPI_Win_create_dynamic", create_dynamic, drop_window},
    {"MPI_Win_attach", attach, detach},
    {"MPI_Win_post", post, is_over},
    {"MPI_Win_start", start, is_over},
    {"MPI_Win_lock", lock, is_over},
    {"MPI_Win_lock_all", lock_all, is_over},
    {"MPI_Put", put, is_over},
    {"MPI_Get", get, is_over},
    {"MPI_Accumulate", accumulate, is_over},
    {"MPI_Get_accumulate", get_accumulate, is_over},
    {"MPI_Rput", begin_rput, wait_for_it},
    {"MPI_Rget_accumulate", begin_rget_accumulate, wait_for_it},
    {"MPI_Win_get_info", get_info, drop_info},
    {"MPI_Win_get_group", get_group, drop_group},
};

int main(void)
{
    begin_steps();
    MPI_Comm_group(MPI_COMM_SELF, &self_group);
    MPI_Type_vector(2, 1, 2, MPI_INT, &spaced);
    MPI_Type_commit(&spaced);
    MPI_Win_create(cell, sizeof cell, sizeof *cell, MPI_INFO_NULL, MPI_COMM_SELF, &plain);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_SELF, &dynamic);
    MPI_Win_set_errhandler(plain, MPI_ERRORS_RETURN);
    MPI_Win_set_errhandler(dynamic, MPI_ERRORS_RETURN);
    take_steps(steps, sizeof steps / sizeof *steps);
    MPI_Win_free(&dynamic);
    MPI_Win_free(&plain);
    MPI_Type_free(&spaced);
    MPI_Group_free(&self_group);
    end_steps();
    return 0;
}
