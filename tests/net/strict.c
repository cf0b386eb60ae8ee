/* strict: stands in for libfabric in tests and makes its provider as demanding as those of real networks.
 * It asks for FI_MR_LOCAL, FI_MR_VIRT_ADDR, FI_MR_PROV_KEY, FI_MR_ALLOCATED and FI_MR_ENDPOINT, and ends the
 * process with one line when a buffer is not registered for what is done with it, or not bound to the
 * endpoint that does it, or a peer's memory is not addressed as these modes want. It has room for two of
 * three receive buffers, and takes the third when it is offered later. Nor may a receive buffer be posted again
 * while a part of it waits for a packet. The real library (STRICT_LIBRARY) moves the bytes. With STRICT_TELL set
 * it says at the end what it has seen. From the STRICT_SENDS-th on, sends fail. With STRICT_KEY set, domains have
 * an auth_key of so many bytes, and it says which each is opened with.
 */
#include <dlfcn.h>
#include <limits.h>
#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    DEMANDED = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_PROV_KEY | FI_MR_ALLOCATED | FI_MR_ENDPOINT,
    KEPT = 20, /* bits further up in mr_mode: what the provider itself wants of these */
    KEY_BITS = 16,
    REGIONS = 1 << 12,
    BUFFERS = 80,
    KEY_BYTE = 0xd4 /* of the auth_key by default */
};

/* A key as this "provider" gives it: where the region begins, and below that the real key. */
static struct region {
    struct fid_mr *mr; /* NULL: free; its key and descriptor are ours */
    void *descriptor;  /* the provider's */
    const char *base;
    size_t bytes;
    uint64_t access;
    struct fid *endpoint; /* that it is bound to; NULL: none yet */
    bool is_enabled;
    struct fi_ops ops;
    const struct fi_ops *real_ops;
} regions[REGIONS];

/* A receive buffer, since it was last posted. */
static struct buffer {
    const void *context;
    const char *base;
    size_t end;   /* of the packets that have been read from the queue */
    size_t bytes; /* of the same */
} buffers[BUFFERS];

static struct fi_ops_cq cq_ops, real_cq;
static struct fi_ops_fabric fabric_ops, real_fabric;
static struct fi_ops_domain domain_ops, real_domain;
static struct fi_ops_mr mr_ops, real_mr;
static struct fi_ops_msg msg_ops, real_msg;
static struct fi_ops_rma rma_ops, real_rma;
static long sends, receives, reads, writes, registered;

static void *real(const char *name)
{
    static void *library;

    if (!library)
        library = dlopen(getenv("STRICT_LIBRARY"), RTLD_NOW | RTLD_LOCAL);
    return library ? dlsym(library, name) : NULL;
}

__attribute__((format(printf, 1, 2), noreturn)) static void refuse(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    fprintf(stderr, "strict: ");
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\n");
    va_end(arguments);
    _exit(70);
}

static void *checked(const struct fid_ep *ep, void *descriptor, const void *memory, size_t bytes,
                     uint64_t access, const char *what)
{
    const struct region *r = descriptor;

    if (!r || r < regions || r >= regions + REGIONS || !r->mr)
        refuse("%s of %zu bytes with a descriptor that is none", what, bytes);
    if ((const char *)memory < r->base || (const char *)memory + bytes > r->base + r->bytes)
        refuse("%s of %zu bytes outside of the region of its descriptor", what, bytes);
    if (!(r->access & access))
        refuse("%s in a region that was registered for other ends (%lx)", what, (unsigned long)r->access);
    if (!r->is_enabled || r->endpoint != &ep->fid)
        refuse("%s in a region that %s", what,
               r->is_enabled ? "is bound to another endpoint" : "is not enabled");
    return r->descriptor;
}

