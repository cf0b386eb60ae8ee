"""A Slurm of this test's own: controller, one daemon per host of hosts.py, and munge, which they trust each other by. All
its files are in a folder that goes with the test."""
import os
import subprocess
import sys
import time

FOLDER = "/run/netns/slurm"  # in the tmpfs of hosts.py
SWITCH = "10.77.0.254"
PATIENCE = 30.0

CONF = f"""ClusterName=test
SlurmctldHost=switch({SWITCH})
AuthType=auth/munge
AuthInfo=socket={FOLDER}/munge.socket
SlurmUser=root
SlurmdUser=root
StateSaveLocation={FOLDER}/state
SlurmdSpoolDir={FOLDER}/spool.%n
SlurmctldPidFile={FOLDER}/slurmctld.pid
SlurmdPidFile={FOLDER}/slurmd.%n.pid
SlurmctldLogFile={FOLDER}/slurmctld.log
SlurmdLogFile={FOLDER}/slurmd.%n.log
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SwitchType=switch/none
SelectType=select/linear
SchedulerType=sched/backfill
ReturnToService=2
KillWait=2
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=FORCE
"""


def write(name, text, mode=0o644):
    with open(f"{FOLDER}/{name}", "w", encoding="ascii") as file:
        file.write(text)
    os.chmod(f"{FOLDER}/{name}", mode)


def wait_for(what, condition):
    deadline = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > deadline:
            subprocess.run(f"tail -n 20 {FOLDER}/*.log {FOLDER}/*.out", shell=True, check=False)
            print(f"slurm.py: {what} after {PATIENCE:g} s")
            sys.exit(1)
        time.sleep(0.05)


def start(script, count):
    """Starts it on hosts 1 to count; `script` starts a command on one of them."""
    os.makedirs(f"{FOLDER}/state")
    os.mkdir(f"{FOLDER}/tmp")
    nodes = "".join(f"NodeName=host{n} NodeAddr=10.77.0.{n} CPUs=2 State=UNKNOWN\n" for n in range(1, count + 1))
    write("slurm.conf", CONF + nodes)
    write("cgroup.conf", "CgroupPlugin=cgroup/v1\n")  # the one that asks for nothing when it is not used
    write("mpi.conf", f"PMIxCliTmpDirBase={FOLDER}/tmp\n")
    write("munge.key", os.urandom(64).hex(), 0o600)
    os.environ["SLURM_CONF"] = f"{FOLDER}/slurm.conf"
    munge = [f"--{what}={FOLDER}/munge.{file}" for what, file in
             (("key-file", "key"), ("socket", "socket"), ("pid-file", "pid"), ("log-file", "log"),
              ("seed-file", "seed"))]
    launch("munged", "munged", "--foreground", "--force", *munge)
    wait_for("munged has no socket", lambda: os.path.exists(f"{FOLDER}/munge.socket"))
    launch("slurmctld", "slurmctld", "-D")
    for n in range(1, count + 1):
        os.mkdir(f"{FOLDER}/spool.host{n}")
        # What a node has for itself: PMIx's folder.
        launch(f"slurmd{n}", script, f"host{n}",
               f"exec unshare --mount sh -c 'mount -t tmpfs none {FOLDER}/tmp; exec slurmd -D'")
    wait_for("not all nodes are idle", lambda: idle() == count)


def launch(name, *command):
    with open(f"{FOLDER}/{name}.out", "w", encoding="ascii") as out:
        subprocess.Popen(command, stdout=out, stderr=out, stdin=subprocess.DEVNULL)


def idle():
    said = subprocess.run(["sinfo", "-h", "-N", "-o", "%t"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          check=False)
    return said.stdout.split().count("idle")
