#pragma once
/* What Swift can't import from libmicrohttpd and the system: variadic calls, option lists, and the epoll union.
   Nothing is decided here. */
#include <microhttpd.h>
#include <poll.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>

/* The calls that the library makes into us; all get the same context. */
struct shunt_http_callbacks {
    MHD_AcceptPolicyCallback acceptable;
    MHD_AccessHandlerCallback access;
    MHD_RequestCompletedCallback completed;
    MHD_NotifyConnectionCallback connection;
    void *(*target)(void *context, const char *target, struct MHD_Connection *connection);
    void (*log)(void *context, const char *format, va_list arguments);
    size_t (*unescape)(void *context, struct MHD_Connection *connection, char *text);
    void *context;
};

/* A daemon without a thread of its own on an existing listening socket, without time-outs of its own. */
static inline struct MHD_Daemon *shunt_http_start(
    int listening_descriptor,
    unsigned int connection_limit,
    size_t memory_per_connection,
    const struct shunt_http_callbacks *callbacks)
{
    return MHD_start_daemon(
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG, 0,
        callbacks->acceptable, callbacks->context, callbacks->access, callbacks->context,
        /* First, so that nothing is written to the error stream. */
        MHD_OPTION_EXTERNAL_LOGGER, callbacks->log, callbacks->context,
        MHD_OPTION_LISTEN_SOCKET, listening_descriptor,
        MHD_OPTION_CONNECTION_LIMIT, connection_limit,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, memory_per_connection,
        MHD_OPTION_CONNECTION_TIMEOUT, 0u,
        MHD_OPTION_NOTIFY_COMPLETED, callbacks->completed, callbacks->context,
        MHD_OPTION_NOTIFY_CONNECTION, callbacks->connection, callbacks->context,
        MHD_OPTION_URI_LOG_CALLBACK, callbacks->target, callbacks->context,
        MHD_OPTION_UNESCAPE_CALLBACK, callbacks->unescape, callbacks->context,
        MHD_OPTION_END);
}

/* The epoll descriptor of a daemon; -1 if there is none. */
static inline int shunt_http_epoll_descriptor(struct MHD_Daemon *daemon)
{
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
    return info == NULL ? -1 : info->epoll_fd;
}

/* The number of connections that a daemon holds. */
static inline unsigned int shunt_http_connection_count(struct MHD_Daemon *daemon)
{
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_CURRENT_CONNECTIONS);
    return info == NULL ? 0 : info->num_connections;
}

/* The socket of a connection. */
static inline int shunt_http_descriptor(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info == NULL ? -1 : info->connect_fd;
}

/* What the connection callback stored for a connection. */
static inline void *shunt_http_context(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info == NULL ? NULL : info->socket_context;
}

/* The peer of a connection. */
static inline const struct sockaddr *shunt_http_peer(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    return info == NULL ? NULL : info->client_addr;
}

/* The bytes of request line and header fields; 0 until the head is complete. */
static inline size_t shunt_http_head_size(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    return info == NULL ? 0 : info->header_size;
}

/* A reply with a copy of the body. */
static inline struct MHD_Response *shunt_http_response(const void *body, size_t count)
{
    return MHD_create_response_from_buffer(
        count, (void *)(count == 0 ? "" : body), count == 0 ? MHD_RESPMEM_PERSISTENT : MHD_RESPMEM_MUST_COPY);
}

/* Watches a descriptor for input; `tag` comes back with its events. */
static inline int shunt_epoll_add(int epoll_descriptor, int descriptor, uint64_t tag)
{
    struct epoll_event event = {.events = EPOLLIN | EPOLLRDHUP, .data = {.u64 = tag}};
    return epoll_ctl(epoll_descriptor, EPOLL_CTL_ADD, descriptor, &event);
}

/* Watches a stream's socket for the end of its peer; `tag` comes back with its events. */
static inline int shunt_epoll_watch(int epoll_descriptor, int descriptor, uint64_t tag)
{
    struct epoll_event event = {.events = EPOLLRDHUP, .data = {.u64 = tag}};
    return epoll_ctl(epoll_descriptor, EPOLL_CTL_ADD, descriptor, &event);
}

/* Whether it's watched for room to write too. */
static inline int shunt_epoll_rewatch(int epoll_descriptor, int descriptor, uint64_t tag, int for_room)
{
    struct epoll_event event = {.events = EPOLLRDHUP | (for_room ? EPOLLOUT : 0), .data = {.u64 = tag}};
    return epoll_ctl(epoll_descriptor, EPOLL_CTL_MOD, descriptor, &event);
}

/* Watches a descriptor no more. */
static inline int shunt_epoll_forget(int epoll_descriptor, int descriptor)
{
    return epoll_ctl(epoll_descriptor, EPOLL_CTL_DEL, descriptor, NULL);
}

/* The events that tell of a peer's end. */
static inline uint32_t shunt_epoll_gone(void)
{
    return EPOLLRDHUP | EPOLLHUP | EPOLLERR;
}

/* Makes the coming close of a socket a reset, which lets go of what is unsent. */
static inline void shunt_reset_when_closed(int descriptor)
{
    struct linger value = {.l_onoff = 1, .l_linger = 0};
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &value, sizeof value);
}

/* The bytes that wait to be read on a socket; -1 if it can't be told. */
static inline int shunt_readable_bytes(int descriptor)
{
    int count = 0;
    return ioctl(descriptor, FIONREAD, &count) == 0 ? count : -1;
}

/* The peer has ended its stream: POLLRDHUP, whose bit is the same, and which is hidden without _GNU_SOURCE. */
static inline short shunt_poll_peer_closed(void)
{
    return (short)EPOLLRDHUP;
}

/* Names the calling thread, in at most 15 bytes. */
static inline void shunt_name_thread(const char *name)
{
    prctl(PR_SET_NAME, name, 0, 0, 0);
}