static ssize_t strict_send(struct fid_ep *ep, const void *bytes, size_t length, void *descriptor,
                           fi_addr_t to, void *context)
{
    const char *most = getenv("STRICT_SENDS");

    if (++sends >= (most ? atoi(most) : INT_MAX))
        return -FI_EIO;
    return real_msg.send(ep, bytes, length, checked(ep, descriptor, bytes, length, FI_SEND, "fi_send"), to,
                         context);
}

/* That of this context, or the first free one. */
static struct buffer *buffer_of(const void *context)
{
    for (struct buffer *b = buffers; b < buffers + BUFFERS; b++)
        if (!b->context || b->context == context)
            return b;
    refuse("more than %d receive buffers", BUFFERS);
}

static ssize_t strict_read_queue(struct fid_cq *cq, void *entries, size_t most)
{
    const struct fi_cq_data_entry *e = entries;
    ssize_t count = real_cq.read(cq, entries, most);

    for (ssize_t i = 0; i < count; i++) {
        struct buffer *b = e[i].flags & FI_RECV ? buffer_of(e[i].op_context) : NULL;
        size_t end = b ? (size_t)((const char *)e[i].buf - b->base) + e[i].len : 0;

        if (!b)
            continue;
        b->bytes += e[i].len;
        b->end = end > b->end ? end : b->end;
    }
    return count;
}

static void check_used_up(const struct buffer *b)
{
    if (b->bytes != b->end)
        refuse("a receive buffer is posted again, in which %zu bytes have not come yet", b->end - b->bytes);
}

static ssize_t strict_recvmsg(struct fid_ep *ep, const struct fi_msg *message, uint64_t flags)
{
    struct fi_msg copy = *message;
    struct buffer *b = buffer_of(message->context);
    void *descriptor = checked(ep, message->desc ? message->desc[0] : NULL, message->msg_iov[0].iov_base,
                               message->msg_iov[0].iov_len, FI_RECV, "fi_recvmsg");

    check_used_up(b);
    if (++receives % 3 == 0)
        return -FI_EAGAIN;
    *b = (struct buffer){.context = message->context, .base = message->msg_iov[0].iov_base};
    copy.desc = &descriptor;
    return real_msg.recvmsg(ep, &copy, flags);
}

static ssize_t strict_read(struct fid_ep *ep, void *to, size_t bytes, void *descriptor, fi_addr_t from,
                           uint64_t address, uint64_t key, void *context)
{
    uint64_t base = key >> KEY_BITS;

    if (address < base)
        refuse("fi_read of address %lx, and the region begins at %lx", (unsigned long)address,
               (unsigned long)base);
    reads++;
    return real_rma.read(ep, to, bytes, checked(ep, descriptor, to, bytes, FI_READ, "fi_read"), from,
                         address - base, key & (((uint64_t)1 << KEY_BITS) - 1), context);
}

static ssize_t strict_writemsg(struct fid_ep *ep, const struct fi_msg_rma *message, uint64_t flags)
{
    struct fi_rma_iov there = *message->rma_iov;
    struct fi_msg_rma copy = *message;
    uint64_t base = there.key >> KEY_BITS;
    void *descriptor = checked(ep, message->desc ? message->desc[0] : NULL, message->msg_iov[0].iov_base,
                               message->msg_iov[0].iov_len, FI_WRITE, "fi_writemsg");

    if (there.addr < base)
        refuse("fi_writemsg to address %lx, and the region begins at %lx", (unsigned long)there.addr,
               (unsigned long)base);
    if (!(flags & FI_DELIVERY_COMPLETE))
        refuse("fi_writemsg would complete before it is delivered");
    writes++;
    there.addr -= base;
    there.key &= ((uint64_t)1 << KEY_BITS) - 1;
    copy.desc = &descriptor;
    copy.rma_iov = &there;
    return real_rma.writemsg(ep, &copy, flags);
}

static struct region *region_of(const struct fid *fid)
{
    for (struct region *r = regions; r < regions + REGIONS; r++)
        if (r->mr && &r->mr->fid == fid)
            return r;
    refuse("a region is named that is not open");
}

