// AVIF through libavif, still and animated: its encoder takes whole pictures.
#include "avif.h"
#include "encoder.h"

#include <stdlib.h>
#include <string.h>

enum {
  WORST_QUANTIZER = 63,
  /// The allowed deviation of the encoder from the quantizer that the quality means.
  SLACK = 4,
  /// The quality from which colours are as sharp as brightness.
  SHARP_COLOURS = 90,
  SINGLE = 2,
  UNSPECIFIED = 2,
  PRIMARIES_BT709 = 1,
  TRANSFER_SRGB = 13,
  MATRIX_BT601 = 6,
};

typedef struct {
  imgfetch_encoder base;
  const imgfetch_avif_library *avif;
  avif_encoding *encoding;
  avif_image *image;
  uint8_t *pixels;
  uint32_t row, milliseconds;
  bool has_picture;
} avif_encoder;

static bool fail(avif_encoder *self, int result) {
  const char *reason = self->avif->reason(result);
  bool is_memory = reason && (strstr(reason, "memory") || strstr(reason, "Memory"));
  return imgfetch_fail(&self->base.trouble, is_memory ? IMGFETCH_TOO_LARGE : IMGFETCH_UNSUPPORTED, reason);
}

static size_t line(const avif_encoder *self) {
  return (size_t)self->base.layout.width * imgfetch_samples(self->base.layout.model) * self->base.layout.bits / 8;
}

static void configure(avif_encoder *self) {
  avif_encoding *encoding = self->encoding;
  int quality = self->base.options.quality;
  encoding->threads = 1;
  encoding->speed = self->base.options.speed;
  encoding->scale = 1000;
  if (self->avif->is_1_0) {
    encoding->of_1_0.quality = quality;
    // Played so often in all, which is once more than repeated; nothing said is without end.
    encoding->of_1_0.repetitions = self->base.options.plays > 0 ? self->base.options.plays - 1 : -1;
  } else {
    int quantizer = ((100 - quality) * WORST_QUANTIZER + 50) / 100;
    encoding->of_0_11.least = quantizer < SLACK ? 0 : quantizer - SLACK;
    encoding->of_0_11.most = quantizer + SLACK > WORST_QUANTIZER ? WORST_QUANTIZER : quantizer + SLACK;
  }
}

/// The orientation in the EXIF block goes into the picture's own structure, where readers of AVIF look for it.
static void add_metadata(avif_encoder *self) {
  const imgfetch_encode_options *options = &self->base.options;
  bool is_block = options->exif_length >= 8 &&
      (memcmp(options->exif, "II*\0", 4) == 0 || memcmp(options->exif, "MM\0*", 4) == 0);
  if (is_block) (void)self->avif->set_exif(self->image, options->exif, options->exif_length);
  if (options->xmp) (void)self->avif->set_xmp(self->image, options->xmp, options->xmp_length);
  if (options->profile) (void)self->avif->set_profile(self->image, options->profile, options->profile_length);
  self->image->primaries = options->profile ? UNSPECIFIED : PRIMARIES_BT709;
  self->image->transfer = options->profile ? UNSPECIFIED : TRANSFER_SRGB;
  self->image->matrix = MATRIX_BT601;
  self->image->range = AVIF_RANGE_FULL;
}

static bool open_avif(imgfetch_encoder *encoder) {
  avif_encoder *self = (avif_encoder *)encoder;
  const imgfetch_layout *layout = &encoder->layout;
  if (!(self->avif = imgfetch_avif(&encoder->trouble))) return false;
  if (layout->width > 65536 || layout->height > 65536) {
    return imgfetch_fail(&encoder->trouble, IMGFETCH_UNSUPPORTED, "its sides can have 65536 pixels at most");
  }
  self->encoding = self->avif->make_encoder();
  int format = encoder->options.quality >= SHARP_COLOURS ? AVIF_FORMAT_444 : AVIF_FORMAT_420;
  self->image = self->avif->make_image(layout->width, layout->height, layout->bits == 16 ? 10 : 8, format);
  self->pixels = malloc(line(self) * layout->height);
  if (!self->encoding || !self->image || !self->pixels) {
    return imgfetch_fail(&encoder->trouble, IMGFETCH_TOO_LARGE, "there is no memory for the picture");
  }
  configure(self);
  add_metadata(self);
  return true;
}

