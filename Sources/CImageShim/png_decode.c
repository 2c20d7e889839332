// PNG and APNG through libpng.
#include "libraries.h"

#include "canvas.h"
#include "png_stream.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <png.h>

typedef struct {
  imgfetch_decoder base;
  png_structp png;
  png_infop info;
  /// True if libpng was refused memory: it then gives up for that reason, whatever it says.
  bool lacks_memory;
  /// True if the colour profile is wanted.
  bool takes_profile;
  imgfetch_png_stream stream;
  jmp_buf escape;
  /// The place where the search for an animation's next frame continues.
  uint64_t place;
  imgfetch_canvas canvas;
  /// All rows, where they come in passes; or those of a frame that is laid on the canvas.
  uint8_t *rows;
  size_t line;
  uint32_t row_given;
  bool is_animated;
  bool is_begun;
} png_decoder;

static void give_up(png_structp png, png_const_charp reason) {
  png_decoder *self = png_get_error_ptr(png);
  if (self->lacks_memory) {
    imgfetch_fail(&self->base.trouble, IMGFETCH_TOO_LARGE, "it needs more memory than there is for it");
  } else {
    imgfetch_fail(&self->base.trouble, IMGFETCH_DAMAGED, reason);
  }
  longjmp(self->escape, 1);
}

static png_voidp allot(png_structp png, png_alloc_size_t size) {
  png_decoder *self = png_get_mem_ptr(png);
  void *memory = malloc(size);
  self->lacks_memory = !memory;
  return memory;
}

static void let_go(png_structp png, png_voidp memory) { free(memory); }

static void hear(png_structp png, png_const_charp reason) {
  const char *fault = imgfetch_png_fault(reason);
  if (fault) give_up(png, fault);
}

static void feed(png_structp png, png_bytep to, size_t count) {
  png_decoder *self = png_get_io_ptr(png);
  if (imgfetch_png_read(&self->stream, to, count)) return;
  imgfetch_fail(&self->base.trouble, IMGFETCH_DAMAGED, "it ends before its pixels do");
  longjmp(self->escape, 1);
}

static void end_reading(png_decoder *self) { png_destroy_read_struct(&self->png, &self->info, NULL); }

/// - `is_frame`: the stream is made of an animation's pieces, whose sums the inspection has checked and
///   which do not fit any more.
static void begin_reading(png_decoder *self, bool is_frame) {
  end_reading(self);
  self->png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, self, give_up, hear, self, allot, let_go);
  self->info = self->png ? png_create_info_struct(self->png) : NULL;
  if (!self->info) {
    imgfetch_fail(&self->base.trouble, IMGFETCH_TOO_LARGE, "there is no memory for a decoder");
    longjmp(self->escape, 1);
  }
  png_set_read_fn(self->png, self, feed);
  imgfetch_png_allow_window(self->png);
  // The profile is the only chunk beyond the picture's own that may be wanted. libpng would make room for the others,
  // for EXIF as much as its chunk claims.
  png_set_chunk_malloc_max(self->png, self->base.options.metadata);
  png_set_keep_unknown_chunks(self->png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
  int profile = self->takes_profile ? PNG_HANDLE_CHUNK_AS_DEFAULT : PNG_HANDLE_CHUNK_NEVER;
  png_set_keep_unknown_chunks(self->png, profile, (png_const_bytep)"iCCP", 1);
  bool has_sums = !is_frame && !self->base.options.has_wrong_sums && self->stream.missing_sum == 0;
  if (!has_sums) png_set_crc_action(self->png, PNG_CRC_QUIET_USE, PNG_CRC_QUIET_USE);
  png_read_info(self->png, self->info);
}

static void open_stream(png_decoder *self) {
  imgfetch_decoder *base = &self->base;
  (base->options.lacks_end ? imgfetch_png_mended : imgfetch_png_whole)(&self->stream, &base->input, &base->trouble);
}

static uint32_t width(png_decoder *self) { return png_get_image_width(self->png, self->info); }
static uint32_t height(png_decoder *self) { return png_get_image_height(self->png, self->info); }
static bool is_interlaced(png_decoder *self) {
  return png_get_interlace_type(self->png, self->info) != PNG_INTERLACE_NONE;
}

static bool has_alpha(png_decoder *self) {
  return (png_get_color_type(self->png, self->info) & PNG_COLOR_MASK_ALPHA) != 0 ||
      png_get_valid(self->png, self->info, PNG_INFO_tRNS) != 0;
}

