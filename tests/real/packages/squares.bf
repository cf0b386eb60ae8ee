if (MPI_NODE_ID == 0) {
    fprintf(stdout, "nodes ", MPI_NODE_COUNT, "\n");
    for (n = 1; n < MPI_NODE_COUNT; n += 1) {
        job = "x = " + n + "; x = x * x; return x;";
        MPISend(n, job);
    }
    total = 0;
    for (n = 1; n < MPI_NODE_COUNT; n += 1) {
        MPIReceive(-1, from, answer);
        total += (0 + answer);
    }
    fprintf(stdout, "sum of squares ", total, "\n");
}