static bool add_picture(avif_encoder *self) {
  avif_rgb rgb;
  memset(&rgb, 0, sizeof rgb);
  self->avif->begin_rgb(&rgb, self->image);
  rgb.head.depth = self->base.layout.bits;
  rgb.head.format = self->base.layout.model == IMGFETCH_RGBA ? AVIF_RGBA : AVIF_RGB;
  imgfetch_avif_set_pixels(self->avif, &rgb, self->pixels, (uint32_t)line(self));
  int result = self->avif->from_rgb(self->image, &rgb);
  uint32_t shown = self->milliseconds > 0 ? self->milliseconds : 1;
  uint32_t flags = self->base.options.is_animated ? 0 : SINGLE;
  if (result == 0) result = self->avif->add_image(self->encoding, self->image, shown, flags);
  return result == 0 || fail(self, result);
}

static bool begin_avif(imgfetch_encoder *encoder, uint32_t milliseconds) {
  avif_encoder *self = (avif_encoder *)encoder;
  if (self->has_picture && !add_picture(self)) return false;
  self->has_picture = true;
  self->milliseconds = milliseconds;
  self->row = 0;
  return true;
}

static bool write_avif(imgfetch_encoder *encoder, const uint8_t *row) {
  avif_encoder *self = (avif_encoder *)encoder;
  if (self->row < encoder->layout.height) memcpy(self->pixels + self->row++ * line(self), row, line(self));
  return true;
}

/// The library writes the time of day into an animation. The same pictures are to give the same bytes: 0
/// says that it is not known.
static void forget_times(uint8_t *bytes, size_t length) {
  for (size_t at = 0, size = 0; length - at >= 8; at += size) {
    size = (size_t)bytes[at] << 24 | (size_t)bytes[at + 1] << 16 | (size_t)bytes[at + 2] << 8 | bytes[at + 3];
    if (size < 8 || size > length - at) return;
    const char *type = (const char *)bytes + at + 4;
    uint8_t *content = bytes + at + 8;
    size_t count = size - 8;
    bool holds = memcmp(type, "moov", 4) == 0 || memcmp(type, "trak", 4) == 0 || memcmp(type, "mdia", 4) == 0;
    bool tells = memcmp(type, "mvhd", 4) == 0 || memcmp(type, "tkhd", 4) == 0 || memcmp(type, "mdhd", 4) == 0;
    if (holds) forget_times(content, count);
    // A version and flags, and two times: of 64 bits in version 1.
    size_t times = count > 0 && content[0] == 1 ? 16 : 8;
    if (tells && count >= 4 + times) memset(content + 4, 0, times);
  }
}

static bool finish_avif(imgfetch_encoder *encoder) {
  avif_encoder *self = (avif_encoder *)encoder;
  if (!add_picture(self)) return false;
  avif_bytes bytes = {0};
  int result = self->avif->finish(self->encoding, &bytes);
  if (result == 0) forget_times(bytes.data, bytes.size);
  bool is_fine = result == 0 ? imgfetch_encoder_append(encoder, bytes.data, bytes.size) : fail(self, result);
  self->avif->free_bytes(&bytes);
  return is_fine;
}

static void close_avif(imgfetch_encoder *encoder) {
  avif_encoder *self = (avif_encoder *)encoder;
  if (self->image) self->avif->free_image(self->image);
  if (self->encoding) self->avif->free_encoder(self->encoding);
  free(self->pixels);
}

const imgfetch_encoder_kind imgfetch_avif_encoding = {
    .size = sizeof(avif_encoder),
    .open = open_avif,
    .begin = begin_avif,
    .write = write_avif,
    .finish = finish_avif,
    .close = close_avif,
};
