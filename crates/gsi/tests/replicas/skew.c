/* Preloaded into one replica: its wall clock is an hour ahead, its monotonic clock is not. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/time.h>
#include <time.h>

#define AHEAD 3600

int clock_gettime(clockid_t id, struct timespec *now)
{
    static int (*real)(clockid_t, struct timespec *);
    if (!real)
        real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    int done = real(id, now);
    if (done == 0 && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE))
        now->tv_sec += AHEAD;
    return done;
}

int gettimeofday(struct timeval *now, void *zone)
{
    (void)zone;
    struct timespec exact;
    clock_gettime(CLOCK_REALTIME, &exact);
    now->tv_sec = exact.tv_sec;
    now->tv_usec = exact.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *out)
{
    struct timespec exact;
    clock_gettime(CLOCK_REALTIME, &exact);
    if (out)
        *out = exact.tv_sec;
    return exact.tv_sec;
}
