/* where_layout: the table that plain/where_table.h describes, of this library. The note leads to it (where_note.c). */
#ifndef TOOL_WHERE_LAYOUT_H
#define TOOL_WHERE_LAYOUT_H

struct where_table;
extern const struct where_table where_table;

#endif
