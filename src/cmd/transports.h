/* transports: which ways messages and launchers have in this build, by the headers that it found. */
#ifndef CMD_TRANSPORTS_H
#define CMD_TRANSPORTS_H

/* Two lines, and for what is missing how to get it. */
void transports_print(void);

#endif
