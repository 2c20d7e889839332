// Windows bitmaps, as in BMP files and in the pictures of icons: rows as RGB, or as RGBA where
// something is transparent.
#ifndef IMGFETCH_BITMAP_H
#define IMGFETCH_BITMAP_H

#include "decoder.h"

/// The position of one colour's bits in a pixel.
typedef struct {
  uint32_t mask;
  uint8_t shift;
  /// The number of bits, eight at most: of more, the upper ones count.
  uint8_t bits;
} imgfetch_bitmap_channel;

typedef struct {
  imgfetch_decoder *decoder;
  uint32_t width, height;
  uint32_t bits;
  uint32_t coding;
  bool is_top_down;
  bool is_icon;
  bool has_alpha;
  /// The start of the first stored row, the length of one, and the start of an icon's mask, or 0 for no mask.
  uint64_t rows, stride, mask;
  uint8_t palette[256][3];
  imgfetch_bitmap_channel channels[4];
  /// One stored row, and one of the mask.
  uint8_t *row, *mask_row;
  /// The picture of run-length codes: for each pixel its colour's number, and whether it was set.
  uint8_t *numbers, *is_set;
  uint32_t rows_given;
} imgfetch_bitmap;

/// Reads the header at `start`, its colours, and run-length codes. The picture ends before `end`. The rows begin at
/// `rows`, or behind the colours if that is 0. Sets the decoder's layout.
bool imgfetch_bitmap_open(
    imgfetch_bitmap *bitmap, imgfetch_decoder *decoder, uint64_t start, uint64_t end, uint64_t rows, bool is_icon);

/// The next row, from the top down.
bool imgfetch_bitmap_read(imgfetch_bitmap *bitmap, uint8_t *row);

void imgfetch_bitmap_close(imgfetch_bitmap *bitmap);

#endif
