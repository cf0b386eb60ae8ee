/* coll_table: `inkling coll`, the algorithms of collectives and the rules that choose one (coll/choice.h). */
#ifndef CMD_COLL_TABLE_H
#define CMD_COLL_TABLE_H

#include <stdio.h>

/* The tables for people. */
void coll_table_print(FILE *out);
/* {"rules": [...], "algorithms": [...]}; a bound that is null is none. */
void coll_table_print_json(FILE *out);

#endif
