// ICO, by ourselves: its largest picture, which is a bitmap or a PNG.
#include "bitmap.h"

#include <string.h>

typedef struct {
  imgfetch_decoder base;
  imgfetch_bitmap bitmap;
  /// The decoder of the picture, if it is a PNG.
  imgfetch_decoder *png;
  bool is_begun;
} ico_decoder;

typedef struct {
  uint64_t start;
  /// The number of bytes up to the next picture or the end of the file: the length in the directory may be wrong.
  uint64_t length;
  uint64_t pixels;
  uint32_t bits;
  bool is_png;
} picture;

enum { DIRECTORY_HEAD = 6, ENTRY = 16, HEAD = 40, MOST_ENTRIES = 256 };

static uint32_t little(const uint8_t *bytes, int count) {
  uint32_t number = 0;
  for (int at = count - 1; at >= 0; at--) number = number << 8 | bytes[at];
  return number;
}

/// The size and depth of a picture as it says itself: the directory's bytes end at 256, and are often wrong.
static bool measure(ico_decoder *self, picture *picture) {
  uint8_t head[HEAD] = {0};
  imgfetch_decoder *decoder = &self->base;
  if (imgfetch_input_read(&decoder->input, picture->start, head, sizeof head, &decoder->trouble) < HEAD) return false;
  picture->is_png = memcmp(head, "\x89PNG", 4) == 0;
  if (picture->is_png) {
    picture->pixels = (uint64_t)__builtin_bswap32(little(head + 16, 4)) * __builtin_bswap32(little(head + 20, 4));
    picture->bits = head[24];
  } else {
    int32_t height = (int32_t)little(head + 8, 4);
    picture->pixels = (uint64_t)little(head + 4, 4) * ((height < 0 ? -(uint32_t)height : (uint32_t)height) / 2);
    uint32_t bits = little(head + 14, 2);
    picture->bits = bits <= 8 ? bits : bits == 16 ? 5 : 8;
  }
  return true;
}

/// The room that a picture has.
static bool measure_room(ico_decoder *self, uint32_t count, picture *picture) {
  imgfetch_decoder *decoder = &self->base;
  uint8_t bytes[ENTRY];
  uint64_t end = decoder->input.length;
  for (uint32_t at = 0; at < count && at < MOST_ENTRIES; at++) {
    uint64_t place = DIRECTORY_HEAD + (uint64_t)at * ENTRY;
    if (imgfetch_input_read(&decoder->input, place, bytes, ENTRY, &decoder->trouble) < ENTRY) return false;
    uint64_t start = little(bytes + 12, 4);
    if (start > picture->start && start < end) end = start;
  }
  if (picture->start > end) return false;
  picture->length = end - picture->start;
  return true;
}

/// The largest picture; of equal ones the deepest, then the first in the file. The inspection tells its size.
static bool find_largest(ico_decoder *self, picture *largest) {
  imgfetch_decoder *decoder = &self->base;
  uint8_t bytes[ENTRY];
  if (imgfetch_input_read(&decoder->input, 0, bytes, DIRECTORY_HEAD, &decoder->trouble) < DIRECTORY_HEAD) return false;
  uint32_t count = little(bytes + 4, 2);
  for (uint32_t at = 0; at < count && at < MOST_ENTRIES; at++) {
    uint64_t place = DIRECTORY_HEAD + (uint64_t)at * ENTRY;
    if (imgfetch_input_read(&decoder->input, place, bytes, ENTRY, &decoder->trouble) < ENTRY) return false;
    picture found = {.start = little(bytes + 12, 4)};
    if (!measure(self, &found)) return false;
    bool is_larger = found.pixels != largest->pixels ? found.pixels > largest->pixels
        : found.bits != largest->bits                ? found.bits > largest->bits
                                                     : found.start < largest->start;
    if (at == 0 || is_larger) *largest = found;
  }
  return count > 0 && measure_room(self, count, largest);
}

static bool open_png(ico_decoder *self, const picture *picture) {
  imgfetch_decoder *decoder = &self->base;
  imgfetch_input input = decoder->input;
  input.start += picture->start;
  input.length = picture->length;
  self->png = imgfetch_decoder_open(IMGFETCH_PNG, input, &decoder->options, &decoder->trouble);
  if (!self->png) return false;
  decoder->layout = self->png->layout;
  imgfetch_keep_profile(decoder, self->png->profile, self->png->profile_length);
  return imgfetch_has_told_size(decoder);
}

static bool open_ico(imgfetch_decoder *decoder) {
  ico_decoder *self = (ico_decoder *)decoder;
  picture largest = {0};
  if (!find_largest(self, &largest)) {
    return imgfetch_fail(&decoder->trouble, IMGFETCH_DAMAGED, "it breaks off");
  }
  if (largest.is_png) return open_png(self, &largest);
  return imgfetch_bitmap_open(&self->bitmap, decoder, largest.start, largest.start + largest.length, 0, true);
}

static int next_ico(imgfetch_decoder *decoder, uint32_t *milliseconds) {
  ico_decoder *self = (ico_decoder *)decoder;
  if (self->is_begun) return 0;
  self->is_begun = true;
  if (!self->png) return 1;
  int answer = imgfetch_decoder_next(self->png, milliseconds, &decoder->trouble);
  decoder->held = self->png->held;
  return answer;
}

static bool read_ico(imgfetch_decoder *decoder, uint8_t *row) {
  ico_decoder *self = (ico_decoder *)decoder;
  return self->png ? imgfetch_decoder_read(self->png, row, &decoder->trouble)
                   : imgfetch_bitmap_read(&self->bitmap, row);
}

static bool finish_ico(imgfetch_decoder *decoder) {
  ico_decoder *self = (ico_decoder *)decoder;
  return !self->png || imgfetch_decoder_finish(self->png, &decoder->trouble);
}

static void close_ico(imgfetch_decoder *decoder) {
  ico_decoder *self = (ico_decoder *)decoder;
  imgfetch_decoder_close(self->png);
  imgfetch_bitmap_close(&self->bitmap);
}

const imgfetch_decoder_kind imgfetch_ico_decoding = {
    .size = sizeof(ico_decoder),
    .open = open_ico,
    .next = next_ico,
    .read = read_ico,
    .finish = finish_ico,
    .decode_all = imgfetch_decode_rows,
    .close = close_ico,
};
