// What is built in the place of the rest where IMGFETCH_NO_SMALL_JPEG is set: every file is left to the library.
#include "CSmallJPEG.h"

imgfetch_small_jpeg *imgfetch_small_jpeg_open(
    const struct jpeg_decompress_struct *jpeg, const uint8_t *coded, size_t length) {
  return NULL;
}

bool imgfetch_small_jpeg_read(imgfetch_small_jpeg *small, uint8_t *row) { return false; }

void imgfetch_small_jpeg_close(imgfetch_small_jpeg *small) {}
