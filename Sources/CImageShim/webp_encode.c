// WebP through libwebp, still and animated.
#include "libraries.h"

#include "encoder.h"

#include <string.h>

#include <webp/encode.h>
#include <webp/mux.h>

// Since 1.3 (Debian 13) a part of libwebp is a library of its own, which the archive of the one does not bring along.
// Only where it is there the linker is told, since it would not link without.
#if __has_include(<webp/sharpyuv/sharpyuv.h>)
#pragma comment(lib, "sharpyuv")
#endif

typedef struct {
  imgfetch_encoder base;
  WebPConfig config;
  WebPPicture picture;
  uint32_t row;
  WebPAnimEncoder *animation;
  /// The start of the picture being written, and the time for which it is shown.
  int moment;
  uint32_t milliseconds;
  bool has_picture;
  /// The bits that the alpha of all pixels has in common: 255 if all are opaque.
  uint32_t common_alpha;
} webp_encoder;

static bool fail(webp_encoder *self, const char *reason) {
  bool is_memory = self->picture.error_code == VP8_ENC_ERROR_OUT_OF_MEMORY ||
      self->picture.error_code == VP8_ENC_ERROR_BITSTREAM_OUT_OF_MEMORY;
  return imgfetch_fail(&self->base.trouble, is_memory ? IMGFETCH_TOO_LARGE : IMGFETCH_UNSUPPORTED, reason);
}

static int take(const uint8_t *bytes, size_t count, const WebPPicture *picture) {
  webp_encoder *self = picture->custom_ptr;
  return imgfetch_encoder_append(&self->base, bytes, count);
}

static bool begin_animation(webp_encoder *self) {
  WebPAnimEncoderOptions options;
  if (!WebPAnimEncoderOptionsInit(&options)) return fail(self, "libwebp is of another version");
  options.anim_params.bgcolor = 0;
  options.anim_params.loop_count = self->base.options.plays < 0 ? 1 : self->base.options.plays;
  self->animation = WebPAnimEncoderNew((int)self->base.layout.width, (int)self->base.layout.height, &options);
  return self->animation || fail(self, "there is no memory for an animation");
}

static bool open_webp(imgfetch_encoder *encoder) {
  webp_encoder *self = (webp_encoder *)encoder;
  const imgfetch_layout *layout = &encoder->layout;
  if (layout->width > WEBP_MAX_DIMENSION || layout->height > WEBP_MAX_DIMENSION) {
    return imgfetch_fail(&encoder->trouble, IMGFETCH_UNSUPPORTED, "its sides can have 16383 pixels at most");
  }
  if (!WebPConfigInit(&self->config) || !WebPPictureInit(&self->picture)) {
    return fail(self, "libwebp is of another version");
  }
  self->common_alpha = 255;
  self->config.quality = encoder->options.quality;
  if (encoder->options.is_lossless && !WebPConfigLosslessPreset(&self->config, 6)) {
    return fail(self, "it cannot be written lossless");
  }
  self->picture.use_argb = 1;
  self->picture.width = (int)layout->width;
  self->picture.height = (int)layout->height;
  if (!WebPPictureAlloc(&self->picture)) return fail(self, "there is no memory for the picture");
  return !encoder->options.is_animated || begin_animation(self);
}

static bool encode_still(webp_encoder *self) {
  self->picture.writer = take;
  self->picture.custom_ptr = self;
  return WebPEncode(&self->config, &self->picture) || fail(self, "it cannot be encoded");
}

static bool add_frame(webp_encoder *self) {
  if (!WebPAnimEncoderAdd(self->animation, &self->picture, self->moment, &self->config)) {
    return fail(self, WebPAnimEncoderGetError(self->animation));
  }
  self->moment += (int)self->milliseconds;
  return true;
}

static bool begin_webp(imgfetch_encoder *encoder, uint32_t milliseconds) {
  webp_encoder *self = (webp_encoder *)encoder;
  if (self->has_picture && !add_frame(self)) return false;
  self->has_picture = true;
  self->milliseconds = milliseconds;
  self->row = 0;
  return true;
}