/// Asks for the samples of the file in whole bytes: palettes as colours, 16 bits as 16 bits.
static void ask_for_whole_samples(png_decoder *self) {
  png_set_expand(self->png);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  png_set_swap(self->png);
#endif
  if (is_interlaced(self)) png_set_interlace_handling(self->png);
  png_read_update_info(self->png, self->info);
}

/// Asks for the pixels of the canvas.
static void ask_for_rgba(png_decoder *self) {
  png_set_expand(self->png);
  png_set_scale_16(self->png);
  png_set_gray_to_rgb(self->png);
  png_set_add_alpha(self->png, 255, PNG_FILLER_AFTER);
  if (is_interlaced(self)) png_set_interlace_handling(self->png);
  png_read_update_info(self->png, self->info);
}

static void describe(png_decoder *self) {
  imgfetch_layout *layout = &self->base.layout;
  layout->width = width(self);
  layout->height = height(self);
  if (self->is_animated) {
    layout->model = IMGFETCH_RGBA;
    layout->bits = 8;
    return;
  }
  bool is_coloured = (png_get_color_type(self->png, self->info) & PNG_COLOR_MASK_COLOR) != 0;
  layout->model = (is_coloured ? IMGFETCH_RGB : IMGFETCH_GREY) + has_alpha(self);
  layout->bits = png_get_bit_depth(self->png, self->info) == 16 ? 16 : 8;
}

static void keep_metadata(png_decoder *self) {
  imgfetch_decoder *base = &self->base;
  png_charp name;
  int coding;
  png_bytep profile;
  png_uint_32 length;
  if (png_get_iCCP(self->png, self->info, &name, &coding, &profile, &length)) {
    imgfetch_keep_profile(base, profile, length);
  }
  // Searched for here, because it may follow the pixels, and an encoder needs it before them.
  uint64_t content;
  if (!imgfetch_png_find(&base->input, &base->trouble, "eXIf", &content, &length)) return;
  if (length > base->options.metadata) return;
  uint8_t *exif = malloc(length ? length : 1);
  if (!exif) return;
  int64_t got = imgfetch_input_read(&base->input, content, exif, length, &base->trouble);
  if (got == (int64_t)length) imgfetch_keep_exif(base, exif, length);
  free(exif);
}

static bool open_png(imgfetch_decoder *decoder) {
  png_decoder *self = (png_decoder *)decoder;
  self->takes_profile = true;
  if (setjmp(self->escape)) {
    // It may be the profile that libpng gives up for, from 1.6.48 on. The picture needs none.
    if (!self->takes_profile || decoder->trouble.kind != IMGFETCH_DAMAGED) return false;
    self->takes_profile = false;
    decoder->trouble = (imgfetch_trouble){.kind = IMGFETCH_FINE};
  }
  open_stream(self);
  begin_reading(self, false);
  self->is_animated = decoder->options.frames > 1;
  describe(self);
  keep_metadata(self);
  if (decoder->trouble.kind != IMGFETCH_FINE) return false;
  if (!self->is_animated) return true;
  end_reading(self);
  self->takes_profile = false;
  return imgfetch_canvas_open(&self->canvas, decoder);
}

/// Room for all rows, which come in passes.
static bool make_rows(png_decoder *self, uint32_t count) {
  self->line = png_get_rowbytes(self->png, self->info);
  uint64_t bytes = imgfetch_area(self->line, count, 1);
  free(self->rows);
  self->rows = bytes > self->base.options.memory ? NULL : malloc(bytes);
  // A frame's are counted with the canvas.
  if (!self->is_animated) self->base.held = bytes;
  if (self->rows) return true;
  return imgfetch_fail(
      &self->base.trouble, IMGFETCH_TOO_LARGE, "it is interlaced and needs more memory than there is for it");
}

static void read_passes(png_decoder *self, uint32_t count) {
  int passes = png_set_interlace_handling(self->png);
  for (int pass = 0; pass < passes; pass++) {
    for (uint32_t row = 0; row < count; row++) png_read_row(self->png, self->rows + row * self->line, NULL);
  }
}

