/* list: an intrusive, circular, doubly linked list. The head is a link too. Not thread-safe. */
#ifndef BASE_LIST_H
#define BASE_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct link {
    struct link *next, *prev;
};

/* The structure of `type` whose member `member` is the link `l`. */
#define LIST_ENTRY(l, type, member) ((type *)((char *)(l)-offsetof(type, member)))
#define LIST_INIT(head)                                                                                      \
    {                                                                                                        \
        &(head), &(head)                                                                                     \
    }

static inline void list_init(struct link *head)
{
    head->next = head->prev = head;
}

static inline bool list_is_empty(const struct link *head)
{
    return head->next == head;
}

static inline void list_add(struct link *head, struct link *l) /* at the tail */
{
    l->prev = head->prev;
    l->next = head;
    head->prev->next = l;
    head->prev = l;
}

/* Moves all of `from` to `to`, whose old contents are dropped. */
static inline void list_move(struct link *to, struct link *from)
{
    list_init(to);
    if (list_is_empty(from))
        return;
    *to = *from;
    to->next->prev = to->prev->next = to;
    list_init(from);
}

static inline void list_remove(struct link *l)
{
    l->prev->next = l->next;
    l->next->prev = l->prev;
    l->next = l->prev = l;
}

#endif
