// The calls and constants of Linux that Swift's Glibc module does not show: GNU extensions, varargs, complex macros.
// One line of C each; everything that decides anything is in Swift, in ImgfetchCore/System.
#ifndef IMGFETCH_POSIX_SHIM_H
#define IMGFETCH_POSIX_SHIM_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>

/// O_TMPFILE: a file without a name, in the directory that is opened.
extern const int imgfetch_o_tmpfile;
extern const int imgfetch_o_noatime;
/// AT_EMPTY_PATH: the descriptor itself is meant.
extern const int imgfetch_at_empty_path;
extern const unsigned imgfetch_rename_noreplace;
extern const unsigned imgfetch_rename_exchange;
/// Values of tv_nsec in futimens, to leave a time as it is, or set it to now.
extern const long imgfetch_utime_omit;
extern const long imgfetch_utime_now;

int imgfetch_openat(int directory, const char *_Nonnull path, int flags, mode_t mode);
/// openat that follows no symbolic link anywhere in the path and never leaves the directory (openat2). On kernels
/// without it only the last name is kept from being a link.
int imgfetch_openat_beneath(int directory, const char *_Nonnull path, int flags, mode_t mode);
/// The next entries of an open directory, as the kernel gives them (struct linux_dirent64); 0 at the end.
ssize_t imgfetch_getdents(int directory, void *_Nullable entries, size_t size);
int imgfetch_renameat2(int from_directory, const char *_Nonnull from, int to_directory, const char *_Nonnull to,
                       unsigned flags);
ssize_t imgfetch_copy_file_range(int from, int64_t *_Nullable from_offset, int to, int64_t *_Nullable to_offset,
                                 size_t length);
int imgfetch_fgetxattr(int descriptor, const char *_Nonnull name, void *_Nullable value, size_t size);
int imgfetch_fsetxattr(int descriptor, const char *_Nonnull name, const void *_Nullable value, size_t size);
/// The attribute of a file in a directory, by name; a link is not followed. ENOSYS on kernels before 6.13.
int imgfetch_getxattrat(int directory, const char *_Nonnull path, const char *_Nonnull name, void *_Nonnull value,
                        size_t size);
int imgfetch_fremovexattr(int descriptor, const char *_Nonnull name);

/// A connection to the local (Unix) socket of that name, close-on-exec; -1 and errno if there is none.
int imgfetch_connect_local(const char *_Nonnull path);

/// Limits the time that look-ups of the calling thread wait for a name server (resolv.conf's `timeout`).
void imgfetch_resolver_limit(int seconds);
/// True if a question could be sent to any of the system's name servers. False if there is no network, or none listens.
/// Takes a second at the most.
bool imgfetch_resolver_is_reachable(void);

/// The type of the file system, as statfs says (its f_type), or 0.
int64_t imgfetch_filesystem_type(int descriptor);

/// The seconds by which this machine's time zone is ahead of UTC at that time, which is seconds since 1970,
/// or 0 if that is not known.
long imgfetch_zone_offset(int64_t time);

/// A file in memory, without a name, closed on exec; -1 and errno if there is none.
int imgfetch_memory_file(void);
/// Names the thread that calls.
int imgfetch_thread_name(const char *_Nonnull name);
/// The number of cores that this process may use.
int imgfetch_core_count(void);

/// Tunes malloc for a fetcher of many bodies: few arenas, and a mapping of its own only for a block of
/// at least `mapped` bytes. Under a limit on address space of less than 1 GB, malloc and threads save that instead.
void imgfetch_malloc_tune(int mapped);

/// The width of the terminal behind a descriptor, 0 if there is none.
int imgfetch_terminal_columns(int descriptor);
/// The height of a terminal.
int imgfetch_terminal_rows(int descriptor);
/// The size of one of its cells in pixels; -1 if it is not known.
int imgfetch_terminal_cell(int descriptor, int *_Nonnull width, int *_Nonnull height);
/// Makes a byte input of the terminal, as if it were typed now; -1 if the system does not allow that.
int imgfetch_terminal_type(int descriptor, unsigned char byte);
/// True if two descriptors of terminals are the same one, by whichever names it was opened (`/dev/tty` too),
/// or if that is not known.
int imgfetch_is_same_terminal(int one, int other);

