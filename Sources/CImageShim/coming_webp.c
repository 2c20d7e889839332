// WebP while it comes, through libwebp's incremental decoder. Animations are shown when they are whole.
#include "libraries.h"
#include "coming_kind.h"

#include <webp/decode.h>

typedef struct {
  imgfetch_coming base;
  WebPDecoderConfig config;
  WebPIDecoder *webp;
} coming_webp;

static bool too_large(coming_webp *self) {
  return imgfetch_fail(&self->base.trouble, IMGFETCH_TOO_LARGE, "it is shown when it is whole");
}

static uint32_t scaled(int size, uint8_t eighths) { return ((uint32_t)size * eighths + 7) / 8; }

static bool begin(coming_webp *self) {
  imgfetch_coming *base = &self->base;
  WebPBitstreamFeatures features;
  VP8StatusCode status = WebPGetFeatures(base->bytes, base->length, &features);
  if (status == VP8_STATUS_NOT_ENOUGH_DATA) return true;
  if (status != VP8_STATUS_OK) return imgfetch_fail(&base->trouble, IMGFETCH_DAMAGED, "its header cannot be read");
  if (features.has_animation) return imgfetch_fail(&base->trouble, IMGFETCH_UNSUPPORTED, "it is shown when it is whole");
  // A lossless picture is kept by the library as it is stored.
  if (imgfetch_area((uint64_t)features.width, (uint64_t)features.height, 4) > base->options.memory) return too_large(self);
  if (!WebPInitDecoderConfig(&self->config)) return too_large(self);
  uint32_t width = scaled(features.width, base->options.eighths), height = scaled(features.height, base->options.eighths);
  if (!imgfetch_coming_make(base, width, height)) return false;
  self->config.output.colorspace = MODE_RGBA;
  self->config.output.is_external_memory = 1;
  self->config.output.u.RGBA.rgba = base->pixels;
  self->config.output.u.RGBA.stride = (int)width * 4;
  self->config.output.u.RGBA.size = (size_t)width * 4 * height;
  if (base->options.eighths < 8) {
    self->config.options.use_scaling = 1;
    self->config.options.scaled_width = (int)width;
    self->config.options.scaled_height = (int)height;
  }
  self->webp = WebPIDecode(NULL, 0, &self->config);
  return self->webp || too_large(self);
}

static bool take(imgfetch_coming *coming) {
  coming_webp *self = (coming_webp *)coming;
  if (!self->webp && !begin(self)) return false;
  if (!self->webp) return true;
  VP8StatusCode status = WebPIUpdate(self->webp, coming->bytes, coming->length);
  if (status != VP8_STATUS_OK && status != VP8_STATUS_SUSPENDED) {
    return imgfetch_fail(&coming->trouble, IMGFETCH_DAMAGED, "its data cannot be decoded");
  }
  int rows = 0;
  if (WebPIDecGetRGB(self->webp, &rows, NULL, NULL, NULL) && rows > 0) {
    coming->state.pass = 1;
    coming->state.rows = (uint32_t)rows;
  }
  return true;
}

static void close_webp(imgfetch_coming *coming) { WebPIDelete(((coming_webp *)coming)->webp); }

const imgfetch_coming_kind imgfetch_coming_webp = {.size = sizeof(coming_webp), .take = take, .close = close_webp};
