// Preloaded before libfaketime 0.9.10. libfaketime shifts the absolute times of timerfd timers, even if it does not change the monotonic
// clock. Without this function, an Asio timer that is due at once would never fire.
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

int timerfd_settime(int fd, int flags, const struct itimerspec *value, struct itimerspec *old)
{
    return (int)syscall(SYS_timerfd_settime, fd, flags, value, old);
}
