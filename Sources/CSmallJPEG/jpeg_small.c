// For a thumbnail, the library decodes each of a block's 64 values, to make one pixel of them, or four. But values come
// one after the other, from coarse to fine. Here only those are decoded that the small picture shows, and the others
// are skipped, several at a time (Speed.md has the gain).
//
// Where a block becomes one pixel, the result is the library's own. Where it becomes 2 x 2 or 4 x 4, the library takes
// the means of the whole block's pixels; this leaves out the frequencies that are too fine for that size, which is
// nearer to Lanczos' filter over the whole picture.
//
// The places of written pixels follow from numbers that `prepare` has checked, and not from the coded data.
#include "CSmallJPEG.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "jpeg_block.h"

/// The most rows of pixels that a unit becomes: four blocks of two.
enum { MOST_ROWS = 8 };

struct imgfetch_small_jpeg {
  const struct jpeg_decompress_struct *jpeg;
  jpeg_first_codes first[NUM_HUFF_TBLS];
  jpeg_rest_codes rest[NUM_HUFF_TBLS];
  jpeg_component components[3];
  unsigned count;
  /// Units in a row of them, and rows of them; each is `rows` pixels high.
  unsigned across, down, rows;
  /// The bytes from one row of a component's samples to the next.
  size_t stride;
  unsigned next_unit_row, next_row, next_unit;
  /// Units up to the next restart mark, and the number of that.
  unsigned left, restarts;
  /// Pixels of a unit's sides for each block, and of the picture. A row of units is held, or all of them.
  unsigned size, width, height;
  bool is_whole;
  jpeg_bits bits;
  uint8_t *samples;
};

// MARK: Units

/// Reads the restart mark that is due.
static bool restart(imgfetch_small_jpeg *self) {
  jpeg_bits *bits = &self->bits;
  if (!jpeg_bits_are_over(bits) || bits->at[1] != 0xD0 + (self->restarts++ & 7)) return false;
  *bits = (jpeg_bits){.at = bits->at + 2, .end = bits->end};
  for (unsigned at = 0; at < self->count; at++) self->components[at].last = 0;
  self->left = self->jpeg->restart_interval;
  return true;
}

/// Reads the next `count` units from the one at `place` on, between which there is no mark.
static bool read_units(imgfetch_small_jpeg *self, unsigned place, unsigned count) {
  jpeg_bits bits = {
      .at = self->bits.at, .end = self->bits.end, .bits = self->bits.bits, .count = self->bits.count,
      .is_done = self->bits.is_done};
  int16_t values[JPEG_VALUES];
  for (unsigned unit = place; unit < place + count; unit++) {
    for (unsigned number = 0; number < self->count; number++) {
      jpeg_component *component = &self->components[number];
      size_t width = component->width, step = component->height * self->stride;
      uint8_t *row = component->samples + unit * component->across * width;
      for (unsigned down = 0; down < component->down; down++, row += step) {
        for (unsigned across = 0; across < component->across; across++) {
          memset(values, 0, JPEG_MOST_KEPT * sizeof *values);
          if (!jpeg_block_read(&bits, component, values)) return false;
          jpeg_block_write(values, component, row + across * width, self->stride);
        }
      }
    }
  }
  self->bits = bits;
  return true;
}

static bool read_unit_row(imgfetch_small_jpeg *self) {
  unsigned place = 0;
  while (place < self->across) {
    bool restarts = self->jpeg->restart_interval > 0;
    if (restarts && self->left == 0 && !restart(self)) return false;
    unsigned count = self->across - place;
    if (restarts && count > self->left) count = self->left;
    if (!read_units(self, place, count)) return false;
    place += count;
    self->left -= restarts ? count : 0;
  }
  self->next_row = 0;
  if (++self->next_unit_row < self->down) return true;
  return jpeg_bits_are_over(&self->bits) && self->bits.at[1] == 0xD9;
}

// MARK: Rows

static uint8_t clamped(int value) { return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value); }

/// Converts colours as the library does, in 65,536ths.
static void write_colours(
    const uint8_t *restrict light, const uint8_t *restrict blue, const uint8_t *restrict red, uint8_t *restrict to,
    size_t count) {
  for (size_t at = 0; at < count; at++) {
    int y = light[at], cb = blue[at] - 128, cr = red[at] - 128;
    to[3 * at] = clamped(y + ((91881 * cr + 32768) >> 16));
    to[3 * at + 1] = clamped(y + ((-22554 * cb - 46802 * cr + 32768) >> 16));
    to[3 * at + 2] = clamped(y + ((116130 * cb + 32768) >> 16));
  }
}

