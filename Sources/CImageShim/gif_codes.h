// The codes of a GIF's picture (LZW). giflib decodes them too, but takes a code that cannot be for
// another one and goes on.
#ifndef IMGFETCH_GIF_CODES_H
#define IMGFETCH_GIF_CODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Codes have twelve bits at most.
enum { IMGFETCH_GIF_CODES = 4096 };

typedef struct {
  /// The meaning of a code: the string of the code before, and one pixel more. Its first pixel and
  /// its length are at hand too.
  uint16_t before[IMGFETCH_GIF_CODES], length[IMGFETCH_GIF_CODES];
  uint8_t first[IMGFETCH_GIF_CODES], last[IMGFETCH_GIF_CODES];
  /// The code that empties the table; the one that ends the picture follows it.
  unsigned clear;
  /// The code that the table has none for yet, the bits that a code has now, and the code before this one.
  unsigned next, bits, previous;
  bool has_previous;
  /// The bits that were read of the block, too few for a code.
  uint32_t rest;
  unsigned rest_bits;
  /// The unread rest of the block.
  const uint8_t *block;
  size_t block_left;
  /// A string that did not fit its destination, and the number of its last pixels that are still to be given.
  uint8_t string[IMGFETCH_GIF_CODES];
  size_t string_length, string_left;
} imgfetch_gif_codes;

/// Begins a picture whose pixels have `pixel_bits` bits, 1 to 8.
void imgfetch_gif_codes_begin(imgfetch_gif_codes *codes, unsigned pixel_bits);

/// The source of more bytes: it sets a block and its length, or returns false if there is none any more.
typedef bool imgfetch_gif_blocks(void *context, const uint8_t **block, size_t *length);

/// Reads the next `count` pixels. Returns null, or the error.
const char *imgfetch_gif_codes_read(
    imgfetch_gif_codes *codes, imgfetch_gif_blocks *next_block, void *context, uint8_t *to, size_t count);

#endif
