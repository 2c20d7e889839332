#define _GNU_SOURCE
#include "CHeapShim.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "growth.h"
#include "lines.h"

#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)

void imgfetch_heap_stand_aside(void) {}

#else

// The C library's own. They are what it calls itself, and it exports them for those who stand before it.
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void *__libc_valloc(size_t);
extern void *__libc_pvalloc(size_t);
extern void __libc_free(void *);

// A block that nobody uses holds what follows it, and a mark. The smallest has room for three words.
struct block {
  struct block *next;
  // Of the first of a batch on a shelf.
  struct block *next_batch;
  uintptr_t mark;
};
_Static_assert(sizeof(struct block) == SMALLEST_SIZE, "an unused block must fit the smallest");

// What a thread keeps of one size: some, fewer than a batch, and perhaps a whole batch, which changes hands without being counted
// again: to walk along its blocks would bring each of them into this core's cache.
struct line {
  struct block *first;
  unsigned count;
  struct block *batch;
};

// Initial-exec: to find a variable of the thread must not ask for memory.
#define OF_THREAD static _Thread_local __attribute__((tls_model("initial-exec")))

// What this thread keeps, by size.
OF_THREAD struct line kept[LINES];

// A thread keeps blocks between its first and its end; while it begins, and once it has gone, all goes straight through.
OF_THREAD enum { fresh, keeps, passes } state;

// Where threads leave what is too much for them, and find what others have left. Whoever finds a lock taken does without, and
// never waits: so nothing stands still in a forked child, in which a holder that was not forked holds it for ever.
static struct shelf {
  _Alignas(64) atomic_flag lock;
  // Written under the lock; read without it to see whether it is worth taking.
  atomic_uint batches;
  struct block *first;
} shelves[LINES];

// The length of each line's batches, so that it need not be divided for each block.
static unsigned char lengths[LINES];

// What the rest needs, found before there are threads: later it would have to be looked up under the loader's lock, which another
// thread may hold that waits for memory. Where something is missing all goes straight through.
static struct {
  bool is_complete;
  size_t (*usable_size)(void *);
  pthread_key_t at_end;
  // In the mark of each block that nobody uses; no other program can know it.
  uintptr_t secret;
} needs;

// What a block holds: the C library puts its size before it, with three marks in the lowest bits. Asking `malloc_usable_size` would also
// have the block behind it looked at, which is a line of memory that is not at hand. 0: it is mapped by itself, and large.
static inline size_t held_by(const void *block) {
  size_t word = ((const size_t *)block)[-1];
  return word & 2 ? 0 : (word & ~(size_t)7) - WORD;
}

// Whether the C library says the same.
static bool knows_sizes(void) {
  static const size_t sizes[] = {1, SMALLEST_SIZE, 1000, LARGEST_SIZE};
  bool knows = true;
  for (size_t index = 0; index < sizeof sizes / sizeof *sizes; index++) {
    void *block = __libc_malloc(sizes[index]);
    knows = knows && block && held_by(block) == needs.usable_size(block);
    __libc_free(block);
  }
  return knows;
}

static void release(struct block *block) {
  while (block) {
    struct block *next = block->next;
    block->mark = 0;
    __libc_free(block);
    block = next;
  }
}

static void leave(void *unused) {
  (void)unused;
  // Later destructors of the thread's may still free, which nobody would pick up.
  state = passes;
  for (size_t index = 0; index < LINES; index++) {
    struct line line = kept[index];
    kept[index] = (struct line){NULL, 0, NULL};
    release(line.first);
    release(line.batch);
  }
}

__attribute__((constructor)) static void prepare(void) {
  // The sizes are told by whoever makes the blocks: somebody may have had another library loaded that makes them.
  // Not by `dladdr`, which goes over all names of a library, at every start.
  struct dl_find_object maker, library;
  if (_dl_find_object((void *)__libc_malloc, &maker) || _dl_find_object((void *)getauxval, &library)) return;
  void *handle = dlopen(maker.dlfo_link_map->l_name, RTLD_LAZY | RTLD_NOLOAD);
  if (!handle) return;
  needs.usable_size = (size_t(*)(void *))dlsym(handle, "malloc_usable_size");
  const char *random = (const char *)getauxval(AT_RANDOM);
  if (!needs.usable_size || !random) return;
  // The second half of the sixteen bytes; the C library has used the first.
  memcpy(&needs.secret, random + 8, sizeof needs.secret);
  for (size_t index = SMALLEST_CHUNK / GRAIN; index < LINES; index++) lengths[index] = (unsigned char)batch_length(index);
  // Another maker knows best how its blocks are shared out.
  needs.is_complete =
      maker.dlfo_link_map == library.dlfo_link_map && knows_sizes() && pthread_key_create(&needs.at_end, leave) == 0;
}

void imgfetch_heap_stand_aside(void) {
  leave(NULL);
  needs.is_complete = false;
}

