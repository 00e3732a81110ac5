/* The symbol port, version 1, for models in C and C++: one side of PIPE over a socket (docs/symbol-port.md).
 *
 * Functions return 0, or -1 with a reason in `port->why`. */
#ifndef SYMBOL_PORT_H
#define SYMBOL_PORT_H

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { SP_MAC = 0, SP_PHY = 1, SP_MAX_LANES = 32, SP_MAX_SYMBOLS = 4 };
enum { SP_CLOCK = 1, SP_LAST = 2, SP_RESET = 4, SP_K = 0x100 };
/* Wires of the MAC, and of the PHY. */
enum { SP_POWER_DOWN = 3, SP_RATE = 12, SP_DETECT = 16, SP_ELEC_IDLE = 32, SP_COMPLIANCE = 64, SP_POLARITY = 128 };
enum { SP_RX_STATUS = 7, SP_PHY_STATUS = 8, SP_RX_VALID = 16, SP_DETECTED = 3 };

struct sp_frame {
    uint16_t flags;
    uint16_t wires[SP_MAX_LANES];
    uint16_t symbols[SP_MAX_LANES][SP_MAX_SYMBOLS];
};

struct sp_port {
    int fd, side, lanes, symbols, delay, ended;
    const char *why;
};

static inline int sp_fail(struct sp_port *port, const char *why)
{
    port->why = why;
    return -1;
}

static inline int sp_read(struct sp_port *port, uint8_t *to, size_t count)
{
    while (count > 0) {
        ssize_t got = read(port->fd, to, count);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return sp_fail(port, "the other side has gone without a last frame");
        to += got;
        count -= (size_t)got;
    }
    return 0;
}

static inline int sp_write(struct sp_port *port, const uint8_t *from, size_t count)
{
    while (count > 0) {
        ssize_t put = send(port->fd, from, count, MSG_NOSIGNAL);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return sp_fail(port, "the other side takes nothing");
        from += put;
        count -= (size_t)put;
    }
    return 0;
}

static inline int sp_unix(struct sp_port *port, const char *path, int listens)
{
    struct sockaddr_un where = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof where.sun_path)
        return sp_fail(port, "the path is too long");
    strcpy(where.sun_path, path);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (fd < 0)
        return sp_fail(port, strerror(errno));
    port->fd = fd;
    if (!listens)
        return connect(fd, (struct sockaddr *)&where, sizeof where) ? sp_fail(port, strerror(errno)) : 0;
    if (bind(fd, (struct sockaddr *)&where, sizeof where) || listen(fd, 1))
        return sp_fail(port, strerror(errno));
    port->fd = accept(fd, NULL, NULL);
    close(fd);
    return port->fd < 0 ? sp_fail(port, strerror(errno)) : 0;
}

static inline int sp_tcp(struct sp_port *port, const char *text, int listens)
{
    char host[256];
    const char *colon = strrchr(text, ':');
    if (!colon || (size_t)(colon - text) >= sizeof host)
        return sp_fail(port, "an address is HOST:PORT or unix:PATH");
    memcpy(host, text, (size_t)(colon - text));
    host[colon - text] = 0;
    struct addrinfo wanted = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM}, *found;
    if (getaddrinfo(host, colon + 1, &wanted, &found))
        return sp_fail(port, "no such address");
    int one = 1, fd = socket(AF_INET, SOCK_STREAM, 0), bad = fd < 0;
    if (!bad && listens) {
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
        bad = bind(fd, found->ai_addr, found->ai_addrlen) || listen(fd, 1);
        int taken = bad ? -1 : accept(fd, NULL, NULL);
        close(fd);
        fd = taken;
        bad = fd < 0;
    } else if (!bad) {
        bad = connect(fd, found->ai_addr, found->ai_addrlen);
    }
    freeaddrinfo(found);
    port->fd = fd;
    if (bad)
        return sp_fail(port, strerror(errno));
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    return 0;
}

