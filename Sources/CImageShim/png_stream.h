// The input of libpng. It knows no animations: each of their pictures is handed to it as a PNG of its own, made of the
// file's header and palette and of that picture's data.
#ifndef IMGFETCH_PNG_STREAM_H
#define IMGFETCH_PNG_STREAM_H

#include "decoder.h"

#include <png.h>

/// A frame as its control chunk describes it.
typedef struct {
  uint32_t width, height, x, y;
  uint32_t milliseconds;
  /// 0 leave, 1 clear, 2 restore; and true if it is laid over the earlier pixels instead of replacing them.
  uint8_t disposal;
  bool is_blended;
} imgfetch_png_frame;

typedef struct {
  const imgfetch_input *input;
  imgfetch_trouble *trouble;
  /// A few bytes that are in no file, and the number that was read.
  uint8_t made[40];
  size_t made_length, made_read;
  /// A stretch of the file.
  uint64_t from, left;
  /// The chunk of the file that is looked at next.
  uint64_t chunk;
  int phase;
  /// The bytes of the last sum that the file lacks, which are made up.
  uint32_t missing_sum;
  uint8_t header[13];
} imgfetch_png_stream;

/// The still image: the file as it stands.
void imgfetch_png_whole(imgfetch_png_stream *stream, const imgfetch_input *input, imgfetch_trouble *trouble);

/// The same up to its last chunk of data that has all its content, and an end chunk: for a file whose own is bad or
/// missing. The sum of that chunk may be missing, too.
void imgfetch_png_mended(imgfetch_png_stream *stream, const imgfetch_input *input, imgfetch_trouble *trouble);

/// Looks for the next frame of an animation, from `*place` (0 at first) on, and makes `stream` the PNG of it: 1, or 0
/// where there is none, -1 if the file cannot be read.
int imgfetch_png_next_frame(
    imgfetch_png_stream *stream, const imgfetch_input *input, imgfetch_trouble *trouble, uint64_t *place,
    imgfetch_png_frame *frame);

/// Finds a chunk by its name: where its content begins, and how long that is; false if there is none.
bool imgfetch_png_find(
    const imgfetch_input *input, imgfetch_trouble *trouble, const char *name, uint64_t *content, uint32_t *length);

/// The fault of the image data that libpng warns of; null if no pixel needs what the warning is about.
///
/// libpng warns of data that breaks off behind the last pixel. Some writers leave more data there than they need.
const char *imgfetch_png_fault(const char *warning);

/// Lets libpng read data whose header names too small a window. Browsers show such pictures, and an optimizer of old
/// made them.
void imgfetch_png_allow_window(png_structp png);

/// Reads exactly `count` bytes. Returns false if there are fewer.
bool imgfetch_png_read(imgfetch_png_stream *stream, uint8_t *to, size_t count);

#endif
