// GIF while it comes: the rows of its first picture. Each look decodes what there is from the start, since codes are
// cut anywhere; a GIF is small, and is looked at ten times a second at most.
#include "coming_kind.h"
#include "gif_codes.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  imgfetch_coming base;
  /// The start of the picture's codes, behind their size, or 0 if it is not known yet; then the
  /// start of the next block.
  size_t codes, block;
  uint32_t left, top, width, height;
  bool is_interlaced;
  unsigned code_bits;
  int transparent;
  uint8_t colours[256][4];
  imgfetch_gif_codes reader;
  uint8_t *numbers;
} coming_gif;

static unsigned little16(const uint8_t *at) { return at[0] | (unsigned)at[1] << 8; }

/// Passes over blocks up to the empty one: the place behind that, or 0 if it has not come.
static size_t behind_blocks(const imgfetch_coming *coming, size_t at) {
  while (at < coming->length) {
    if (coming->bytes[at] == 0) return at + 1;
    at += 1 + (size_t)coming->bytes[at];
  }
  return 0;
}

static void read_colours(coming_gif *self, size_t at, unsigned count) {
  for (unsigned number = 0; number < 256; number++) {
    uint8_t *colour = self->colours[number];
    memset(colour, 0, 4);
    if (number < count) memcpy(colour, self->base.bytes + at + 3 * number, 3);
    colour[3] = (int)number == self->transparent ? 0 : 255;
  }
}

static unsigned table_size(uint8_t flags) { return flags & 0x80 ? 2u << (flags & 7) : 0; }

static uint32_t larger(uint32_t one, uint32_t other) { return one > other ? one : other; }

static bool begin_picture(coming_gif *self, size_t at, size_t shared, unsigned shared_count) {
  imgfetch_coming *base = &self->base;
  if (base->length < at + 10) return true;
  const uint8_t *head = base->bytes + at;
  unsigned count = table_size(head[9]);
  size_t table = at + 10, codes = table + 3 * (size_t)count;
  if (base->length < codes + 1) return true;
  self->code_bits = base->bytes[codes];
  if (self->code_bits < 1 || self->code_bits > 8) {
    return imgfetch_fail(&base->trouble, IMGFETCH_DAMAGED, "a frame with codes of a size that cannot be");
  }
  self->left = little16(head + 1);
  self->top = little16(head + 3);
  self->width = little16(head + 5);
  self->height = little16(head + 7);
  self->is_interlaced = head[9] & 0x40;
  if (count > 0) {
    read_colours(self, table, count);
  } else {
    read_colours(self, shared, shared_count);
  }
  self->codes = codes + 1;
  self->numbers = malloc((size_t)self->width + 1);
  if (!self->numbers) return imgfetch_fail(&base->trouble, IMGFETCH_TOO_LARGE, "there is no memory for a row");
  return imgfetch_coming_make(
      base, larger(little16(base->bytes + 6), self->left + self->width),
      larger(little16(base->bytes + 8), self->top + self->height));
}

/// Looks for the first picture.
static bool find(coming_gif *self) {
  imgfetch_coming *base = &self->base;
  if (base->length < 13) return true;
  unsigned count = table_size(base->bytes[10]);
  size_t at = 13 + 3 * (size_t)count;
  self->transparent = -1;
  while (at + 2 < base->length) {
    if (base->bytes[at] == 0x2C) return begin_picture(self, at, 13, count);
    if (base->bytes[at] != 0x21) return imgfetch_fail(&base->trouble, IMGFETCH_DAMAGED, "it ends without an image");
    size_t next = behind_blocks(base, at + 2);
    if (next == 0) return true;
    bool is_control = base->bytes[at + 1] == 0xF9 && base->bytes[at + 2] >= 4;
    if (is_control && base->bytes[at + 3] & 1) self->transparent = base->bytes[at + 6];
    at = next;
  }
  return true;
}

static bool next_block(void *context, const uint8_t **block, size_t *length) {
  coming_gif *self = context;
  if (self->block >= self->base.length || self->base.bytes[self->block] == 0) return false;
  size_t all = self->base.bytes[self->block], there = self->base.length - self->block - 1;
  *block = self->base.bytes + self->block + 1;
  *length = all < there ? all : there;
  self->block += 1 + all;
  return *length > 0;
}

/// The number of rows is known only when they are decoded; the growth of the bytes shows that there is something new.
static bool take(imgfetch_coming *coming) {
  coming_gif *self = (coming_gif *)coming;
  if (self->codes == 0 && !find(self)) return false;
  if (self->codes == 0 || coming->length <= self->codes || coming->state.rows == coming->state.height) return true;
  coming->state.pass = 1;
  return coming->kind->look(coming);
}

static void lay(coming_gif *self, uint32_t row) {
  uint8_t *to = imgfetch_coming_row(&self->base, self->top + row) + (size_t)self->left * 4;
  for (uint32_t at = 0; at < self->width; at++, to += 4) {
    const uint8_t *colour = self->colours[self->numbers[at]];
    if (colour[3]) memcpy(to, colour, 4);
  }
}

static bool look(imgfetch_coming *coming) {
  coming_gif *self = (coming_gif *)coming;
  imgfetch_gif_codes_begin(&self->reader, self->code_bits);
  self->block = self->codes;
  static const uint32_t first[4] = {0, 4, 2, 1}, step[4] = {8, 8, 4, 2};
  uint32_t rows = 0;
  for (int pass = 0; pass < (self->is_interlaced ? 4 : 1); pass++) {
    uint32_t row = self->is_interlaced ? first[pass] : 0;
    for (; row < self->height; row += self->is_interlaced ? step[pass] : 1, rows++) {
      coming->state.rows = self->top + rows;
      if (imgfetch_gif_codes_read(&self->reader, next_block, self, self->numbers, self->width)) return true;
      lay(self, row);
    }
  }
  coming->state.rows = coming->state.height;
  return true;
}

static void close_gif(imgfetch_coming *coming) { free(((coming_gif *)coming)->numbers); }

const imgfetch_coming_kind imgfetch_coming_gif = {
    .size = sizeof(coming_gif), .take = take, .look = look, .close = close_gif};