/* Opens the port and exchanges greetings: `side` is this one's. The larger delay of the two is in `port->delay`. */
static inline int sp_open(struct sp_port *port, const char *address, int listens, int side, int lanes, int symbols, int delay)
{
    *port = (struct sp_port){.fd = -1, .side = side, .lanes = lanes, .symbols = symbols};
    if (lanes < 1 || lanes > SP_MAX_LANES || (symbols != 1 && symbols != 2 && symbols != 4) || delay < 1 || delay > 0xFFFF)
        return sp_fail(port, "no such lanes, symbols or delay");
    if (strncmp(address, "unix:", 5) ? sp_tcp(port, address, listens) : sp_unix(port, address + 5, listens))
        return -1;
    uint8_t ours[16] = {'L', 'S', 'S', 'P', 1, (uint8_t)side, (uint8_t)lanes, (uint8_t)symbols, (uint8_t)delay, (uint8_t)(delay >> 8)};
    uint8_t theirs[16], rest = 0;
    if (sp_write(port, ours, sizeof ours) || sp_read(port, theirs, sizeof theirs))
        return -1;
    for (int i = 10; i < 16; i++)
        rest |= theirs[i];
    port->delay = theirs[8] | theirs[9] << 8;
    if (memcmp(theirs, "LSSP", 4))
        return sp_fail(port, "the other side speaks no symbol port");
    if (theirs[4] != 1)
        return sp_fail(port, "greeting: version");
    if (theirs[5] != 1 - side)
        return sp_fail(port, "greeting: side");
    if (theirs[6] != lanes || theirs[7] != symbols)
        return sp_fail(port, "greeting: lanes or symbols");
    if (!port->delay || rest)
        return sp_fail(port, "greeting: delay 0, or bytes that are not known");
    if (port->delay < delay)
        port->delay = delay;
    return 0;
}

static inline size_t sp_size(const struct sp_port *port)
{
    return 2 + (size_t)port->lanes * (2 + 2 * (size_t)port->symbols);
}

/* Sends a frame; what is beside the flags only where it has SP_CLOCK. */
static inline int sp_send(struct sp_port *port, const struct sp_frame *frame)
{
    uint8_t raw[2 + SP_MAX_LANES * (2 + 2 * SP_MAX_SYMBOLS)] = {(uint8_t)frame->flags}, *at = raw + 2;
    for (int lane = 0; frame->flags & SP_CLOCK && lane < port->lanes; lane++) {
        *at++ = (uint8_t)frame->wires[lane];
        *at++ = (uint8_t)(frame->wires[lane] >> 8);
        for (int i = 0; i < port->symbols; i++) {
            *at++ = (uint8_t)frame->symbols[lane][i];
            *at++ = (uint8_t)(frame->symbols[lane][i] >> 8);
        }
    }
    return sp_write(port, raw, sp_size(port));
}

/* Reads a frame. With a delay of d the first d - 1 steps have none to read: the caller sends d frames, then reads one for each. */
static inline int sp_receive(struct sp_port *port, struct sp_frame *frame)
{
    uint8_t raw[2 + SP_MAX_LANES * (2 + 2 * SP_MAX_SYMBOLS)], *at = raw + 2;
    if (sp_read(port, raw, sp_size(port)))
        return -1;
    unsigned wires = port->side == SP_MAC ? 0x3F : 0xFF, any = 0, unknown = 0;
    frame->flags = (uint16_t)(raw[0] | raw[1] << 8);
    for (int lane = 0; lane < port->lanes; lane++) {
        frame->wires[lane] = (uint16_t)(at[0] | at[1] << 8);
        any |= frame->wires[lane];
        unknown |= frame->wires[lane] & ~wires;
        at += 2;
        for (int i = 0; i < port->symbols; i++, at += 2) {
            frame->symbols[lane][i] = (uint16_t)(at[0] | at[1] << 8);
            any |= frame->symbols[lane][i];
            unknown |= frame->symbols[lane][i] & ~0x1FFu;
        }
    }
    if (frame->flags & ~(SP_CLOCK | SP_LAST | (port->side == SP_PHY ? SP_RESET : 0)) || unknown)
        return sp_fail(port, "bits that are not known");
    if (!(frame->flags & SP_CLOCK) && (any || frame->flags & SP_RESET))
        return sp_fail(port, "a frame without a clock has more in it");
    port->ended = frame->flags & SP_LAST;
    return 0;
}

#endif
