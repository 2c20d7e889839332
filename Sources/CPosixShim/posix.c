#define _GNU_SOURCE
#include "CPosixShim.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/major.h>
#include <linux/openat2.h>
#include <malloc.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

const int imgfetch_o_tmpfile = O_TMPFILE;
const int imgfetch_o_noatime = O_NOATIME;
const int imgfetch_at_empty_path = AT_EMPTY_PATH;
const unsigned imgfetch_rename_noreplace = RENAME_NOREPLACE;
const unsigned imgfetch_rename_exchange = RENAME_EXCHANGE;
const long imgfetch_utime_omit = UTIME_OMIT;
const long imgfetch_utime_now = UTIME_NOW;

int imgfetch_openat(int directory, const char *path, int flags, mode_t mode) {
  return openat(directory, path, flags, mode);
}

int imgfetch_openat_beneath(int directory, const char *path, int flags, mode_t mode) {
  struct open_how how = {.flags = (uint64_t)flags,
                         .mode = flags & (O_CREAT | __O_TMPFILE) ? mode : 0,
                         .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS};
  static _Atomic int is_missing;
  if (!is_missing) {
    int descriptor = (int)syscall(SYS_openat2, directory, path, &how, sizeof how);
    if (descriptor >= 0 || (errno != ENOSYS && errno != EPERM)) return descriptor;
    // Sandboxes answer EPERM to calls they do not know, and so does the kernel where a flag is not allowed.
    if (errno == ENOSYS) is_missing = 1;
  }
  return openat(directory, path, flags | O_NOFOLLOW, mode);
}

int imgfetch_renameat2(int from_directory, const char *from, int to_directory, const char *to, unsigned flags) {
  return renameat2(from_directory, from, to_directory, to, flags);
}

ssize_t imgfetch_copy_file_range(int from, int64_t *from_offset, int to, int64_t *to_offset, size_t length) {
  return copy_file_range(from, from_offset, to, to_offset, length, 0);
}

int imgfetch_fgetxattr(int descriptor, const char *name, void *value, size_t size) {
  return (int)fgetxattr(descriptor, name, value, size);
}

int imgfetch_fsetxattr(int descriptor, const char *name, const void *value, size_t size) {
  return fsetxattr(descriptor, name, value, size, 0);
}

int imgfetch_getxattrat(int directory, const char *path, const char *name, void *value, size_t size) {
  // Number and structure are the same on every machine; the C library has neither yet.
  struct {
    uint64_t value;
    uint32_t size, flags;
  } arguments = {(uint64_t)(uintptr_t)value, (uint32_t)size, 0};
  return (int)syscall(464, directory, path, AT_SYMLINK_NOFOLLOW, name, &arguments, sizeof arguments);
}

ssize_t imgfetch_getdents(int directory, void *entries, size_t size) {
  return syscall(SYS_getdents64, directory, entries, size);
}

int imgfetch_fremovexattr(int descriptor, const char *name) { return fremovexattr(descriptor, name); }

int imgfetch_connect_local(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof address.sun_path) {
    errno = ENAMETOOLONG;
    return -1;
  }
  strcpy(address.sun_path, path);
  int connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connection < 0) return -1;
  if (connect(connection, (const struct sockaddr *)&address, sizeof address) == 0) return connection;
  int reason = errno;
  close(connection);
  errno = reason;
  return -1;
}

int64_t imgfetch_filesystem_type(int descriptor) {
  struct statfs answer;
  return fstatfs(descriptor, &answer) == 0 ? (int64_t)answer.f_type : 0;
}

int imgfetch_memory_file(void) { return memfd_create("imgfetch", MFD_CLOEXEC); }

int imgfetch_thread_name(const char *name) { return pthread_setname_np(pthread_self(), name); }

