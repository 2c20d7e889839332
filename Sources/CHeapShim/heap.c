#include "CHeapShim.h"

#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "lines.h"

#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)

// The C library's own. They are what it calls itself, and it exports them for those who stand before it.
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void __libc_free(void *);

// A block that nobody uses holds what follows it. The smallest has room for three pointers.
struct block {
  struct block *next;
  // Of the first of a batch on a shelf.
  struct block *next_batch;
};

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

static pthread_key_t at_end;
static bool has_end;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void release(struct block *block) {
  while (block) {
    struct block *next = block->next;
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

static void prepare(void) { has_end = pthread_key_create(&at_end, leave) == 0; }

// Whether this thread keeps blocks.
static bool begin(void) {
  if (state == passes) return false;
  // What is called here may ask for memory itself.
  state = passes;
  pthread_once(&once, prepare);
  if (!has_end || pthread_setspecific(at_end, &state) != 0) return false;
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

// A block out of a line; NULL: it has none.
static inline void *take(size_t index) {
  struct line *line = &kept[index];
  if (!line->first) {
    struct block *batch = line->batch ? line->batch : fetch(index);
    if (!batch) return NULL;
    *line = (struct line){batch, batch_length(index), NULL};
  }
  struct block *block = line->first;
  line->first = block->next;
  line->count--;
  return block;
}

void *malloc(size_t size) {
  if (size > LARGEST_SIZE) return __libc_malloc(size);
  size_t index = line_to_take(size);
  void *block = take(index);
  return block ? block : __libc_malloc(size_in_line(index));
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
  size_t size = malloc_usable_size(pointer);
  if (size > LARGEST_SIZE || (state != keeps && !begin())) return __libc_free(pointer);
  // Whatever it was asked for as: all blocks are the C library's, and what counts is what it holds.
  size_t index = line_to_give(size);
  struct line *line = &kept[index];
  struct block *block = pointer;
  block->next = line->first;
  line->first = block;
  if (++line->count < batch_length(index)) return;
  if (line->batch) put_away(line->batch, index);
  *line = (struct line){NULL, 0, line->first};
}

#endif
