// BMP, by ourselves: there is no library for it alone.
#include "bitmap.h"

typedef struct {
  imgfetch_decoder base;
  imgfetch_bitmap bitmap;
  bool is_begun;
} bmp_decoder;

enum { FILE_HEADER = 14 };

static bool open_bmp(imgfetch_decoder *decoder) {
  bmp_decoder *self = (bmp_decoder *)decoder;
  uint8_t head[FILE_HEADER];
  int64_t got = imgfetch_input_read(&decoder->input, 0, head, sizeof head, &decoder->trouble);
  if (got < FILE_HEADER) return imgfetch_fail(&decoder->trouble, IMGFETCH_DAMAGED, "it breaks off");
  uint64_t rows = (uint64_t)head[10] | (uint64_t)head[11] << 8 | (uint64_t)head[12] << 16 | (uint64_t)head[13] << 24;
  return imgfetch_bitmap_open(&self->bitmap, decoder, FILE_HEADER, decoder->input.length, rows, false);
}

static int next_bmp(imgfetch_decoder *decoder, uint32_t *milliseconds) {
  bmp_decoder *self = (bmp_decoder *)decoder;
  if (self->is_begun) return 0;
  return self->is_begun = true;
}

static bool read_bmp(imgfetch_decoder *decoder, uint8_t *row) {
  return imgfetch_bitmap_read(&((bmp_decoder *)decoder)->bitmap, row);
}

static bool finish_bmp(imgfetch_decoder *decoder) { return true; }

static void close_bmp(imgfetch_decoder *decoder) { imgfetch_bitmap_close(&((bmp_decoder *)decoder)->bitmap); }

const imgfetch_decoder_kind imgfetch_bmp_decoding = {
    .size = sizeof(bmp_decoder),
    .open = open_bmp,
    .next = next_bmp,
    .read = read_bmp,
    .finish = finish_bmp,
    .decode_all = imgfetch_decode_rows,
    .close = close_bmp,
};
