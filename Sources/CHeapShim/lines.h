#pragma once

#include <stddef.h>

// Which sizes of blocks are kept together, and how many of them.
//
// Sizes are those that the C library hands out: it puts one word before a block and rounds up to two, so they are multiples of 16,
// less 8. Up to a kilobyte each has a line of its own; above, eight lines share a doubling, and what is asked for is rounded
// up to the next of them.

enum {
  WORD = sizeof(size_t),
  GRAIN = 2 * WORD,
  // The C library's smallest block.
  SMALLEST_CHUNK = 2 * GRAIN,
  SMALLEST_SIZE = SMALLEST_CHUNK - WORD,
  FINE_BITS = 10,
  FINE_LINES = (1 << FINE_BITS) / GRAIN,
  // Larger ones are rare, and dear to keep.
  LARGEST_BITS = 15,
  SHARE_BITS = 3,
  LINES = FINE_LINES + ((LARGEST_BITS - FINE_BITS) << SHARE_BITS) + 1,
  LARGEST_SIZE = (1 << LARGEST_BITS) - WORD,
  // How many batches wait on a shelf at most.
  SHELF_DEPTH = 8,
};

// Proof, here and below: a chunk has at most LARGEST_BITS bits, so the index is below LINES.
static inline size_t coarse_line(size_t chunk) {
  size_t bits = 8 * sizeof(size_t) - 1 - (size_t)__builtin_clzl(chunk);
  size_t share = (chunk >> (bits - SHARE_BITS)) & ((1 << SHARE_BITS) - 1);
  return FINE_LINES + ((bits - FINE_BITS) << SHARE_BITS) + share;
}

// The line of which every block has so many bytes, of at most LARGEST_SIZE.
static inline size_t line_to_take(size_t size) {
  size_t chunk = (size + WORD + GRAIN - 1) & ~(size_t)(GRAIN - 1);
  if (chunk < SMALLEST_CHUNK) chunk = SMALLEST_CHUNK;
  if (chunk < 1 << FINE_BITS) return chunk / GRAIN;
  size_t bits = 8 * sizeof(size_t) - 1 - (size_t)__builtin_clzl(chunk);
  return coarse_line(chunk + ((size_t)1 << (bits - SHARE_BITS)) - 1);
}

// The line for a block that holds so many bytes, at most LARGEST_SIZE: none of its line is asked to hold more.
static inline size_t line_to_give(size_t size) {
  size_t chunk = size + WORD;
  return chunk < 1 << FINE_BITS ? chunk / GRAIN : coarse_line(chunk);
}

// What each block of a line holds at least.
static inline size_t size_in_line(size_t index) {
  if (index < FINE_LINES) return index * GRAIN - WORD;
  size_t bits = FINE_BITS + ((index - FINE_LINES) >> SHARE_BITS);
  size_t share = (index - FINE_LINES) & ((1 << SHARE_BITS) - 1);
  return (((size_t)1 << bits) + (share << (bits - SHARE_BITS))) - WORD;
}

// How many blocks change hands at once: some 16 KB, at least two and at most 32. A thread keeps fewer than twice as many.
static inline unsigned batch_length(size_t index) {
  size_t length = (16 << 10) / (size_in_line(index) + WORD);
  return length < 2 ? 2 : length > 32 ? 32 : (unsigned)length;
}
