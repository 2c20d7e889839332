#define _GNU_SOURCE
#include "CSandboxShim.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

// By their numbers: Debian's headers are older than the kernels that this runs on.
enum { MORE_THREADS = 64 };
enum { clone3_call = 435, close_range_call = 436, create_ruleset = 444, restrict_self = 446, ask_for_version = 1 };

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_SANITIZER
#endif
#endif

#if defined(__x86_64__)
#define OUR_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OUR_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#if defined(OUR_ARCHITECTURE)

// The low half of an argument; both architectures put it first.
#define ARGUMENT(n) (offsetof(struct seccomp_data, args) + 8 * (n))
#define LOAD(offset) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (offset))
#define REFUSE BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
// Each rule begins with the call's number loaded, and a call that is none of its own goes on to the next one.
#define ANY(call) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (call), 0, 1), ALLOW
#define ONLY_IF_EQUAL(call, n, value) \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (call), 0, 4), LOAD(ARGUMENT(n)), \
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), 0, 1), ALLOW, REFUSE
#define UNLESS_SET(call, n, bits) \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (call), 0, 4), LOAD(ARGUMENT(n)), \
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (bits), 1, 0), ALLOW, REFUSE

/// The calls that a decoder of several threads needs beyond all others. The table stands last, and so ends with a
/// refusal.
static const struct sock_filter thread_rules[] = {
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, clone3_call, 0, 1),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 4),
    LOAD(ARGUMENT(0)),
    BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 0, 1),
    ALLOW,
    REFUSE,
    // With these glibc begins a thread, or ends the process.
    ANY(SYS_set_robust_list),
    ANY(SYS_rseq),
    REFUSE,
};

/// Allows the calls that decoding needs, and no others: memory that holds no code, the channel, a file that was handed
/// over (which can be read, and closed), time, and an end. All others are answered with EPERM, which a library that
/// only tries something takes better than death, and which leaves an attacker as little.
static bool restrict_calls(bool allows_threads) {
  const struct sock_filter common[] = {
      LOAD(offsetof(struct seccomp_data, arch)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OUR_ARCHITECTURE, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
      LOAD(offsetof(struct seccomp_data, nr)),
      ONLY_IF_EQUAL(SYS_read, 0, IMGFETCH_CHANNEL),
      ONLY_IF_EQUAL(SYS_write, 0, IMGFETCH_CHANNEL),
      ONLY_IF_EQUAL(SYS_recvmsg, 0, IMGFETCH_CHANNEL),
      // It may name an address, but a stream that is connected takes none.
      ONLY_IF_EQUAL(SYS_sendto, 0, IMGFETCH_CHANNEL),
      ONLY_IF_EQUAL(SYS_pread64, 0, IMGFETCH_PICTURE),
      ONLY_IF_EQUAL(SYS_close, 0, IMGFETCH_PICTURE),
      // No memory becomes code, and no file becomes memory.
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 0, 6),
      LOAD(ARGUMENT(2)),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 3, 0),
      LOAD(ARGUMENT(3)),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, MAP_ANONYMOUS, 0, 1),
      ALLOW,
      REFUSE,
      UNLESS_SET(SYS_mprotect, 2, PROT_EXEC),
      ANY(SYS_munmap),
      ANY(SYS_mremap),
      ANY(SYS_madvise),
      ANY(SYS_brk),
      ANY(SYS_futex),
      ANY(SYS_sched_yield),
      ANY(SYS_getrandom),
      ANY(SYS_clock_gettime),
      ANY(SYS_gettimeofday),
      ANY(SYS_getpid),
      ANY(SYS_gettid),
      ANY(SYS_rt_sigprocmask),
      ANY(SYS_rt_sigreturn),
      ANY(SYS_restart_syscall),
      // abort() signals itself.
      ONLY_IF_EQUAL(SYS_tgkill, 0, (unsigned)getpid()),
#ifdef HAS_SANITIZER
      // It asks for the signal stack where a codec gives up by longjmp, and for the processors where a thread starts.
      // It has a thread that sleeps.
      ANY(SYS_sigaltstack),
      ANY(SYS_sched_getaffinity),
      ANY(SYS_clock_nanosleep),
      ANY(SYS_nanosleep),
#endif
      ANY(SYS_exit),
      ANY(SYS_exit_group),
  };
  // Each rule jumps within itself, so the two tables can stand one behind the other.
  struct sock_filter rules[sizeof common / sizeof *common + sizeof thread_rules / sizeof *thread_rules];
  const struct sock_filter refuse = REFUSE;
  size_t count = sizeof common / sizeof *common;
  memcpy(rules, common, sizeof common);
  if (allows_threads) {
    memcpy(rules + count, thread_rules, sizeof thread_rules);
    count += sizeof thread_rules / sizeof *thread_rules;
  } else {
    rules[count++] = refuse;
  }
  const struct sock_fprog program = {.len = (unsigned short)count, .filter = rules};
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

