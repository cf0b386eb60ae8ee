# Settings that take the algorithms of `inkling coll` in turn, each of them in some way; WAY_x for each x of WAYS.
set(WAYS star tree dissemination doubling direct hosts slots reach)
set(WAY_star INKLING_BARRIER=star INKLING_BCAST=scatter INKLING_REDUCE=star INKLING_ALLREDUCE=star INKLING_ALLGATHER=star
             INKLING_ALLTOALL=bruck INKLING_REDUCE_SCATTER=tree INKLING_GATHER=star INKLING_SCATTER=star INKLING_SCAN=pipeline)
set(WAY_tree INKLING_BARRIER=tree INKLING_BCAST=pipeline INKLING_REDUCE=pieces INKLING_ALLREDUCE=tree
             INKLING_ALLGATHER=bruck INKLING_ALLTOALL=pairwise INKLING_REDUCE_SCATTER=pairwise)
set(WAY_dissemination INKLING_BARRIER=dissemination INKLING_BCAST=tree INKLING_REDUCE=tree INKLING_ALLREDUCE=pieces
             INKLING_ALLGATHER=neighbour INKLING_REDUCE_SCATTER=direct)
set(WAY_doubling INKLING_ALLREDUCE=doubling INKLING_ALLGATHER=ring STRICT_ORDER=true)
set(WAY_direct INKLING_ALLGATHER=direct INKLING_HOST_RANKS=3 INKLING_REPRODUCIBLE_REDUCTIONS=true)
# Two levels, also where slots would do.
set(WAY_hosts INKLING_HOST_RANKS=2 INKLING_BARRIER=hosts INKLING_BCAST=hosts INKLING_REDUCE=hosts INKLING_ALLREDUCE=hosts
              INKLING_ALLGATHER=hosts)
# Slots wherever they are possible.
set(WAY_slots INKLING_BARRIER=slots INKLING_BCAST=slots INKLING_REDUCE=slots INKLING_ALLREDUCE=slots INKLING_ALLGATHER=slots
              INKLING_ALLTOALL=slots INKLING_REDUCE_SCATTER=slots INKLING_GATHER=slots INKLING_SCATTER=slots INKLING_SCAN=slots
              STRICT_ORDER=true)
# In the ranks' buffers wherever that is possible.
set(WAY_reach INKLING_BCAST=reach INKLING_REDUCE=reach INKLING_ALLREDUCE=reach INKLING_ALLGATHER=reach
              INKLING_ALLTOALL=reach INKLING_REDUCE_SCATTER=reach STRICT_ORDER=true)
