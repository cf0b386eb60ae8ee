/* A few entry points as gen/ makes them; see tests/abi/abi.py. */
static const char call_Send[] = "MPI_Send bnDdtC buf,count,datatype,dest,tag,comm";
int PMPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
    struct datatype *datatype_ = handle_find_datatype(datatype);
    struct comm *comm_ = handle_find_comm(comm);
    int error_;

    if (!comm_ ||
        (check_is_odd_buffer(buf) && count != 0) ||
        count < 0 ||
        !check_is_type(datatype_) ||
        !check_is_dest(dest, comm_) ||
        tag < 0) {
        error_ = call_refuse(call_Send, buf, count, datatype, dest, tag, comm);
        if (error_)
            return error_;
    }
    error_ = p2p_send(buf, count, datatype_, dest, tag, comm_, PLANE_P2P, SEND_STANDARD);
    if (error_)
        return call_raise(error_, call_Send, buf, count, datatype, dest, tag, comm);
    return MPI_SUCCESS;
}
int MPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) __attribute__((weak, alias("PMPI_Send")));

static const char call_Irecv_c[] = "MPI_Irecv_c bNDsTC* buf,count,datatype,source,tag,comm,request";
int PMPI_Irecv_c(void *buf, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request *request)
{
    struct datatype *datatype_ = handle_find_datatype(datatype);
    struct comm *comm_ = handle_find_comm(comm);
    struct request *request_ = NULL;
    int error_;

    if (!comm_ ||
        (check_is_odd_buffer(buf) && count != 0) ||
        count < 0 ||
        !check_is_type(datatype_) ||
        !check_is_source(source, comm_) ||
        (tag < 0 && tag != MPI_ANY_TAG) ||
        !request) {
        error_ = call_refuse(call_Irecv_c, buf, count, datatype, source, tag, comm, request);
        if (error_)
            return error_;
    }
    error_ = p2p_irecv(buf, count, datatype_, source, tag, comm_, PLANE_P2P, &request_);
    if (error_)
        return call_raise(error_, call_Irecv_c, buf, count, datatype, source, tag, comm, request);
    *request = handle_of(request_, MPI_REQUEST_NULL);
    return MPI_SUCCESS;
}
int MPI_Irecv_c(void *buf, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request *request) __attribute__((weak, alias("PMPI_Irecv_c")));

static const char call_Gather[] = "MPI_Gather qnDrnDRC sendbuf,sendcount,sendtype,recvbuf,recvcount,recvtype,root,comm";
int PMPI_Gather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    return call_unsupported(call_Gather, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
}
int MPI_Gather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) __attribute__((weak, alias("PMPI_Gather")));

static const char call_Reduce[] = "MPI_Reduce qrnDORC sendbuf,recvbuf,count,datatype,op,root,comm";
int PMPI_Reduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm)
{
    return call_unsupported(call_Reduce, sendbuf, recvbuf, count, datatype, op, root, comm);
}
int MPI_Reduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm) __attribute__((weak, alias("PMPI_Reduce")));

static const char call_Comm_free[] = "MPI_Comm_free &C comm";
int PMPI_Comm_free(MPI_Comm *comm)
{
    return call_unsupported(call_Comm_free, comm);
}
int MPI_Comm_free(MPI_Comm *comm) __attribute__((weak, alias("PMPI_Comm_free")));

static const char call_Waitall[] = "MPI_Waitall n.. count,array_of_requests,array_of_statuses";
int PMPI_Waitall(int count, MPI_Request array_of_requests[], MPI_Status *array_of_statuses)
{
    int error_;

    if (!check_is_up() ||
        count < 0) {
        error_ = call_refuse(call_Waitall, count, array_of_requests, array_of_statuses);
        if (error_)
            return error_;
    }
    error_ = api_waitall(count, array_of_requests, array_of_statuses);
    if (error_)
        return call_raise(error_, call_Waitall, count, array_of_requests, array_of_statuses);
    return MPI_SUCCESS;
}
int MPI_Waitall(int count, MPI_Request array_of_requests[], MPI_Status *array_of_statuses) __attribute__((weak, alias("PMPI_Waitall")));

static const char call_Get_count[] = "MPI_Get_count *D* status,datatype,count";
int PMPI_Get_count(const MPI_Status *status, MPI_Datatype datatype, int *count)
{
    struct datatype *datatype_ = handle_find_datatype(datatype);
    MPI_Count count_ = 0;
    int error_;

    if (!check_is_up() ||
        !status ||
        !datatype_ ||
        !count) {
        error_ = call_refuse(call_Get_count, status, datatype, count);
        if (error_)
            return error_;
    }
    error_ = api_get_count(status, datatype_, &count_);
    if (error_)
        return call_raise(error_, call_Get_count, status, datatype, count);
    *count = count_ > INT_MAX ? MPI_UNDEFINED : (int)count_;
    return MPI_SUCCESS;
}
int MPI_Get_count(const MPI_Status *status, MPI_Datatype datatype, int *count) __attribute__((weak, alias("PMPI_Get_count")));

static const char call_Type_commit[] = "MPI_Type_commit &D datatype";
int PMPI_Type_commit(MPI_Datatype *datatype)
{
    return call_unsupported(call_Type_commit, datatype);
}
int MPI_Type_commit(MPI_Datatype *datatype) __attribute__((weak, alias("PMPI_Type_commit")));

static const char call_Info_dup[] = "*MPI_Info_dup I* info,newinfo";
int PMPI_Info_dup(MPI_Info info, MPI_Info *newinfo)
{
    return call_unsupported(call_Info_dup, info, newinfo);
}
int MPI_Info_dup(MPI_Info info, MPI_Info *newinfo) __attribute__((weak, alias("PMPI_Info_dup")));

MPI_Comm PMPI_Comm_fromint(int comm)
{
    return (MPI_Comm)(uintptr_t)handle_from_int(comm, OBJECT_COMM);
}
MPI_Comm MPI_Comm_fromint(int comm) __attribute__((weak, alias("PMPI_Comm_fromint")));

static const char call_Win_fence[] = "MPI_Win_fence iW assert,win";
int PMPI_Win_fence(int assert, MPI_Win win)
{
    return call_unsupported(call_Win_fence, assert, win);
}
int MPI_Win_fence(int assert, MPI_Win win) __attribute__((weak, alias("PMPI_Win_fence")));

int PMPI_T_cvar_read(MPI_T_cvar_handle handle, void *buf)
{
    (void)handle;
    (void)buf;
    return MPI_T_ERR_NOT_SUPPORTED;
}
int MPI_T_cvar_read(MPI_T_cvar_handle handle, void *buf) __attribute__((weak, alias("PMPI_T_cvar_read")));
