/* other_key: info keys that are no hints of an object: some call takes them, or some call reports them. */
#ifndef HINT_OTHER_KEY_H
#define HINT_OTHER_KEY_H

struct other_key {
    const char *key;
    const char *of;    /* the calls, or the object that reports it */
    const char *value; /* what values it has */
    const char *text;  /* what it does, one sentence */
    const char *since;
};

/* Ended by a NULL key. A key that means several things has several rows, one after the other. */
extern const struct other_key other_key_table[];

/* The first row of this key; NULL: there is none. */
const struct other_key *other_key_find(const char *key);

#endif
