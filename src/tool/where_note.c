/* The ELF note that leads to the table of `inkling where` (plain/where_table.h). C has no expression for the distance of two
 * addresses that the linker fills in, so the note is written for the assembler; and it is compiled without -flto, which would not
 * see that it uses the table. */
__asm__(".pushsection .note.inkling, \"a\", %note\n"
        ".balign 4\n"
        ".long 8, 4, 1\n" /* bytes of the name, bytes of the description, WHERE_NOTE_TYPE */
        ".asciz \"Inkling\"\n"
        ".long where_table - .\n"
        ".popsection\n");

extern const int where_note_is_here; /* C wants a declaration in each file */
