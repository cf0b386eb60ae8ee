"""A bare PMI-1 client for pmi.py: sends the lines in its arguments and prints what it hears after each.

A line that ends in '!' is sent without waiting for an answer; 'raw:HEX' sends bytes; 'sleep:S' sleeps."""
import os
import socket
import sys
import time

link = socket.socket(fileno=int(os.environ["PMI_FD"]))
stream = link.makefile("rb")
for word in sys.argv[1:]:
    if word.startswith("sleep:"):
        time.sleep(float(word[6:]))
        continue
    if word.startswith("raw:"):
        link.sendall(bytes.fromhex(word[4:]))
        continue
    link.sendall(word.rstrip("!").replace("RANK", os.environ["PMI_RANK"]).encode() + b"\n")
    if not word.endswith("!"):
        os.write(1, f"{os.environ['PMI_RANK']} {stream.readline().decode().strip()}\n".encode())