/// The row of pixels whose samples begin at `at`.
static void write_row(const imgfetch_small_jpeg *self, size_t at, uint8_t *row) {
  const jpeg_component *components = self->components;
  if (self->count == 1) {
    memcpy(row, components[0].samples + at, self->width);
  } else {
    write_colours(
        components[0].samples + at, components[1].samples + at, components[2].samples + at, row, self->width);
  }
}

bool imgfetch_small_jpeg_read(imgfetch_small_jpeg *self, uint8_t *row) {
  if (self->next_row == self->rows && (self->next_unit_row == self->down || !read_unit_row(self))) return false;
  write_row(self, self->next_row++ * self->stride, row);
  return true;
}

// MARK: Beside the library

void imgfetch_small_jpeg_add(imgfetch_small_jpeg *self, const JBLOCKROW *blocks) {
  // Units beyond the picture's, if there were any, have no place.
  if (self->next_unit_row == self->down) return;
  unsigned unit = self->next_unit++;
  size_t top = (size_t)self->next_unit_row * self->rows * self->stride;
  int16_t values[JPEG_MOST_KEPT];
  for (unsigned number = 0; number < self->count; number++) {
    const jpeg_component *component = &self->components[number];
    size_t width = component->width, step = component->height * self->stride;
    uint8_t *row = component->samples + top + unit * component->across * width;
    for (unsigned down = 0; down < component->down; down++, row += step) {
      for (unsigned across = 0; across < component->across; across++, blocks++) {
        for (unsigned at = 0; at < component->kept; at++) values[at] = (*blocks)[0][jpeg_order[at]];
        jpeg_block_write(values, component, row + across * width, self->stride);
      }
    }
  }
  if (self->next_unit < self->across) return;
  self->next_unit = 0;
  self->next_unit_row++;
}

JDIMENSION imgfetch_small_jpeg_width(const imgfetch_small_jpeg *self) {
  return self->next_unit_row == self->down ? self->width : 0;
}

JDIMENSION imgfetch_small_jpeg_height(const imgfetch_small_jpeg *self) {
  return self->next_unit_row == self->down ? self->height : 0;
}

void imgfetch_small_jpeg_row(const imgfetch_small_jpeg *self, JDIMENSION number, uint8_t *row) {
  if (number < imgfetch_small_jpeg_height(self)) write_row(self, number * self->stride, row);
}

// MARK: Beginning and end

static bool is_suited(const struct jpeg_decompress_struct *jpeg) {
  bool is_grey = jpeg->num_components == 1 && jpeg->jpeg_color_space == JCS_GRAYSCALE &&
                 jpeg->out_color_space == JCS_GRAYSCALE;
  bool is_colour =
      jpeg->num_components == 3 && jpeg->jpeg_color_space == JCS_YCbCr && jpeg->out_color_space == JCS_RGB;
  bool is_plain = jpeg->Ss == 0 && jpeg->Se == JPEG_BLOCK - 1 && jpeg->Ah == 0 && jpeg->Al == 0;
  return (is_grey || is_colour) && is_plain && !jpeg->progressive_mode && !jpeg->arith_code &&
         jpeg->data_precision == 8 && jpeg->comps_in_scan == jpeg->num_components;
}

static bool make_component(
    imgfetch_small_jpeg *self, jpeg_component *component, const jpeg_component_info *info, bool *has_first,
    bool *has_rest) {
  int first = info->dc_tbl_no, rest = info->ac_tbl_no, steps = info->quant_tbl_no;
  if (first < 0 || first >= NUM_HUFF_TBLS || rest < 0 || rest >= NUM_HUFF_TBLS) return false;
  if (steps < 0 || steps >= NUM_QUANT_TBLS || !self->jpeg->quant_tbl_ptrs[steps]) return false;
  if (!has_first[first] && !jpeg_first_codes_make(&self->first[first], self->jpeg->dc_huff_tbl_ptrs[first])) return false;
  if (!has_rest[rest] && !jpeg_rest_codes_make(&self->rest[rest], self->jpeg->ac_huff_tbl_ptrs[rest])) return false;
  has_first[first] = has_rest[rest] = true;
  component->first = &self->first[first];
  component->rest = &self->rest[rest];
  component->kept = jpeg_kept(component->width, component->height);
  for (unsigned row = 0; row < component->height; row++) {
    for (unsigned column = 0; column < component->width; column++) {
      component->steps[jpeg_places[row][column]] = self->jpeg->quant_tbl_ptrs[steps]->quantval[row * DCTSIZE + column];
    }
  }
  return true;
}

/// The number of pixels that a side of a block becomes: 1, 2 or 4, so that all components come out at one
/// size, or 0 for anything else.
static unsigned side(int size, int most, int factor) {
  if (factor < 1 || most < factor || most % factor != 0) return 0;
  int pixels = size * (most / factor);
  return pixels == 1 || pixels == 2 || pixels == 4 ? (unsigned)pixels : 0;
}

