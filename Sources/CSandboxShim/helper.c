#define _GNU_SOURCE
#include "CSandboxShim.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int imgfetch_helper_start(const char *path, const char *name, int channel, pid_t *pid) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  int code = posix_spawn_file_actions_init(&files);
  if (code != 0) return code;
  code = posix_spawnattr_init(&attributes);
  if (code != 0) {
    posix_spawn_file_actions_destroy(&files);
    return code;
  }
  // The channel first: its number may be one that is opened next. Made its own duplicate it loses close-on-exec too.
  code = posix_spawn_file_actions_adddup2(&files, channel, IMGFETCH_CHANNEL);
  for (int standard = 0; standard < 3 && code == 0; standard++)
    code = posix_spawn_file_actions_addopen(&files, standard, "/dev/null", O_RDWR, 0);
  // Signals that are meant for the program are not for the helper: it ends when its channel does.
  sigset_t blocked, all;
  sigemptyset(&blocked);
  const int terminal[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP};
  for (size_t at = 0; at < sizeof terminal / sizeof *terminal; at++) sigaddset(&blocked, terminal[at]);
  sigfillset(&all);
  if (code == 0) code = posix_spawnattr_setsigmask(&attributes, &blocked);
  if (code == 0) code = posix_spawnattr_setsigdefault(&attributes, &all);
  if (code == 0) code = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  char *arguments[] = {(char *)name, NULL};
  char *environment[] = {NULL};
  if (code == 0) code = posix_spawn(pid, path, &files, &attributes, arguments, environment);
  // In a root without /proc the program is started again by the path that it was started by.
  const char *started = (const char *)getauxval(AT_EXECFN);
  if (code == ENOENT && started && strcmp(path, "/proc/self/exe") == 0)
    code = posix_spawn(pid, started, &files, &attributes, arguments, environment);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (code != 0) return code;
  // The thread that asks may be pinned to a core; all helpers there would be one too many. The first thread is not.
  cpu_set_t cores;
  if (sched_getaffinity(getpid(), sizeof cores, &cores) == 0) (void)sched_setaffinity(*pid, sizeof cores, &cores);
  return 0;
}

int imgfetch_helper_allow(pid_t pid, int64_t seconds) {
  int64_t used = imgfetch_helper_time(pid);
  if (used < 0) return -1;
  // Whole seconds: one that has begun counts as over.
  struct rlimit limit = {.rlim_cur = (rlim_t)((used + 999999999) / 1000000000 + seconds), .rlim_max = RLIM_INFINITY};
  return prlimit(pid, RLIMIT_CPU, &limit, NULL);
}

int64_t imgfetch_helper_time(pid_t pid) {
  clockid_t clock;
  struct timespec time;
  if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &time) != 0) return -1;
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

int imgfetch_helper_end(pid_t pid) {
  // This does not change a helper that has ended by itself: the wait is for its status.
  kill(pid, SIGKILL);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0)
    if (errno != EINTR) return -1;
  return status;
}

int imgfetch_channel(int milliseconds, int *ours, int *theirs) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return -1;
  struct timeval time = {.tv_sec = milliseconds / 1000, .tv_usec = milliseconds % 1000 * 1000};
  setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
  setsockopt(ends[0], SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time);
  *ours = ends[0];
  *theirs = ends[1];
  return 0;
}

ssize_t imgfetch_channel_send(int channel, const void *bytes, size_t length, int descriptor) {
  if (descriptor < 0) return send(channel, bytes, length, MSG_NOSIGNAL);
  union {
    struct cmsghdr head;
    char room[CMSG_SPACE(sizeof descriptor)];
  } control;
  memset(&control, 0, sizeof control);
  struct iovec part = {.iov_base = (void *)bytes, .iov_len = length};
  struct msghdr message = {
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control.room};
  struct cmsghdr *head = CMSG_FIRSTHDR(&message);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN(sizeof descriptor);
  memcpy(CMSG_DATA(head), &descriptor, sizeof descriptor);
  return sendmsg(channel, &message, MSG_NOSIGNAL);
}

ssize_t imgfetch_channel_receive(int channel, void *bytes, size_t length, int *descriptor) {
  union {
    struct cmsghdr head;
    char room[CMSG_SPACE(sizeof *descriptor)];
  } control;
  struct iovec part = {.iov_base = bytes, .iov_len = length};
  struct msghdr message = {
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control.room};
  *descriptor = -1;
  ssize_t count = recvmsg(channel, &message, MSG_CMSG_CLOEXEC);
  if (count < 0) return count;
  struct cmsghdr *head = CMSG_FIRSTHDR(&message);
  if (head && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS &&
      head->cmsg_len == CMSG_LEN(sizeof *descriptor))
    memcpy(descriptor, CMSG_DATA(head), sizeof *descriptor);
  return count;
}
