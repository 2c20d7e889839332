// The bits of a JPEG's coded data, up to the next mark.
#ifndef IMGFETCH_JPEG_BITS_H
#define IMGFETCH_JPEG_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
  const uint8_t *at, *end;
  /// The next bits, from the top down, of which `count` are there: less than none once more were taken than there are.
  /// Behind them there is nothing, or the beginning of the byte at `at`.
  uint64_t bits;
  int count;
  /// True if no more bits come: `at` is at a mark, or at the last byte.
  bool is_done;
} jpeg_bits;

/// Bytes of ones mark something, or stand for themselves with a zero behind them.
static inline bool jpeg_bits_are_marked(uint64_t bytes) {
  return ((~bytes - 0x0101010101010101) & bytes & 0x8080808080808080) != 0;
}

/// The same as `jpeg_bits_fill`, byte by byte.
static __attribute__((noinline)) jpeg_bits jpeg_bits_fill_slowly(
    const uint8_t *at, const uint8_t *end, uint64_t bits, int count) {
  bool is_done = false;
  while (count < 56) {
    is_done = end - at < 2 || (at[0] == 0xFF && at[1] != 0);
    if (is_done) break;
    bits |= (uint64_t)at[0] << (56 - count);
    count += 8;
    at += at[0] == 0xFF ? 2 : 1;
  }
  return (jpeg_bits){.at = at, .end = end, .bits = bits, .count = count, .is_done = is_done};
}

/// Sees to it that there are 56 bits, or all that are left. To ask first whether there are was slower: the
/// answer cannot be foreseen.
static inline __attribute__((always_inline)) void jpeg_bits_fill(jpeg_bits *bits) {
  if (bits->end - bits->at >= 8) {
    uint64_t bytes;
    memcpy(&bytes, bits->at, sizeof bytes);
    bytes = __builtin_bswap64(bytes);
    if (!jpeg_bits_are_marked(bytes)) {
      // It is not done, so that `count` is 0 to 63 (callers take 56 at most between two fillings), and eight
      // bytes are there to go on by up to seven.
      bits->bits |= bytes >> bits->count;
      bits->at += (63 - bits->count) >> 3;
      bits->count |= 56;
      return;
    }
  }
  if (bits->is_done) return;
  // By parts and by value: a variable whose address is known stays in no register, which made all of this take a third
  // longer.
  jpeg_bits filled = jpeg_bits_fill_slowly(bits->at, bits->end, bits->bits, bits->count);
  bits->at = filled.at;
  bits->bits = filled.bits;
  bits->count = filled.count;
  bits->is_done = filled.is_done;
}

/// Skips up to 31 bits. If fewer are left, `count` is below 0 afterwards.
static inline __attribute__((always_inline)) void jpeg_bits_skip(jpeg_bits *bits, unsigned count) {
  bits->bits <<= count;
  bits->count -= (int)count;
}

/// True if only the rest of a byte is left before a mark.
static inline bool jpeg_bits_are_over(jpeg_bits *bits) {
  jpeg_bits_fill(bits);
  return bits->is_done && bits->count >= 0 && bits->count < 8 && bits->end - bits->at >= 2;
}

#endif