static bool prepare(imgfetch_small_jpeg *self) {
  const struct jpeg_decompress_struct *jpeg = self->jpeg;
  bool has_first[NUM_HUFF_TBLS] = {0}, has_rest[NUM_HUFF_TBLS] = {0};
  // The blocks of the only component follow each other, whatever it says of its share.
  bool is_grey = jpeg->num_components == 1;
  int size = (int)self->size;
  int most_across = is_grey ? 1 : jpeg->max_h_samp_factor, most_down = is_grey ? 1 : jpeg->max_v_samp_factor;
  unsigned blocks = 0;
  for (self->count = 0; self->count < (unsigned)jpeg->comps_in_scan; self->count++) {
    const jpeg_component_info *info = jpeg->cur_comp_info[self->count];
    jpeg_component *component = &self->components[self->count];
    // In another order the planes would be other colours.
    if (info != &jpeg->comp_info[self->count]) return false;
    component->across = is_grey ? 1 : (unsigned)info->h_samp_factor;
    component->down = is_grey ? 1 : (unsigned)info->v_samp_factor;
    component->width = side(size, most_across, is_grey ? 1 : info->h_samp_factor);
    component->height = side(size, most_down, is_grey ? 1 : info->v_samp_factor);
    if (component->width == 0 || component->height == 0) return false;
    blocks += component->across * component->down;
    if (!make_component(self, component, info, has_first, has_rest)) return false;
  }
  self->rows = (unsigned)(size * most_down);
  if (blocks > D_MAX_BLOCKS_IN_MCU || self->rows > MOST_ROWS) return false;
  unsigned width = 8 * (unsigned)most_across, height = 8 * (unsigned)most_down;
  self->across = (jpeg->image_width + width - 1) / width;
  self->down = (jpeg->image_height + height - 1) / height;
  self->stride = (size_t)self->across * (unsigned)(size * most_across);
  // The units together are at least as wide and high as the wanted picture.
  if (self->stride < self->width || (uint64_t)self->rows * self->down < self->height) return false;
  size_t bytes = self->rows * self->stride * (self->is_whole ? self->down : 1);
  self->samples = malloc(self->count * bytes);
  if (!self->samples) return false;
  for (unsigned at = 0; at < self->count; at++) self->components[at].samples = self->samples + at * bytes;
  self->next_row = self->rows;
  self->left = jpeg->restart_interval;
  return true;
}

/// The last one that was closed. Many files have the tables of the standard, whose codes need not be made anew.
static _Atomic(imgfetch_small_jpeg *) spare;

static imgfetch_small_jpeg *take_spare(void) {
  imgfetch_small_jpeg *self = atomic_exchange(&spare, NULL);
  if (!self) return calloc(1, sizeof *self);
  // Resets all but the codes, each of which keeps its own table.
  self->samples = NULL;
  self->restarts = 0;
  memset(self->components, 0, sizeof self->components);
  self->next_unit_row = self->next_unit = 0;
  return self;
}

/// Null where `prepare` finds it unsuited.
static imgfetch_small_jpeg *made(
    const struct jpeg_decompress_struct *jpeg, jpeg_bits bits, unsigned size, unsigned width, unsigned height,
    bool is_whole) {
  imgfetch_small_jpeg *self = take_spare();
  if (!self) return NULL;
  self->jpeg = jpeg;
  self->bits = bits;
  self->size = size;
  self->width = width;
  self->height = height;
  self->is_whole = is_whole;
  if (prepare(self)) return self;
  imgfetch_small_jpeg_close(self);
  return NULL;
}

imgfetch_small_jpeg *imgfetch_small_jpeg_open(
    const struct jpeg_decompress_struct *jpeg, const uint8_t *coded, size_t length) {
  if (!is_suited(jpeg) || jpeg->min_DCT_scaled_size > 2) return NULL;
  jpeg_bits bits = {.at = coded, .end = coded + length};
  return made(jpeg, bits, (unsigned)jpeg->min_DCT_scaled_size, jpeg->output_width, jpeg->output_height, false);
}

imgfetch_small_jpeg *imgfetch_small_jpeg_beside(const struct jpeg_decompress_struct *jpeg) {
  // The library leaves out the values that it does not show itself.
  if (!is_suited(jpeg) || jpeg->min_DCT_scaled_size < 2) return NULL;
  return made(jpeg, (jpeg_bits){0}, 1, (jpeg->image_width + 7) / 8, (jpeg->image_height + 7) / 8, true);
}

void imgfetch_small_jpeg_close(imgfetch_small_jpeg *self) {
  if (!self) return;
  free(self->samples);
  free(atomic_exchange(&spare, self));
}