// Whether this thread keeps blocks.
static bool begin(void) {
  if (state == passes || !needs.is_complete) return false;
  // What is called here may ask for memory itself.
  state = passes;
  if (pthread_setspecific(needs.at_end, &state) != 0) return false;
  state = keeps;
  return true;
}

static bool try_lock(struct shelf *shelf) {
  return !atomic_flag_test_and_set_explicit(&shelf->lock, memory_order_acquire);
}

static void unlock(struct shelf *shelf) { atomic_flag_clear_explicit(&shelf->lock, memory_order_release); }

static unsigned batches(struct shelf *shelf) { return atomic_load_explicit(&shelf->batches, memory_order_relaxed); }

static void set_batches(struct shelf *shelf, unsigned count) {
  atomic_store_explicit(&shelf->batches, count, memory_order_relaxed);
}

// A batch that somebody has left; NULL: there is none to be had.
static struct block *fetch(size_t index) {
  struct shelf *shelf = &shelves[index];
  if (batches(shelf) == 0 || (state != keeps && !begin()) || !try_lock(shelf)) return NULL;
  struct block *first = shelf->first;
  if (first) {
    shelf->first = first->next_batch;
    set_batches(shelf, batches(shelf) - 1);
  }
  unlock(shelf);
  return first;
}

// Leaves a batch to others.
static void put_away(struct block *batch, size_t index) {
  struct shelf *shelf = &shelves[index];
  if (batches(shelf) >= SHELF_DEPTH || !try_lock(shelf)) return release(batch);
  batch->next_batch = shelf->first;
  shelf->first = batch;
  set_batches(shelf, batches(shelf) + 1);
  unlock(shelf);
}

// The mark of a block that nobody uses. It is another one for each, so that a copy of one is none.
static uintptr_t mark(const struct block *block) { return needs.secret ^ (uintptr_t)block; }

// As the C library does where it notices: whoever frees twice has two owners for one block.
static void abort_if_unused(const struct block *block) {
  if (block->mark == mark(block)) abort();
}

// A block out of a line; NULL: it has none.
static inline void *take(size_t index) {
  struct line *line = &kept[index];
  if (!line->first) {
    struct block *batch = line->batch ? line->batch : fetch(index);
    if (!batch) return NULL;
    *line = (struct line){batch, lengths[index], NULL};
  }
  struct block *block = line->first;
  // Whatever wrote into it after it was freed may have written where it leads.
  if (block->mark != mark(block)) abort();
  block->mark = 0;
  line->first = block->next;
  line->count--;
  return block;
}

static void *make(size_t size) {
  void *block = __libc_malloc(size);
  if (size >= 1 << FINE_BITS) follow_growth(block, size);
  return block;
}

void *malloc(size_t size) {
  if (size > LARGEST_SIZE) return make(size);
  size_t index = line_to_take(size);
  void *block = take(index);
  return block ? block : make(size_in_line(index));
}

void *calloc(size_t count, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes) || bytes > LARGEST_SIZE) return __libc_calloc(count, size);
  size_t index = line_to_take(bytes);
  void *block = take(index);
  return block ? memset(block, 0, bytes) : __libc_calloc(1, size_in_line(index));
}

void free(void *pointer) {
  if (!pointer) return;
  if (state != keeps && !begin()) return __libc_free(pointer);
  size_t size = held_by(pointer);
  // A size that no block has is for the C library to complain of.
  if (size < SMALLEST_SIZE || size > LARGEST_SIZE) return __libc_free(pointer);
  // Whatever it was asked for as: all blocks are the C library's, and what counts is what it holds.
  size_t index = line_to_give(size);
  struct line *line = &kept[index];
  struct block *block = pointer;
  abort_if_unused(block);
  block->mark = mark(block);
  block->next = line->first;
  line->first = block;
  if (++line->count < lengths[index]) return;
  if (line->batch) put_away(line->batch, index);
  *line = (struct line){NULL, 0, line->first};
}

// The rest of the family, so that all blocks have one maker, whatever is loaded beside it.

void *realloc(void *pointer, size_t size) { return __libc_realloc(pointer, size); }

void *reallocarray(void *pointer, size_t count, size_t size) {
  size_t bytes;
  if (!__builtin_mul_overflow(count, size, &bytes)) return __libc_realloc(pointer, bytes);
  errno = ENOMEM;
  return NULL;
}

void *memalign(size_t alignment, size_t size) { return __libc_memalign(alignment, size); }

void *aligned_alloc(size_t alignment, size_t size) { return __libc_memalign(alignment, size); }

int posix_memalign(void **place, size_t alignment, size_t size) {
  if (alignment < sizeof(void *) || (alignment & (alignment - 1))) return EINVAL;
  int before = errno;
  void *block = __libc_memalign(alignment, size);
  errno = before;
  if (!block) return ENOMEM;
  *place = block;
  return 0;
}

void *valloc(size_t size) { return __libc_valloc(size); }

void *pvalloc(size_t size) { return __libc_pvalloc(size); }

size_t malloc_usable_size(void *pointer) {
  return pointer && needs.usable_size ? needs.usable_size(pointer) : 0;
}

#endif