static bool lay(png_decoder *self, const imgfetch_png_frame *frame) {
  ask_for_rgba(self);
  if (width(self) != frame->width || height(self) != frame->height) {
    return imgfetch_fail(&self->base.trouble, IMGFETCH_DAMAGED, "a frame is not as large as announced");
  }
  bool comes_in_passes = is_interlaced(self);
  if (!make_rows(self, comes_in_passes ? frame->height : 1)) return false;
  if (comes_in_passes) read_passes(self, frame->height);
  for (uint32_t row = 0; row < frame->height; row++) {
    uint8_t *from = self->rows + (comes_in_passes ? row * self->line : 0);
    if (!comes_in_passes) png_read_row(self->png, from, NULL);
    uint8_t *to = imgfetch_canvas_row(&self->canvas, row);
    if (!frame->is_blended) {
      memcpy(to, from, (size_t)frame->width * 4);
    } else {
      for (uint32_t at = 0; at < frame->width; at++) imgfetch_canvas_blend(to + 4 * (size_t)at, from + 4 * (size_t)at);
    }
  }
  png_read_end(self->png, NULL);
  return true;
}

static int next_png(imgfetch_decoder *decoder, uint32_t *milliseconds) {
  png_decoder *self = (png_decoder *)decoder;
  if (setjmp(self->escape)) return -1;
  if (!self->is_animated) {
    if (self->is_begun) return 0;
    self->is_begun = true;
    ask_for_whole_samples(self);
    if (!is_interlaced(self)) return 1;
    if (!make_rows(self, height(self))) return -1;
    read_passes(self, height(self));
    return 1;
  }
  imgfetch_png_frame frame;
  int found = imgfetch_png_next_frame(&self->stream, &decoder->input, &decoder->trouble, &self->place, &frame);
  if (found <= 0) return found;
  *milliseconds = frame.milliseconds;
  if (!imgfetch_canvas_begin(
          &self->canvas, &decoder->trouble, frame.x, frame.y, frame.width, frame.height, frame.disposal)) {
    return -1;
  }
  begin_reading(self, true);
  return lay(self, &frame) ? 1 : -1;
}

static bool read_png(imgfetch_decoder *decoder, uint8_t *row) {
  png_decoder *self = (png_decoder *)decoder;
  if (self->is_animated) {
    imgfetch_canvas_give(&self->canvas, row);
    return true;
  }
  if (setjmp(self->escape)) return false;
  if (self->rows) {
    if (self->row_given < decoder->layout.height) memcpy(row, self->rows + self->row_given++ * self->line, self->line);
  } else {
    png_read_row(self->png, row, NULL);
  }
  return true;
}

static bool finish_png(imgfetch_decoder *decoder) {
  png_decoder *self = (png_decoder *)decoder;
  if (self->is_animated) return true;
  if (setjmp(self->escape)) return false;
  png_read_end(self->png, NULL);
  return true;
}

/// Rows as they are stored, pass after pass, into the same memory.
static bool read_all_rows(png_decoder *self) {
  free(self->rows);
  self->rows = malloc(png_get_rowbytes(self->png, self->info));
  if (!self->rows) return imgfetch_fail(&self->base.trouble, IMGFETCH_TOO_LARGE, "there is no memory for a row");
  uint32_t across = width(self), down = height(self);
  bool comes_in_passes = is_interlaced(self);
  png_start_read_image(self->png);
  for (int pass = 0; pass < (comes_in_passes ? 7 : 1); pass++) {
    uint32_t rows = !comes_in_passes ? down : PNG_PASS_COLS(across, pass) == 0 ? 0 : PNG_PASS_ROWS(down, pass);
    for (uint32_t row = 0; row < rows; row++) png_read_row(self->png, self->rows, NULL);
  }
  png_read_end(self->png, NULL);
  return true;
}

static bool decode_whole_png(imgfetch_decoder *decoder) {
  png_decoder *self = (png_decoder *)decoder;
  if (setjmp(self->escape)) return false;
  // The still image first, which need not be one of an animation's pictures.
  open_stream(self);
  begin_reading(self, false);
  if (!read_all_rows(self)) return false;
  if (decoder->options.frames <= 1) return true;
  imgfetch_png_frame frame;
  int found;
  while ((found = imgfetch_png_next_frame(&self->stream, &decoder->input, &decoder->trouble, &self->place, &frame)) > 0) {
    begin_reading(self, true);
    if (!read_all_rows(self)) return false;
  }
  return found == 0;
}

static void close_png(imgfetch_decoder *decoder) {
  png_decoder *self = (png_decoder *)decoder;
  end_reading(self);
  imgfetch_canvas_close(&self->canvas);
  free(self->rows);
}

static void version_png(char *text, size_t size) { snprintf(text, size, "libpng " PNG_LIBPNG_VER_STRING); }

const imgfetch_decoder_kind imgfetch_png_decoding = {
    .size = sizeof(png_decoder),
    .open = open_png,
    .next = next_png,
    .read = read_png,
    .finish = finish_png,
    .decode_all = decode_whole_png,
    .close = close_png,
    .version = version_png,
};
