// Built in place of the other files if IMGFETCH_NO_SMALL_JPEG is set: every image is left to the library.
#include "CSmallJPEG.h"

imgfetch_small_jpeg *imgfetch_small_jpeg_open(
    const struct jpeg_decompress_struct *jpeg, const uint8_t *coded, size_t length) {
  return NULL;
}

bool imgfetch_small_jpeg_read(imgfetch_small_jpeg *small, uint8_t *row) { return false; }

imgfetch_small_jpeg *imgfetch_small_jpeg_beside(const struct jpeg_decompress_struct *jpeg) { return NULL; }

void imgfetch_small_jpeg_add(imgfetch_small_jpeg *small, const JBLOCKROW *blocks) {}

JDIMENSION imgfetch_small_jpeg_width(const imgfetch_small_jpeg *small) { return 0; }

JDIMENSION imgfetch_small_jpeg_height(const imgfetch_small_jpeg *small) { return 0; }

void imgfetch_small_jpeg_row(const imgfetch_small_jpeg *small, JDIMENSION number, uint8_t *row) {}

void imgfetch_small_jpeg_close(imgfetch_small_jpeg *small) {}