int imgfetch_core_count(void) {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

// A limit on address space under which there is no room to waste.
static const uint64_t narrow = 1 << 30;

// An arena of another thread takes 64 MB of address space, and a stack 8, whatever they hold. Blocks of a megabyte are
// given back as soon as they are free.
static void save_address_space(void) {
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
  mallopt(M_ARENA_MAX, 1);
  const size_t wanted = 2 << 20;
  pthread_attr_t attributes;
  size_t size;
  if (pthread_getattr_default_np(&attributes) != 0) return;
  if (pthread_attr_getstacksize(&attributes, &size) == 0 && size > wanted &&
      pthread_attr_setstacksize(&attributes, wanted) == 0) {
    pthread_setattr_default_np(&attributes);
  }
  pthread_attr_destroy(&attributes);
}

// Four arenas: with two or three, lists take longer (Speed.md).
void imgfetch_malloc_tune(int mapped) {
  if (imgfetch_memory_limit() < narrow) {
    save_address_space();
    return;
  }
  mallopt(M_MMAP_THRESHOLD, mapped);
  mallopt(M_TRIM_THRESHOLD, 256 << 20);
  mallopt(M_TOP_PAD, 16 << 20);
  mallopt(M_ARENA_MAX, 4);
}

int imgfetch_terminal_columns(int descriptor) {
  struct winsize size;
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

int imgfetch_terminal_rows(int descriptor) {
  struct winsize size;
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_row : 0;
}

int imgfetch_terminal_cell(int descriptor, int *width, int *height) {
  struct winsize size;
  if (ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) return -1;
  *width = size.ws_xpixel / size.ws_col;
  *height = size.ws_ypixel / size.ws_row;
  return *width > 0 && *height > 0 ? 0 : -1;
}

int imgfetch_terminal_type(int descriptor, unsigned char byte) { return ioctl(descriptor, TIOCSTI, &byte); }

// The device number of a terminal, the same by whichever name it was opened; 0 if there is none, or it is not known.
static unsigned terminal_device(int descriptor) {
  unsigned device;
  return ioctl(descriptor, TIOCGDEV, &device) == 0 ? device : 0;
}

static int is_in_devpts(const struct stat *status) {
  unsigned kind = major(status->st_rdev);
  return kind >= UNIX98_PTY_SLAVE_MAJOR && kind < UNIX98_PTY_SLAVE_MAJOR + UNIX98_PTY_MAJOR_COUNT;
}

int imgfetch_is_same_terminal(int one, int other) {
  if (terminal_device(one) != terminal_device(other)) return 0;
  struct stat first, second;
  if (fstat(one, &first) != 0 || fstat(other, &second) != 0) return 1;
  // Each devpts numbers its terminals from 0: that of a container has the numbers of that outside. Opened as /dev/tty
  // they have none to compare.
  return !is_in_devpts(&first) || !is_in_devpts(&second) || first.st_dev == second.st_dev;
}

int imgfetch_signal_is_ignored(int number) {
  struct sigaction action;
  return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

int imgfetch_file_limit(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur > INT_MAX) return INT_MAX;
  return (int)limit.rlim_cur;
}

uint64_t imgfetch_memory_limit(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return UINT64_MAX;
  return limit.rlim_cur;
}

static const char *memory_message;
static int memory_code;

static void end_without_memory(int number) {
  (void)number;
  // The code says it, too, where the message cannot be written.
  const ssize_t written = write(STDERR_FILENO, memory_message, strlen(memory_message));
  (void)written;
  _exit(memory_code);
}

void imgfetch_memory_end(const char *message, int code) {
  if (imgfetch_memory_limit() >= narrow) return;
  memory_message = message;
  memory_code = code;
  // The stack may be what cannot grow.
  static char room[64 << 10];
  const stack_t stack = {.ss_sp = room, .ss_size = sizeof room};
  sigaltstack(&stack, NULL);
  struct sigaction action = {.sa_handler = end_without_memory, .sa_flags = SA_ONSTACK};
  sigemptyset(&action.sa_mask);
  const int ends[] = {SIGABRT, SIGILL, SIGSEGV, SIGTRAP};
  for (size_t at = 0; at < sizeof ends / sizeof *ends; at++) sigaction(ends[at], &action, NULL);
}

bool imgfetch_memory_is_left(size_t bytes) {
  if (imgfetch_memory_limit() == UINT64_MAX) return true;
  void *room = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED) return false;
  munmap(room, bytes);
  return true;
}

void imgfetch_raise_file_limit(int wanted) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || wanted < 0 || limit.rlim_cur >= (rlim_t)wanted) return;
  limit.rlim_cur = limit.rlim_max < (rlim_t)wanted ? limit.rlim_max : (rlim_t)wanted;
  setrlimit(RLIMIT_NOFILE, &limit);
}

int imgfetch_duplicate(int descriptor, int least) { return fcntl(descriptor, F_DUPFD_CLOEXEC, least); }

int imgfetch_event(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

int imgfetch_is_closed(int descriptor) { return fcntl(descriptor, F_GETFD) < 0; }

char **imgfetch_environment(void) { return environ; }

char *imgfetch_program(void) {
  // The kernel's own path has no links in it: one call, where realpath makes one for each folder.
  char path[PATH_MAX];
  ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  if (length > 0 && (size_t)length < sizeof path && path[0] == '/') return strndup(path, (size_t)length);
  // In a root without /proc: the path that it was started by.
  const char *started = (const char *)getauxval(AT_EXECFN);
  return started ? realpath(started, NULL) : NULL;
}

_Noreturn void imgfetch_exit_now(int status) { _exit(status); }

void imgfetch_lock_init(imgfetch_lock *lock) {
  pthread_mutexattr_t kind;
  pthread_mutexattr_init(&kind);
  // It tries for about a microsecond before it sleeps: who holds it does so for less, and to
  // sleep and be woken costs ten.
  pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ADAPTIVE_NP);
  pthread_mutex_init(&lock->mutex, &kind);
  pthread_mutexattr_destroy(&kind);
  // Waits are measured on the clock that does not jump.
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(&lock->condition, &attributes);
  pthread_condattr_destroy(&attributes);
}

void imgfetch_lock_destroy(imgfetch_lock *lock) {
  pthread_cond_destroy(&lock->condition);
  pthread_mutex_destroy(&lock->mutex);
}

int imgfetch_lock_wait(imgfetch_lock *lock, const struct timespec *deadline) {
  return deadline ? pthread_cond_timedwait(&lock->condition, &lock->mutex, deadline)
                  : pthread_cond_wait(&lock->condition, &lock->mutex);
}

void imgfetch_lock_wake_one(imgfetch_lock *lock) { pthread_cond_signal(&lock->condition); }

void imgfetch_lock_wake_all(imgfetch_lock *lock) { pthread_cond_broadcast(&lock->condition); }

long imgfetch_zone_offset(int64_t time) {
  time_t seconds = (time_t)time;
  struct tm local;
  return localtime_r(&seconds, &local) == NULL ? 0 : local.tm_gmtoff;
}

int64_t imgfetch_socket_received(int socket) {
  // struct tcp_info as the kernel has had it since 4.1. glibc's ends before that member.
  unsigned char info[256];
  const size_t place = 128;
  uint64_t received;
  socklen_t size = sizeof info;
  if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, info, &size) != 0 || size < place + sizeof received) return -1;
  memcpy(&received, info + place, sizeof received);
  return received > INT64_MAX ? INT64_MAX : (int64_t)received;
}