static int strict_bind(struct fid *fid, struct fid *endpoint, uint64_t flags)
{
    struct region *r = region_of(fid);

    if (flags || r->endpoint)
        refuse("a region is bound %s", flags ? "with flags" : "twice");
    r->endpoint = endpoint;
    return 0;
}

static int strict_control(struct fid *fid, int command, void *argument)
{
    struct region *r = region_of(fid);

    if (command != FI_ENABLE || argument || !r->endpoint)
        refuse("a region is enabled before it is bound");
    r->is_enabled = true;
    return 0;
}

static int strict_close(struct fid *fid)
{
    struct region *r = region_of(fid);

    fid->ops = (struct fi_ops *)(uintptr_t)r->real_ops;
    r->mr->key &= ((uint64_t)1 << KEY_BITS) - 1;
    r->mr->mem_desc = r->descriptor;
    r->mr = NULL;
    return fid->ops->close(fid);
}

static struct region *free_region(void)
{
    for (struct region *r = regions; r < regions + REGIONS; r++)
        if (!r->mr)
            return r;
    refuse("more than %d regions are open", REGIONS);
}

static void check_allocated(const void *memory, size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *first = (char *)((uintptr_t)memory / page * page);
    unsigned char *there = malloc(bytes / page + 2);

    if (there && mincore(first, (size_t)((const char *)memory + bytes - first), there))
        refuse("memory is registered that is not there");
    free(there);
}

static int strict_reg(struct fid *fid, const void *memory, size_t bytes, uint64_t access, uint64_t offset,
                      uint64_t key, uint64_t flags, struct fid_mr **mr, void *context)
{
    static uint64_t last_key;
    struct region *r = free_region();
    int code;

    check_allocated(memory, bytes);
    if (key)
        refuse("a key is asked for, and the provider chooses");
    last_key = (last_key + 1) % ((uint64_t)1 << KEY_BITS);
    code = real_mr.reg(fid, memory, bytes, access, offset, last_key, flags, mr, context);
    if (code)
        return code;
    *r = (struct region){.mr = *mr,
                         .descriptor = (*mr)->mem_desc,
                         .base = memory,
                         .bytes = bytes,
                         .access = access,
                         .ops = *(*mr)->fid.ops,
                         .real_ops = (*mr)->fid.ops};
    r->ops.bind = strict_bind;
    r->ops.control = strict_control;
    r->ops.close = strict_close;
    (*mr)->fid.ops = &r->ops;
    (*mr)->mem_desc = r;
    (*mr)->key = (uint64_t)(uintptr_t)memory << KEY_BITS | last_key;
    registered++;
    return 0;
}

/* An auth_key that the provider seems to have. */
static void give_key(struct fi_domain_attr *domain)
{
    const char *size = getenv("STRICT_KEY");

    if (!size)
        return;
    domain->auth_key_size = (size_t)atoi(size);
    domain->auth_key = malloc(domain->auth_key_size);
    if (!domain->auth_key)
        refuse("no memory");
    memset(domain->auth_key, KEY_BYTE, domain->auth_key_size);
}

static void tell_key(const struct fi_domain_attr *domain)
{
    char digits[200] = "";

    for (size_t i = 0; i < domain->auth_key_size; i++)
        snprintf(digits + 2 * i, sizeof digits - 2 * i, "%02x", domain->auth_key[i]);
    if (getenv("STRICT_KEY"))
        printf("strict: key %s\n", digits);
}

static void take_key(struct fi_domain_attr *domain)
{
    free(domain->auth_key);
    domain->auth_key = NULL;
    domain->auth_key_size = 0;
}

/* As the provider gave it. */
static struct fi_info *plain(const struct fi_info *info)
{
    struct fi_info *copy = fi_dupinfo(info);
    int mode = copy ? copy->domain_attr->mr_mode : 0;

