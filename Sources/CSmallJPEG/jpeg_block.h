// A block of a JPEG, as far as a small picture shows it: its values, and the few pixels that come of them.
//
// The bytes are a stranger's. Bits are read by jpeg_bits.h alone, which looks at how many there are. A table is asked
// by as many bits as it has places for. Where a value is put follows from how many are kept of a block, which are at
// most JPEG_MOST_KEPT, and from how far one code leads, which is at most JPEG_BLOCK.
#ifndef IMGFETCH_JPEG_BLOCK_H
#define IMGFETCH_JPEG_BLOCK_H

#include "jpeg_bits.h"
#include "jpeg_codes.h"

enum {
  /// The most pixels of a block's side.
  JPEG_MOST_PIXELS = 4,
  /// The last value that a block of 4 x 4 pixels shows is the 25th.
  JPEG_MOST_KEPT = 25,
  /// Places to which one more code can lead from those.
  JPEG_VALUES = JPEG_MOST_KEPT + JPEG_BLOCK,
};

typedef struct {
  const jpeg_first_codes *first;
  const jpeg_rest_codes *rest;
  /// The number of pixels that a block becomes, and of this component's blocks in a unit.
  unsigned width, height, across, down;
  /// The number of a block's values that are decoded, and their multipliers.
  unsigned kept;
  uint16_t steps[JPEG_BLOCK];
  /// The first value of the block before.
  uint32_t last;
  uint8_t *samples;
} jpeg_component;

/// The places of the values of the lowest frequencies in a block.
static const uint8_t jpeg_places[JPEG_MOST_PIXELS][JPEG_MOST_PIXELS] = {
    {0, 1, 5, 6},
    {2, 4, 7, 13},
    {3, 8, 12, 17},
    {9, 11, 18, 24},
};

/// The places where the library keeps the values that come first: row by row, from low frequencies to high.
static const uint8_t jpeg_order[JPEG_MOST_KEPT] = {
    0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27,
};

/// The number of values up to the last one that a block of this size in pixels shows.
static inline unsigned jpeg_kept(unsigned width, unsigned height) {
  unsigned last = 0;
  for (unsigned row = 0; row < height; row++) {
    for (unsigned column = 0; column < width; column++) {
      if (jpeg_places[row][column] > last) last = jpeg_places[row][column];
    }
  }
  return last + 1;
}

static inline int jpeg_value(uint64_t bits, jpeg_code code) {
  unsigned count = jpeg_code_value_bits(code);
  int size = 1 << count;
  int value = (int)(bits >> (64 - jpeg_code_bits(code))) & (size - 1);
  return value < size >> 1 ? value - size + 1 : value;
}

/// Decodes the kept part of a block into `values`, of which the first JPEG_MOST_KEPT are 0 and JPEG_VALUES there, and
/// skips the rest. Returns false if anything is unusual.
static inline __attribute__((always_inline)) bool jpeg_block_read(
    jpeg_bits *bits, jpeg_component *component, int16_t *values) {
  const jpeg_first_codes *first = component->first;
  jpeg_bits_fill(bits);
  jpeg_code code = first->found[bits->bits >> (64 - JPEG_FIRST_BITS)];
  if (code == 0) code = jpeg_table_find(&first->table, bits->bits, 16);
  if (code == 0) return false;
  component->last += (uint32_t)jpeg_value(bits->bits, code);
  jpeg_bits_skip(bits, jpeg_code_bits(code));
  // The library keeps 16 bits of it too.
  values[0] = (int16_t)component->last;
  const jpeg_rest_codes *rest = component->rest;
  unsigned at = 1, kept = component->kept;
  while (at < kept) {
    jpeg_bits_fill(bits);
    // Two of the codes that the table finds have 54 bits at most, of the 56 that are there.
    for (int turn = 0; turn < 2 && at < kept; turn++) {
      code = rest->found[bits->bits >> (64 - JPEG_REST_BITS)].code;
      if (code == 0) {
        jpeg_bits_fill(bits);
        code = jpeg_table_find(&rest->table, bits->bits, 16);
        if (code == 0) return false;
      }
      // From 24 by at most 64, where there is a place for it: nothing has to be asked. At the end it is a zero.
      at += jpeg_code_way(code);
      values[at - 1] = (int16_t)jpeg_value(bits->bits, code);
      jpeg_bits_skip(bits, jpeg_code_bits(code));
      if (__builtin_expect(jpeg_code_bits(code) > 27, 0)) break;
    }
  }
  // That far only an end has led: others go on by 16.
  if (at > JPEG_BLOCK) return bits->count >= 0;
  while (at < JPEG_BLOCK) {
    jpeg_bits_fill(bits);
    jpeg_rest found;
    unsigned next;
    // Three times 12 bits are there, or twice and a code of any length.
    for (int turn = 0;; turn++) {
      found = rest->found[bits->bits >> (64 - JPEG_REST_BITS)];
      next = at + jpeg_run_way(found.run);
      if (next >= JPEG_BLOCK || turn == 2) break;
      jpeg_bits_skip(bits, jpeg_run_bits(found.run));
      at = next;
    }
    if (next <= JPEG_BLOCK || next - JPEG_END < JPEG_BLOCK) {
      jpeg_bits_skip(bits, jpeg_run_bits(found.run));
      at = next;
      continue;
    }
    // The block ends within these codes: one at a time.
    code = found.code;
    if (code == 0) code = jpeg_table_find(&rest->table, bits->bits, 16);
    if (code == 0) return false;
    at = jpeg_code_way(code) == JPEG_BLOCK ? JPEG_END : at + jpeg_code_way(code);
    jpeg_bits_skip(bits, jpeg_code_bits(code));
  }
  // The library lets a code lead beyond a block's end. Here that is strange, as are bits that are not there.
  return bits->count >= 0 && (at == JPEG_BLOCK || at >= JPEG_END);
}

