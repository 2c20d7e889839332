#pragma once

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

// Where the heap ended when it was last looked at.
static atomic_uintptr_t known_end;

// Has the system back what the heap has grown by with huge pages: one fault then brings in what else takes five hundred, and in a
// virtual machine one of those costs two microseconds. The first pages beyond the heap of a small run stay small, as it touches
// few of them.
static void note_growth(const void *block) {
  const uintptr_t huge = 2 << 20;
  uintptr_t from = atomic_load_explicit(&known_end, memory_order_relaxed);
  uintptr_t to = (uintptr_t)sbrk(0);
  // One that lies behind it is mapped by itself.
  if ((uintptr_t)block >= to || !atomic_compare_exchange_strong(&known_end, &from, to) || !from) return;
  uintptr_t start = (from + 2 * huge - 1) & ~(huge - 1), end = to & ~(huge - 1);
  // Where there are none it fails, which is nobody's error.
  int before = errno;
  if (start < end) madvise((void *)start, end - start, MADV_HUGEPAGE);
  errno = before;
}

// Looks whether the heap has grown for this block.
static inline void follow_growth(const void *block, size_t size) {
  if ((uintptr_t)block + size > atomic_load_explicit(&known_end, memory_order_relaxed)) note_growth(block);
}
