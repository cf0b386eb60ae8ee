# Settings that take the algorithms of `inkling coll` in turn, each of them in some way; WAY_x for each x of WAYS.
set(WAYS star tree dissemination doubling linear hosts mailbox single_copy mailbox_tree)
set(WAY_star INKLING_BARRIER=star INKLING_BCAST=scatter INKLING_REDUCE=star INKLING_ALLREDUCE=star INKLING_ALLGATHER=star
             INKLING_ALLTOALL=bruck INKLING_REDUCE_SCATTER=tree INKLING_GATHER=star INKLING_SCATTER=star INKLING_SCAN=pipeline)
set(WAY_tree INKLING_BARRIER=tree INKLING_BCAST=pipeline INKLING_REDUCE=pieces INKLING_ALLREDUCE=tree
             INKLING_ALLGATHER=bruck INKLING_ALLTOALL=pairwise INKLING_REDUCE_SCATTER=pairwise INKLING_GATHER=tree INKLING_SCATTER=tree
             INKLING_SCAN=doubling)
set(WAY_dissemination INKLING_BARRIER=dissemination INKLING_BCAST=tree INKLING_REDUCE=tree INKLING_ALLREDUCE=pieces
             INKLING_ALLGATHER=neighbour INKLING_REDUCE_SCATTER=linear)
set(WAY_doubling INKLING_ALLREDUCE=doubling INKLING_ALLGATHER=ring INKLING_REDUCE_SCATTER=bruck STRICT_ORDER=true)
set(WAY_linear INKLING_ALLGATHER=linear INKLING_HOST_RANKS=3 INKLING_REPRODUCIBLE_REDUCTIONS=true)
# Two levels, also where mailboxes would do.
set(WAY_hosts INKLING_HOST_RANKS=2 INKLING_BARRIER=hosts INKLING_BCAST=hosts INKLING_REDUCE=hosts INKLING_ALLREDUCE=hosts
              INKLING_ALLGATHER=hosts INKLING_ALLTOALL=hosts INKLING_REDUCE_SCATTER=hosts INKLING_GATHER=hosts INKLING_SCATTER=hosts
              INKLING_SCAN=hosts)
# Mailboxes wherever they are possible.
set(WAY_mailbox INKLING_BARRIER=mailbox INKLING_BCAST=mailbox INKLING_REDUCE=mailbox INKLING_ALLREDUCE=mailbox INKLING_ALLGATHER=mailbox
              INKLING_ALLTOALL=mailbox INKLING_REDUCE_SCATTER=mailbox INKLING_GATHER=mailbox INKLING_SCATTER=mailbox INKLING_SCAN=mailbox
              STRICT_ORDER=true)
# In the ranks' buffers wherever that is possible.
set(WAY_single_copy INKLING_BCAST=single_copy INKLING_REDUCE=single_copy INKLING_ALLREDUCE=single_copy INKLING_ALLGATHER=single_copy
              INKLING_ALLTOALL=single_copy INKLING_REDUCE_SCATTER=single_copy STRICT_ORDER=true)
# Trees of mailboxes, on a machine of three levels.
set(WAY_mailbox_tree INKLING_BARRIER=mailbox_tree INKLING_BCAST=mailbox_tree INKLING_REDUCE=mailbox_tree INKLING_ALLREDUCE=mailbox_tree
              INKLING_REDUCE_SCATTER=mailbox_tree INKLING_ALLGATHER=mailbox_tree INKLING_GATHER=mailbox_tree
              INKLING_SCATTER=mailbox_tree INKLING_SCAN=mailbox_tree INKLING_TOPOLOGY=2x2x2)