static inline uint8_t jpeg_sample(int eighths) {
  int value = ((eighths + 4) >> 3) + 128;
  return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
}

/// Turns a line's frequencies into its pixels. The factors are the square root of 2 times cos(pi / 8) and
/// cos(3 pi / 8), in 1,024ths.
static inline void jpeg_spread(int *line, unsigned count, unsigned step) {
  int even = line[0], odd = line[step];
  if (count == 1) return;
  if (count == 2) {
    line[0] = even + odd;
    line[step] = even - odd;
    return;
  }
  int third = line[2 * step], fourth = line[3 * step];
  int outer = (1338 * odd + 554 * fourth + 512) >> 10, inner = (554 * odd - 1338 * fourth + 512) >> 10;
  line[0] = even + third + outer;
  line[step] = even - third + inner;
  line[2 * step] = even - third - inner;
  line[3 * step] = even + third - outer;
}

/// The dequantized value. Values of more than 16 bits are in no picture.
static inline int jpeg_scaled(const int16_t *values, const jpeg_component *component, unsigned place) {
  return (int16_t)(values[place] * component->steps[place]);
}

/// Writes a block of any size. Values of 16 bits become less than 4 times as large in each direction, and are
/// multiplied by 1,892 in between: 2^15 * 4 * 1892 is less than 2^31.
static inline void jpeg_block_write_any(
    const int16_t *values, const jpeg_component *component, uint8_t *to, size_t stride) {
  int pixels[JPEG_MOST_PIXELS][JPEG_MOST_PIXELS] = {0};
  unsigned width = component->width, height = component->height;
  for (unsigned row = 0; row < height; row++) {
    for (unsigned column = 0; column < width; column++) {
      pixels[row][column] = jpeg_scaled(values, component, jpeg_places[row][column]);
    }
  }
  for (unsigned column = 0; column < width; column++) jpeg_spread(&pixels[0][column], height, JPEG_MOST_PIXELS);
  for (unsigned row = 0; row < height; row++) {
    jpeg_spread(pixels[row], width, 1);
    for (unsigned column = 0; column < width; column++) to[row * stride + column] = jpeg_sample(pixels[row][column]);
  }
}

/// Writes a block's pixels, most of which are blocks of one or of 2 x 2.
static inline void jpeg_block_write(
    const int16_t *values, const jpeg_component *component, uint8_t *to, size_t stride) {
  int mean = jpeg_scaled(values, component, 0);
  if (component->kept == 1) {
    to[0] = jpeg_sample(mean);
  } else if (component->kept == 5) {
    int across = jpeg_scaled(values, component, 1), down = jpeg_scaled(values, component, 2);
    int both = jpeg_scaled(values, component, 4);
    to[0] = jpeg_sample(mean + across + down + both);
    to[1] = jpeg_sample(mean - across + down - both);
    to[stride] = jpeg_sample(mean + across - down - both);
    to[stride + 1] = jpeg_sample(mean - across - down + both);
  } else {
    jpeg_block_write_any(values, component, to, stride);
  }
}

#endif