#else
static bool restrict_calls(bool allows_threads) { return false; }
#endif

/// Closes what the program had inherited from its own caller without close-on-exec, as `9</etc/shadow` in a shell.
static bool close_all_above(int last) {
  if (syscall(close_range_call, last + 1, ~0U, 0) == 0) return true;
  // Before Linux 5.9 there is a list only. It is read by numbers, so that closing one does not have another left out.
  DIR *folder = opendir("/proc/self/fd");
  if (!folder) return false;
  for (struct dirent *entry; (entry = readdir(folder));) {
    int number = atoi(entry->d_name);
    if (number > last && number != dirfd(folder)) close(number);
  }
  return closedir(folder) == 0;
}

/// Ends this process when the thread that started it ends. Returns false if that has ended already.
static bool end_with_parent(void) {
  if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0) return false;
  // A parent that ended before has sent nothing: then the helper has another parent. The channel knows its maker.
  struct ucred maker;
  socklen_t length = sizeof maker;
  return getsockopt(IMGFETCH_CHANNEL, SOL_SOCKET, SO_PEERCRED, &maker, &length) == 0 && maker.pid == getppid();
}

struct ruleset {
  uint64_t files;
  uint64_t network;
  uint64_t scope;
};

/// A set of rules that handles everything and allows nothing, as far as this kernel knows it.
static int restrict_files(void) {
  long version = syscall(create_ruleset, NULL, 0, ask_for_version);
  if (version < 1) return 0;
  // Version 1 knows 13 rights to files; 2 adds linking between folders, 3 cutting, 4 TCP, 5
  // devices, 6 sockets and signals.
  int rights = version >= 5 ? 16 : version >= 3 ? 15 : version == 2 ? 14 : 13;
  struct ruleset rules = {.files = (1u << rights) - 1, .network = version >= 4 ? 3 : 0, .scope = version >= 6 ? 3 : 0};
  size_t size = version >= 6 ? 24 : version >= 4 ? 16 : 8;
  int ruleset = (int)syscall(create_ruleset, &rules, size, 0);
  if (ruleset < 0) return 0;
  long done = syscall(restrict_self, ruleset, 0);
  close(ruleset);
  return done == 0;
}

static void limit(int what, rlim_t value) {
  struct rlimit limit = {.rlim_cur = value, .rlim_max = value};
  setrlimit((__rlimit_resource_t)what, &limit);
}

/// The number of threads on this machine, which this user's do not exceed, or 0 if that is unknown.
static rlim_t count_threads(void) {
  char text[64] = {0};
  int file = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  ssize_t length = read(file, text, sizeof text - 1);
  close(file);
  const char *slash = length > 0 ? strchr(text, '/') : NULL;
  return slash ? strtoul(slash + 1, NULL, 10) : 0;
}

int imgfetch_sandbox_enter(uint64_t memory, bool allows_threads) {
  if (!end_with_parent()) _exit(0);
  // A handler of crashes (the Swift runtime has one, to print a backtrace) could do nothing in here, nor give the
  // signal up: the instruction that crashed would be run again and again.
  const int crashes[] = {SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS};
  for (size_t at = 0; at < sizeof crashes / sizeof *crashes; at++) signal(crashes[at], SIG_DFL);
  if (!close_all_above(IMGFETCH_CHANNEL)) return 0;
  const rlim_t threads = count_threads();
  // Without it the rest would be root's alone; and nothing that is run later could have more rights than this.
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return 0;
  int held = restrict_files() ? IMGFETCH_SANDBOX_FILES : 0;
  // No process of this user may look into it or change it, and it leaves no image of itself behind.
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, 0);
  // It counts all threads of this user. Without it a new process is refused by its call.
  if (!allows_threads)
    limit(RLIMIT_NPROC, 0);
  else if (threads > 0)
    limit(RLIMIT_NPROC, threads + MORE_THREADS);
  // So that a file that is handed over can have no other number than the one that may be read.
  limit(RLIMIT_NOFILE, IMGFETCH_PICTURE + 1);
#ifndef HAS_SANITIZER
  // A sanitizer maps terabytes.
  limit(RLIMIT_AS, (rlim_t)memory);
#endif
  if (restrict_calls(allows_threads)) held |= IMGFETCH_SANDBOX_CALLS;
  return held;
}
