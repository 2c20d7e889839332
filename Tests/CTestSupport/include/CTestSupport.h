// The parts of Linux that the tests need and Swift's Glibc module does not show.
#ifndef CTESTSUPPORT_H
#define CTESTSUPPORT_H

#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/types.h>

/// For poll: the other side has closed or reset.
extern const short test_poll_hangup;

/// Accepts a connection that no child inherits.
int test_accept(int listener);

/// A pipe that no child inherits.
int test_pipe(int ends[_Nonnull 2]);

/// Opens a pseudo-terminal of that size: the answer is its master, the program's end is put into `peer`. -1 and errno
/// on failure. `own`: in a devpts of its own, if that may be mounted.
int test_open_terminal(int columns, int rows, bool own, int *_Nonnull peer);
int test_resize_terminal(int master, int columns, int rows);
/// The same, with the size of a cell in pixels; 0 for one that is not known.
int test_resize_terminal_pixels(int master, int columns, int rows, int cell_width, int cell_height);

/// Starts a program with default signals in a process group of its own. Its descriptors 0 to count - 1 are the given
/// ones, where -1 stands for the terminal, which becomes the controlling one (-1: none); it has no others. The answer
/// is 0 or an error number.
int test_spawn(pid_t *_Nonnull pid, const char *_Nonnull path, char *_Nullable const *_Nonnull arguments,
               char *_Nullable const *_Nonnull environment, const char *_Nonnull folder,
               const int *_Nonnull descriptors, int count, int terminal);

/// fork, which Swift does not show, as only the calling thread lives on in the child. For a test in a process of its
/// own, where no other thread holds a lock; the child must end by `_exit` or a signal. Of the descriptors, the child
/// has the standard streams and `kept`, which is negative for none.
pid_t test_fork(int kept);

/// The bytes that this process has of malloc and has not freed.
size_t test_allocated_bytes(void);

/// Puts the calling thread, and its later threads and processes, into a network of its own, in which the loopback
/// interface has this IPv4 address beside its own. 0, or -1 and errno where that is not allowed.
int test_enter_own_network(const char *_Nonnull address);

/// Has this file in the place of /etc/resolv.conf for the calling thread, and for what it starts. 0, or -1 and errno
/// where that is not allowed.
int test_use_resolver(const char *_Nonnull configuration);

/// From now on the kernel answers this call of the calling thread, and of its later threads and processes, with
/// this error: every such call, or those with `first` as their first argument unless that is -1. 0, or -1 and errno
/// where that is not allowed.
int test_refuse_call(long number, int first, int error);

/// From now on the calling thread, and what it starts, has one core of those that it had. 0, or -1 and errno.
int test_use_one_core(void);

/// From now on processes whose parent has ended become this one's children, as they become those of a first process.
int test_adopt_orphans(void);

#endif
