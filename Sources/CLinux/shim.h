#pragma once
// Things of the system whose types belong to no module that Swift knows, so that only plain numbers cross over.
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/resource.h>

// Waits until the descriptor can be read: 1 when it can, 0 when the time is over. -1 waits for ever.
static inline int shunt_wait_readable(int descriptor, int timeout_ms) {
    struct pollfd waiting = {.fd = descriptor, .events = POLLIN};
    return poll(&waiting, 1, timeout_ms) > 0;
}

static inline void shunt_signals(sigset_t *set) {
    sigemptyset(set);
    sigaddset(set, SIGTERM);
    sigaddset(set, SIGINT);
    sigaddset(set, SIGHUP);
}

// Blocks the signals that are waited for, and SIGPIPE: a write to a closed pipe is then an error of that write.
static inline void shunt_block_signals(void) {
    sigset_t set;
    shunt_signals(&set);
    sigaddset(&set, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
}

// Lets the process hold as many files and connections as its hard limit allows; the number, or -1.
static inline long shunt_raise_file_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return -1;
    limit.rlim_cur = limit.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0 && getrlimit(RLIMIT_NOFILE, &limit) != 0) return -1;
    return limit.rlim_cur > 1000000 ? 1000000 : (long)limit.rlim_cur;
}

// Lets the calling thread stand back behind the others: on Linux a nice value is a thread's own.
static inline void shunt_stand_back(void) {
    setpriority(PRIO_PROCESS, 0, 10);
}

// Waits for a signal: 1 for SIGHUP, 0 for the others.
static inline int shunt_wait_for_signal(void) {
    sigset_t set;
    shunt_signals(&set);
    int number = 0;
    while (sigwait(&set, &number) != 0) {}
    return number == SIGHUP;
}
