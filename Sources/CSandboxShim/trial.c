#define _GNU_SOURCE
#include "CSandboxShim.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// By the numbers of the calls, as an attacker would do it, and not by what the library makes of them.

int imgfetch_trial_open(const char *path) {
  return syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0) >= 0 ? 0 : errno;
}

int imgfetch_trial_create(const char *path) {
  return syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600) >= 0 ? 0 : errno;
}

int imgfetch_trial_stat(const char *path) {
  struct stat status;
  return syscall(SYS_newfstatat, AT_FDCWD, path, &status, 0) == 0 ? 0 : errno;
}

int imgfetch_trial_socket(void) {
  return syscall(SYS_socket, AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0) >= 0 ? 0 : errno;
}

int imgfetch_trial_execute(const char *path) {
  char *arguments[] = {(char *)path, NULL};
  char *environment[] = {NULL};
  syscall(SYS_execve, path, arguments, environment);
  return errno;
}

int imgfetch_trial_fork(void) {
  long child = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
  if (child == 0) _exit(0);
  return child > 0 ? 0 : errno;
}

int imgfetch_trial_signal(pid_t pid) { return syscall(SYS_kill, pid, 0) == 0 ? 0 : errno; }

int imgfetch_trial_code(void) {
  void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return errno;
  munmap(memory, 4096);
  return 0;
}

void imgfetch_trial_crash(void) { abort(); }
