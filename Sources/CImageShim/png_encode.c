// PNG through libpng.
#include "libraries.h"

#include "encoder.h"

#include <setjmp.h>

#include <png.h>

typedef struct {
  imgfetch_encoder base;
  png_structp png;
  png_infop info;
  jmp_buf escape;
} png_encoder;

static void give_up(png_structp png, png_const_charp reason) {
  png_encoder *self = png_get_error_ptr(png);
  imgfetch_fail(&self->base.trouble, IMGFETCH_UNSUPPORTED, reason);
  longjmp(self->escape, 1);
}

static void keep_quiet(png_structp png, png_const_charp reason) {}

static void take(png_structp png, png_bytep bytes, size_t count) {
  png_encoder *self = png_get_io_ptr(png);
  if (!imgfetch_encoder_append(&self->base, bytes, count)) longjmp(self->escape, 1);
}

static void flush(png_structp png) {}

static int colour_type(uint8_t model) {
  switch (model) {
    case IMGFETCH_GREY: return PNG_COLOR_TYPE_GRAY;
    case IMGFETCH_GREY_ALPHA: return PNG_COLOR_TYPE_GRAY_ALPHA;
    case IMGFETCH_RGB: return PNG_COLOR_TYPE_RGB;
    default: return PNG_COLOR_TYPE_RGBA;
  }
}

static bool begin_writing(png_encoder *self, bool has_profile) {
  imgfetch_encoder *encoder = &self->base;
  if (setjmp(self->escape)) return false;
  self->png = png_create_write_struct(PNG_LIBPNG_VER_STRING, self, give_up, keep_quiet);
  self->info = self->png ? png_create_info_struct(self->png) : NULL;
  if (!self->info) return imgfetch_fail(&encoder->trouble, IMGFETCH_TOO_LARGE, "there is no memory for an encoder");
  png_set_write_fn(self->png, self, take, flush);
  // A profile that libpng does not like is left away, and is no reason not to write the picture.
  png_set_benign_errors(self->png, 1);
  const imgfetch_layout *layout = &encoder->layout;
  png_set_IHDR(
      self->png, self->info, layout->width, layout->height, layout->bits, colour_type(layout->model),
      PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  const imgfetch_encode_options *options = &encoder->options;
  if (has_profile) {
    png_set_iCCP(self->png, self->info, "ICC", 0, options->profile, (png_uint_32)options->profile_length);
  }
  if (options->exif) {
    png_set_eXIf_1(self->png, self->info, (png_uint_32)options->exif_length, (png_bytep)options->exif);
  }
  png_write_info(self->png, self->info);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  png_set_swap(self->png);
#endif
  return true;
}

static bool open_png(imgfetch_encoder *encoder) {
  png_encoder *self = (png_encoder *)encoder;
  bool has_profile = encoder->options.profile;
  if (begin_writing(self, has_profile)) return true;
  if (!has_profile || encoder->trouble.kind != IMGFETCH_UNSUPPORTED) return false;
  // It may be the profile that libpng gives up for, from 1.6.48 on.
  png_destroy_write_struct(&self->png, &self->info);
  encoder->length = 0;
  encoder->trouble = (imgfetch_trouble){.kind = IMGFETCH_FINE};
  return begin_writing(self, false);
}

static bool begin_png(imgfetch_encoder *encoder, uint32_t milliseconds) { return true; }

static bool write_png(imgfetch_encoder *encoder, const uint8_t *row) {
  png_encoder *self = (png_encoder *)encoder;
  if (setjmp(self->escape)) return false;
  png_write_row(self->png, row);
  return true;
}

static bool finish_png(imgfetch_encoder *encoder) {
  png_encoder *self = (png_encoder *)encoder;
  if (setjmp(self->escape)) return false;
  png_write_end(self->png, NULL);
  return true;
}

static void close_png(imgfetch_encoder *encoder) {
  png_encoder *self = (png_encoder *)encoder;
  png_destroy_write_struct(&self->png, &self->info);
}

const imgfetch_encoder_kind imgfetch_png_encoding = {
    .size = sizeof(png_encoder),
    .open = open_png,
    .begin = begin_png,
    .write = write_png,
    .finish = finish_png,
    .close = close_png,
};