static bool write_webp(imgfetch_encoder *encoder, const uint8_t *row) {
  webp_encoder *self = (webp_encoder *)encoder;
  if (self->row >= encoder->layout.height) return true;
  uint32_t *to = self->picture.argb + (size_t)self->row++ * (size_t)self->picture.argb_stride;
  bool has_alpha = encoder->layout.model == IMGFETCH_RGBA;
  for (uint32_t at = 0; at < encoder->layout.width; at++, row += has_alpha ? 4 : 3) {
    uint32_t alpha = has_alpha ? row[3] : 255;
    self->common_alpha &= alpha;
    to[at] = alpha << 24 | (uint32_t)row[0] << 16 | (uint32_t)row[1] << 8 | row[2];
  }
  return true;
}

static bool assemble(webp_encoder *self) {
  WebPData data;
  WebPDataInit(&data);
  bool is_fine = add_frame(self) && WebPAnimEncoderAdd(self->animation, NULL, self->moment, NULL) &&
      WebPAnimEncoderAssemble(self->animation, &data);
  if (is_fine) {
    is_fine = imgfetch_encoder_append(&self->base, data.bytes, data.size);
  } else {
    fail(self, "the animation cannot be assembled");
  }
  WebPDataClear(&data);
  return is_fine;
}

/// Puts profile and EXIF beside the picture, which needs the header that libwebp otherwise leaves away.
static bool add_metadata(webp_encoder *self) {
  const imgfetch_encode_options *options = &self->base.options;
  if (!options->exif && !options->profile) return true;
  WebPData image = {self->base.bytes, self->base.length}, whole;
  WebPData exif = {options->exif, options->exif_length}, profile = {options->profile, options->profile_length};
  WebPDataInit(&whole);
  WebPMux *mux = WebPMuxCreate(&image, 1);
  bool is_fine = mux && (!options->profile || WebPMuxSetChunk(mux, "ICCP", &profile, 0) == WEBP_MUX_OK) &&
      (!options->exif || WebPMuxSetChunk(mux, "EXIF", &exif, 0) == WEBP_MUX_OK) &&
      WebPMuxAssemble(mux, &whole) == WEBP_MUX_OK;
  if (is_fine) {
    self->base.length = 0;
    is_fine = imgfetch_encoder_append(&self->base, whole.bytes, whole.size);
  } else {
    fail(self, "its metadata cannot be added");
  }
  WebPDataClear(&whole);
  WebPMuxDelete(mux);
  return is_fine;
}

/// Says in the header that an animation is transparent. libwebp says so only if a frame has an alpha channel, and it
/// cuts frames to the rectangles that are opaque where it can: around those the canvas is transparent all the same.
static void mark_transparency(webp_encoder *self) {
  enum { HEADER_END = 30, NAME_AT = 12, FLAGS_AT = 20, ALPHA_FLAG = 0x10 };
  if (!self->animation || self->common_alpha == 255 || self->base.length < HEADER_END) return;
  if (memcmp(self->base.bytes + NAME_AT, "VP8X", 4) == 0) self->base.bytes[FLAGS_AT] |= ALPHA_FLAG;
}

static bool finish_webp(imgfetch_encoder *encoder) {
  webp_encoder *self = (webp_encoder *)encoder;
  if (!(self->animation ? assemble(self) : encode_still(self)) || !add_metadata(self)) return false;
  mark_transparency(self);
  return true;
}

static void close_webp(imgfetch_encoder *encoder) {
  webp_encoder *self = (webp_encoder *)encoder;
  WebPAnimEncoderDelete(self->animation);
  WebPPictureFree(&self->picture);
}

const imgfetch_encoder_kind imgfetch_webp_encoding = {
    .size = sizeof(webp_encoder),
    .open = open_webp,
    .begin = begin_webp,
    .write = write_webp,
    .finish = finish_webp,
    .close = close_webp,
};
