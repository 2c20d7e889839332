#define _GNU_SOURCE
#include "CSandboxShim.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

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

/// What decoding needs, and nothing else: memory that holds no code, the channel, a file that was handed over (which can
/// be read, and closed), time, and an end. Everything else is answered with EPERM, which a library that only tries
/// something takes better than death, and which leaves an attacker as little.
static int restrict_calls(int channel) {
  const struct sock_filter rules[] = {
      LOAD(offsetof(struct seccomp_data, arch)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OUR_ARCHITECTURE, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
      LOAD(offsetof(struct seccomp_data, nr)),
      ONLY_IF_EQUAL(SYS_read, 0, (unsigned)channel),
      ONLY_IF_EQUAL(SYS_write, 0, (unsigned)channel),
      ONLY_IF_EQUAL(SYS_recvmsg, 0, (unsigned)channel),
      // It may name an address, but a stream that is connected takes none.
      ONLY_IF_EQUAL(SYS_sendto, 0, (unsigned)channel),
      ANY(SYS_pread64),
      ANY(SYS_close),
      // Nobody's memory becomes code, and no file becomes memory.
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
      ANY(SYS_exit),
      ANY(SYS_exit_group),
      REFUSE,
  };
  const struct sock_fprog program = {.len = sizeof rules / sizeof *rules, .filter = (struct sock_filter *)rules};
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

#else
static int restrict_calls(int channel) {
  (void)channel;
  return 0;
}
#endif

// Landlock by its numbers: Debian's headers are older than the kernels that this runs on.
enum { create_ruleset = 444, restrict_self = 446, ask_for_version = 1 };

struct ruleset {
  uint64_t files;
  uint64_t network;
  uint64_t scope;
};

/// A set of rules that handles everything and allows nothing, as far as this kernel knows it.
static int restrict_files(void) {
  long version = syscall(create_ruleset, NULL, 0, ask_for_version);
  if (version < 1) return 0;
  // Version 1 knows 13 rights to files; 2 adds linking between folders, 3 cutting, 4 TCP, 5 devices, 6 sockets and signals.
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

int imgfetch_sandbox_enter(int channel, uint64_t memory) {
  // Whoever handles a crash (the Swift runtime does, to print a backtrace) could not do it in here, nor give the signal up:
  // the instruction that crashed would be run again and again.
  const int crashes[] = {SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS};
  for (size_t at = 0; at < sizeof crashes / sizeof *crashes; at++) signal(crashes[at], SIG_DFL);
  // Without it the rest would be root's alone; and nothing that is run later could have more rights than this.
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return 0;
  int held = restrict_files() ? IMGFETCH_SANDBOX_FILES : 0;
  // Nobody of this user may look into it, or change it, and it leaves no image of itself behind.
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, 0);
  limit(RLIMIT_NPROC, 0);
  // The standard three, the channel, one file that is handed over, and one more.
  limit(RLIMIT_NOFILE, (rlim_t)channel + 3);
#if !defined(__has_feature) || !__has_feature(address_sanitizer)
  // A sanitizer maps terabytes.
  limit(RLIMIT_AS, (rlim_t)memory);
#endif
  if (restrict_calls(channel)) held |= IMGFETCH_SANDBOX_CALLS;
  return held;
}