/// True if a signal is ignored, as inherited from the parent process.
int imgfetch_signal_is_ignored(int number);

/// The bytes of address space that this process may have (RLIMIT_AS), or UINT64_MAX if there is no limit.
uint64_t imgfetch_memory_limit(void);

/// Under a limit on address space of less than 1 GB: has the process end with a message and an exit code if a signal
/// would kill it, as the runtime and libraries do that get no memory. The message stays where it is.
void imgfetch_memory_end(const char *_Nonnull message, int code);

/// True if that limit leaves room for so many bytes more.
bool imgfetch_memory_is_left(size_t bytes);

/// The number of files that may be open at once (RLIMIT_NOFILE), INT_MAX at the most.
int imgfetch_file_limit(void);
/// Raises that to `wanted`, or as far as it may be raised.
void imgfetch_raise_file_limit(int wanted);

/// The same open file under the first free number from `least` on; -1 where the limit is below that.
int imgfetch_duplicate(int descriptor, int least);

/// A counter that a thread can wait for with poll, at 0 (eventfd): close-on-exec, and no call on it ever waits.
int imgfetch_event(void);

/// True if a number stands for no open file.
int imgfetch_is_closed(int descriptor);

/// The environment: entries, then a null pointer.
char *_Nullable *_Nullable imgfetch_environment(void);

/// The path of the file that this process runs, without links, in memory that the caller frees, or NULL if it cannot be
/// told. To be called before the working directory is changed: without /proc the path may begin there.
char *_Nullable imgfetch_program(void);

/// Flushes nothing, runs no exit handler: those of the TLS libraries cost a third of a millisecond.
_Noreturn void imgfetch_exit_now(int status);

/// Memory mapped from a file that others may truncate, or whose disk may fail. Touching a page that is gone raises
/// SIGBUS. The handler turns the whole mapping into private memory full of zeros, and the thread that touched it goes
/// on.
typedef struct imgfetch_mapping imgfetch_mapping;
/// Installs the handler, for the whole process and for good. Signals about other memory are passed on to the previous
/// handler. The handler cannot help a thread that has the signal blocked.
void imgfetch_mapping_handle_bus_errors(void);
/// Has the handler keep this mapping. Null, and nothing is done, where there is no handler, or no memory left.
imgfetch_mapping *_Nullable imgfetch_mapping_guard(void *_Nonnull base, size_t length);
/// Releases the mapping. Called before the memory is unmapped.
void imgfetch_mapping_release(imgfetch_mapping *_Nonnull mapping);

/// A mutex with a condition. It may not be moved.
typedef struct {
  pthread_mutex_t mutex;
  pthread_cond_t condition;
} imgfetch_lock;

void imgfetch_lock_init(imgfetch_lock *_Nonnull lock);
void imgfetch_lock_destroy(imgfetch_lock *_Nonnull lock);
static inline void imgfetch_lock_take(imgfetch_lock *_Nonnull lock) { pthread_mutex_lock(&lock->mutex); }
static inline void imgfetch_lock_give(imgfetch_lock *_Nonnull lock) { pthread_mutex_unlock(&lock->mutex); }
/// Lets go of it until it is woken, or until that moment of the monotonic clock has come: ETIMEDOUT then, else 0.
int imgfetch_lock_wait(imgfetch_lock *_Nonnull lock, const struct timespec *_Nullable deadline);
void imgfetch_lock_wake_one(imgfetch_lock *_Nonnull lock);
void imgfetch_lock_wake_all(imgfetch_lock *_Nonnull lock);

/// The number of bytes that a TCP socket has received, or -1 if the kernel does not say.
int64_t imgfetch_socket_received(int socket);

#endif