    if (!copy)
        refuse("no memory");
    copy->domain_attr->mr_mode = (mode & ~DEMANDED & ((1 << KEPT) - 1)) | mode >> KEPT;
    if (getenv("STRICT_KEY"))
        take_key(copy->domain_attr);
    return copy;
}

static int strict_endpoint(struct fid_domain *domain, struct fi_info *info, struct fid_ep **ep, void *context)
{
    struct fi_info *copy = plain(info);
    int code = real_domain.endpoint(domain, copy, ep, context);

    fi_freeinfo(copy);
    if (code || info->ep_attr->type != FI_EP_RDM) /* or it is the provider's own */
        return code;
    real_msg = msg_ops = *(*ep)->msg;
    msg_ops.send = strict_send;
    msg_ops.recvmsg = strict_recvmsg;
    (*ep)->msg = &msg_ops;
    real_rma = rma_ops = *(*ep)->rma;
    rma_ops.read = strict_read;
    rma_ops.writemsg = strict_writemsg;
    (*ep)->rma = &rma_ops;
    return 0;
}

static int strict_cq_open(struct fid_domain *domain, struct fi_cq_attr *attr, struct fid_cq **cq,
                          void *context)
{
    int code = real_domain.cq_open(domain, attr, cq, context);

    if (code)
        return code;
    real_cq = cq_ops = *(*cq)->ops;
    cq_ops.read = strict_read_queue;
    (*cq)->ops = &cq_ops;
    return 0;
}

static int strict_domain(struct fid_fabric *fabric, struct fi_info *info, struct fid_domain **domain,
                         void *context)
{
    struct fi_info *copy = plain(info);
    int code = real_fabric.domain(fabric, copy, domain, context);

    fi_freeinfo(copy);
    if (code)
        return code;
    tell_key(info->domain_attr);
    real_domain = domain_ops = *(*domain)->ops;
    domain_ops.endpoint = strict_endpoint;
    domain_ops.cq_open = strict_cq_open;
    (*domain)->ops = &domain_ops;
    real_mr = mr_ops = *(*domain)->mr;
    mr_ops.reg = strict_reg;
    (*domain)->mr = &mr_ops;
    return 0;
}

int fi_fabric(struct fi_fabric_attr *attr, struct fid_fabric **fabric, void *context)
{
    int code = ((__typeof__(&fi_fabric))real("fi_fabric"))(attr, fabric, context);

    if (code)
        return code;
    real_fabric = fabric_ops = *(*fabric)->ops;
    fabric_ops.domain = strict_domain;
    (*fabric)->ops = &fabric_ops;
    return 0;
}

int fi_getinfo(uint32_t version, const char *node, const char *service, uint64_t flags,
               const struct fi_info *hints, struct fi_info **info)
{
    int code = ((__typeof__(&fi_getinfo))real("fi_getinfo"))(version, node, service, flags, hints, info);

    for (struct fi_info *i = code ? NULL : *info; i; i = i->next) {
        i->domain_attr->mr_mode |= DEMANDED | (i->domain_attr->mr_mode & DEMANDED) << KEPT;
        give_key(i->domain_attr);
    }
    return code;
}

void fi_freeinfo(struct fi_info *info)
{
    ((__typeof__(&fi_freeinfo))real("fi_freeinfo"))(info);
}

struct fi_info *fi_dupinfo(const struct fi_info *info)
{
    __typeof__(&fi_dupinfo) dupinfo = (__typeof__(&fi_dupinfo))real("fi_dupinfo");

    return dupinfo(info);
}

const char *fi_strerror(int code)
{
    return ((__typeof__(&fi_strerror))real("fi_strerror"))(code);
}

uint32_t fi_version(void)
{
    return ((__typeof__(&fi_version))real("fi_version"))();
}

__attribute__((destructor)) static void tell(void)
{
    if (getenv("STRICT_TELL"))
        printf("strict: %ld regions, %ld sends, %ld receives, %ld reads, %ld writes\n", registered, sends,
               receives, reads, writes);
}
