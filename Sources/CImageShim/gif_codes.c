#include "gif_codes.h"

#include <string.h>

enum { MOST_BITS = 12 };

static void clear(imgfetch_gif_codes *self) {
  self->next = self->clear + 2;
  self->bits = 1;
  while (1u << self->bits <= self->clear) self->bits++;
  self->has_previous = false;
}

void imgfetch_gif_codes_begin(imgfetch_gif_codes *self, unsigned pixel_bits) {
  self->clear = 1u << pixel_bits;
  for (unsigned pixel = 0; pixel < self->clear; pixel++) {
    self->length[pixel] = 1;
    self->first[pixel] = self->last[pixel] = (uint8_t)pixel;
  }
  self->rest = self->rest_bits = 0;
  self->block_left = self->string_left = 0;
  clear(self);
}

/// The next code; false where the blocks end before.
static bool take_code(imgfetch_gif_codes *self, imgfetch_gif_blocks *next_block, void *context, unsigned *code) {
  while (self->rest_bits < self->bits) {
    if (self->block_left == 0 && !next_block(context, &self->block, &self->block_left)) return false;
    self->rest |= (uint32_t)*self->block++ << self->rest_bits;
    self->rest_bits += 8;
    self->block_left--;
  }
  *code = self->rest & ((1u << self->bits) - 1);
  self->rest >>= self->bits;
  self->rest_bits -= self->bits;
  return true;
}

/// Notes what the pair of the previous code and this one stands for. False where there can be no such code yet.
static bool learn(imgfetch_gif_codes *self, unsigned code) {
  if (!self->has_previous) {
    // Where a pixel has one bit, the first code to be defined is already too large for codes of this length.
    if (self->next == 1u << self->bits) self->bits++;
    return code < self->clear;
  }
  bool is_full = self->next == IMGFETCH_GIF_CODES;
  if (code > self->next || (code == self->next && is_full)) return false;
  if (is_full) return true;
  // The code that is being defined may be used at once: its string ends as it begins.
  self->last[self->next] = self->first[code == self->next ? self->previous : code];
  self->before[self->next] = (uint16_t)self->previous;
  self->first[self->next] = self->first[self->previous];
  self->length[self->next] = (uint16_t)(self->length[self->previous] + 1);
  self->next++;
  if (self->next == 1u << self->bits && self->bits < MOST_BITS) self->bits++;
  return true;
}

/// Writes a code's pixels, from the last one on.
static void spell(const imgfetch_gif_codes *self, unsigned code, uint8_t *to) {
  for (size_t at = self->length[code]; at > 1; at--, code = self->before[code]) to[at - 1] = self->last[code];
  to[0] = self->last[code];
}

const char *imgfetch_gif_codes_read(
    imgfetch_gif_codes *self, imgfetch_gif_blocks *next_block, void *context, uint8_t *to, size_t count) {
  while (count > 0) {
    if (self->string_left > 0) {
      size_t step = self->string_left < count ? self->string_left : count;
      memcpy(to, self->string + self->string_length - self->string_left, step);
      self->string_left -= step;
      to += step;
      count -= step;
      continue;
    }
    unsigned code;
    if (!take_code(self, next_block, context, &code)) return "its codes end before its pixels do";
    if (code == self->clear) {
      clear(self);
      continue;
    }
    if (code == self->clear + 1) return "its codes end before its pixels do";
    if (!learn(self, code)) return "a code that cannot be";
    self->previous = code;
    self->has_previous = true;
    size_t length = self->length[code];
    if (length <= count) {
      spell(self, code, to);
      to += length;
      count -= length;
    } else {
      spell(self, code, self->string);
      self->string_length = self->string_left = length;
    }
  }
  return NULL;
}
