// Linux's means of sandboxing a process, and of starting one: spawning, handing a descriptor over, giving rights up.
// One line of C each where that suffices; one table, in sandbox.c, says what a sandboxed process may do.
#ifndef IMGFETCH_SANDBOX_SHIM_H
#define IMGFETCH_SANDBOX_SHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// The descriptors of a helper, behind the standard three, which lead nowhere.
enum {
  IMGFETCH_CHANNEL = 3,
  /// The one file that may be handed over at a time.
  IMGFETCH_PICTURE = 4,
};

/// Starts a program as a helper: `channel` becomes its descriptor 3, the three standard ones lead nowhere. It has no
/// environment, may run on every core that the caller's main thread may, and is left alone by what a terminal sends to
/// the caller. The answer is an error number, 0 for none.
int imgfetch_helper_start(const char *_Nonnull path, const char *_Nonnull name, int channel, pid_t *_Nonnull pid);

/// Allows the helper `seconds` more seconds of processor time from now on.
int imgfetch_helper_allow(pid_t pid, int64_t seconds);
/// The processor time that it has used, in nanoseconds; -1 where that cannot be told.
int64_t imgfetch_helper_time(pid_t pid);
/// Ends it and waits for its end. The answer is how it ended, as waitpid says; -1 where that cannot be told.
int imgfetch_helper_end(pid_t pid);

/// Two sockets that lead to each other. A call that waits on the first one returns after
/// `milliseconds`, to be made again.
int imgfetch_channel(int milliseconds, int *_Nonnull ours, int *_Nonnull theirs);
/// Sends bytes, and with them a descriptor unless that is -1. No signal comes of a peer that has gone.
ssize_t imgfetch_channel_send(int channel, const void *_Nonnull bytes, size_t length, int descriptor);
/// Receives bytes, and the descriptor that came with them, or -1.
ssize_t imgfetch_channel_receive(int channel, void *_Nonnull bytes, size_t length, int *_Nonnull descriptor);

/// The kernel's means that have taken hold.
enum {
  /// No call but those on a short list, and reading and writing through the channel alone.
  IMGFETCH_SANDBOX_CALLS = 1,
  /// No file, and on newer kernels no address and no process outside, can be reached at all (Landlock).
  IMGFETCH_SANDBOX_FILES = 2,
};

/// Gives up for ever, when called in a helper by its first thread: files, sockets, other processes, more memory than
/// `memory` bytes; and further threads, unless `allows_threads`: then some. Only the channel is left, and the
/// descriptors handed over through it. The helper ends with the thread that started it; it ends here if that has gone.
/// Returns a set of the above.
int imgfetch_sandbox_enter(uint64_t memory, bool allows_threads);

/// Tries a call of the system as an attacker would: by its number, past the library. The answer is the error that came
/// of it, or 0; `value` is what the call answered.
int imgfetch_trial_call(int64_t number, const int64_t arguments[_Nonnull 6], int64_t *_Nonnull value);

#endif
