// PNG while it comes, through libpng's progressive reader. The passes of an interlaced one fill the picture with
// blocks that become smaller.
#include "libraries.h"
#include "coming_kind.h"
#include "png_stream.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <png.h>

typedef struct {
  imgfetch_coming base;
  png_structp png;
  png_infop info;
  jmp_buf escape;
  /// The bytes given to the library.
  size_t given;
} coming_png;

static void give_up(png_structp png, png_const_charp reason) {
  coming_png *self = png_get_error_ptr(png);
  imgfetch_fail(&self->base.trouble, IMGFETCH_DAMAGED, reason);
  longjmp(self->escape, 1);
}

static void hear(png_structp png, png_const_charp reason) {
  const char *fault = imgfetch_png_fault(reason);
  if (fault) give_up(png, fault);
}

static void keep_profile(coming_png *self) {
  png_charp name;
  int coding;
  png_bytep profile;
  png_uint_32 length;
  if (!(png_get_color_type(self->png, self->info) & PNG_COLOR_MASK_COLOR)) return;
  if (png_get_iCCP(self->png, self->info, &name, &coding, &profile, &length) != PNG_INFO_iCCP) return;
  if (length == 0 || length > self->base.options.metadata || !(self->base.profile = malloc(length))) return;
  memcpy(self->base.profile, profile, length);
  self->base.profile_length = length;
}

static void begin(png_structp png, png_infop info) {
  coming_png *self = png_get_progressive_ptr(png);
  keep_profile(self);
  png_set_expand(png);
  png_set_scale_16(png);
  png_set_gray_to_rgb(png);
  png_set_add_alpha(png, 255, PNG_FILLER_AFTER);
  png_set_interlace_handling(png);
  png_read_update_info(png, info);
  bool fits = imgfetch_coming_make(&self->base, png_get_image_width(png, info), png_get_image_height(png, info));
  if (!fits || png_get_rowbytes(png, info) != (size_t)self->base.layout.width * 4) longjmp(self->escape, 1);
}

static void take_row(png_structp png, png_bytep row, png_uint_32 number, int pass) {
  coming_png *self = png_get_progressive_ptr(png);
  if (!row || number >= self->base.layout.height) return;
  png_progressive_combine_row(png, imgfetch_coming_row(&self->base, number), row);
  self->base.state.pass = (uint32_t)pass + 1;
  self->base.state.rows = number + 1;
}

static bool create(coming_png *self) {
  self->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, self, give_up, hear);
  self->info = self->png ? png_create_info_struct(self->png) : NULL;
  if (!self->info) return imgfetch_fail(&self->base.trouble, IMGFETCH_TOO_LARGE, "there is no memory for a decoder");
  imgfetch_png_allow_window(self->png);
  png_set_chunk_malloc_max(self->png, self->base.options.metadata);
  png_set_keep_unknown_chunks(self->png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
  png_set_keep_unknown_chunks(self->png, PNG_HANDLE_CHUNK_AS_DEFAULT, (png_const_bytep)"iCCP", 1);
  png_set_progressive_read_fn(self->png, self, begin, take_row, NULL);
  return true;
}

static bool take(imgfetch_coming *coming) {
  coming_png *self = (coming_png *)coming;
  if (setjmp(self->escape)) {
    return imgfetch_fail(&coming->trouble, IMGFETCH_DAMAGED, "it cannot be shown before it is whole");
  }
  if (!self->png && !create(self)) return false;
  size_t from = self->given;
  self->given = coming->length;
  if (coming->length > from) png_process_data(self->png, self->info, coming->bytes + from, coming->length - from);
  return true;
}

static void close_png(imgfetch_coming *coming) {
  coming_png *self = (coming_png *)coming;
  png_destroy_read_struct(&self->png, &self->info, NULL);
}

const imgfetch_coming_kind imgfetch_coming_png = {.size = sizeof(coming_png), .take = take, .close = close_png};
