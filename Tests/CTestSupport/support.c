#define _GNU_SOURCE
#include "CTestSupport.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <unistd.h>

const short test_poll_hangup = POLLRDHUP;

int test_accept(int listener) { return accept4(listener, NULL, NULL, SOCK_CLOEXEC); }

int test_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }

int test_resize_terminal(int master, int columns, int rows) {
  struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)columns};
  return ioctl(master, TIOCSWINSZ, &size);
}

int test_resize_terminal_pixels(int master, int columns, int rows, int cell_width, int cell_height) {
  struct winsize size = {
      .ws_row = (unsigned short)rows,
      .ws_col = (unsigned short)columns,
      .ws_xpixel = (unsigned short)(columns * cell_width),
      .ws_ypixel = (unsigned short)(rows * cell_height)};
  return ioctl(master, TIOCSWINSZ, &size);
}

// A root made by debootstrap alone has no terminals mounted. Root can mount a set of its own there, which
// lasts for as long as the terminal is open and is invisible to others.
static int open_own_terminal(void) {
  char folder[] = "/tmp/imgfetch-test-pts-XXXXXX";
  if (!mkdtemp(folder)) return -1;
  int master = -1;
  if (mount("devpts", folder, "devpts", MS_NOSUID | MS_NOEXEC, "newinstance,ptmxmode=0600") == 0) {
    char path[sizeof folder + sizeof "/ptmx"];
    snprintf(path, sizeof path, "%s/ptmx", folder);
    master = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC);
    umount2(folder, MNT_DETACH);
  }
  rmdir(folder);
  return master;
}

int test_open_terminal(int columns, int rows, bool own, int *peer) {
  int master = own ? open_own_terminal() : -1;
  if (master < 0) master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (master < 0) master = open_own_terminal();
  if (master < 0) return -1;
  if (unlockpt(master) == 0 && test_resize_terminal(master, columns, rows) == 0) {
    *peer = ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (*peer >= 0) return master;
  }
  close(master);
  return -1;
}

int test_spawn(pid_t *pid, const char *path, char *const *arguments, char *const *environment, const char *folder,
               const int *descriptors, int count, int terminal) {
  // Above everything that the child is to have, so that putting one in its place overwrites none that is still to come:
  // with hundreds of tests at once, descriptors have high numbers.
  int aside = terminal;
  for (int i = 0; i < count; i++)
    if (descriptors[i] > aside) aside = descriptors[i];
  aside += count + 1;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addchdir_np(&actions, folder);
  for (int i = 0; i < count; i++)
    if (descriptors[i] >= 0) posix_spawn_file_actions_adddup2(&actions, descriptors[i], aside + i);
  char peer[sizeof "/proc/self/fd/" + 10];
  snprintf(peer, sizeof peer, "/proc/self/fd/%d", aside + count);
  if (terminal >= 0) posix_spawn_file_actions_adddup2(&actions, terminal, aside + count);
  for (int i = 0; i < count; i++) {
    if (descriptors[i] >= 0)
      posix_spawn_file_actions_adddup2(&actions, aside + i, i);
    else
      posix_spawn_file_actions_addopen(&actions, i, peer, O_RDWR, 0);  // Opening makes it the controlling one.
  }
  posix_spawn_file_actions_addclosefrom_np(&actions, count);

  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t set;
  sigfillset(&set);
  posix_spawnattr_setsigdefault(&attributes, &set);
  sigemptyset(&set);
  posix_spawnattr_setsigmask(&attributes, &set);
  posix_spawnattr_setflags(&attributes, (short)(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK |
                                                (terminal >= 0 ? POSIX_SPAWN_SETSID : POSIX_SPAWN_SETPGROUP)));
  int code = posix_spawn(pid, path, &actions, &attributes, arguments, environment);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return code;
}

pid_t test_fork(int kept) {
  pid_t child = fork();
  if (child == 0) {
    // A copy of another test's pipe or lock would be held for as long as the child runs.
    if (kept > 3) close_range(3, (unsigned)kept - 1, 0);
    close_range(kept < 3 ? 3 : (unsigned)kept + 1, ~0U, 0);
  }
  return child;
}

size_t test_allocated_bytes(void) {
  struct mallinfo2 all = mallinfo2();
  return all.uordblks + all.hblkhd;
}

int test_enter_own_network(const char *address) {
  if (unshare(CLONE_NEWNET) != 0) return -1;
  int control = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (control < 0) return -1;
  struct ifreq request = {.ifr_name = "lo"};
  int failed = ioctl(control, SIOCGIFFLAGS, &request);
  request.ifr_flags |= IFF_UP;
  failed = failed || ioctl(control, SIOCSIFFLAGS, &request);
  // A second label of the interface, so that 127.0.0.1 stays.
  struct ifreq second = {.ifr_name = "lo:1"};
  struct sockaddr_in wanted = {.sin_family = AF_INET};
  failed = failed || inet_pton(AF_INET, address, &wanted.sin_addr) != 1;
  memcpy(&second.ifr_addr, &wanted, sizeof wanted);
  failed = failed || ioctl(control, SIOCSIFADDR, &second);
  close(control);
  return failed ? -1 : 0;
}

int test_use_resolver(const char *configuration) {
  if (unshare(CLONE_NEWNS) != 0) return -1;
  // Not before nothing that is mounted here shows elsewhere.
  if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) return -1;
  return mount(configuration, "/etc/resolv.conf", NULL, MS_BIND, NULL);
}

int test_refuse_call(long number, int first, int error) {
  struct sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)first, 0, first == -1 ? 0 : 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)error),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {.len = sizeof rules / sizeof *rules, .filter = rules};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}

int test_adopt_orphans(void) { return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); }

int test_use_one_core(void) {
  cpu_set_t set, one;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return -1;
  CPU_ZERO(&one);
  for (int core = 0; core < CPU_SETSIZE && CPU_COUNT(&one) == 0; core++) {
    if (CPU_ISSET(core, &set)) CPU_SET(core, &one);
  }
  return sched_setaffinity(0, sizeof one, &one);
}
