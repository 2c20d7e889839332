// WebP through libwebp. The library decodes from memory and into memory only, so the file is read as a whole, and a
// picture that is not wanted at full size is scaled down while it is decoded.
#include "libraries.h"

#include "decoder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <webp/decode.h>
#include <webp/demux.h>

typedef struct {
  imgfetch_decoder base;
  /// The file, where it had to be read; and the file or the caller's memory.
  uint8_t *file;
  WebPData data;
  WebPAnimDecoder *animation;
  int last_moment;
  /// The picture whose rows are given: the still image's own, or the animation's.
  uint8_t *pixels;
  const uint8_t *shown;
  uint32_t row_given;
  bool is_begun;
} webp_decoder;

static bool too_large(webp_decoder *self) {
  return imgfetch_fail(&self->base.trouble, IMGFETCH_TOO_LARGE, "it needs more memory than there is for it");
}

static bool broken(webp_decoder *self, VP8StatusCode status) {
  switch (status) {
    case VP8_STATUS_OUT_OF_MEMORY: return too_large(self);
    case VP8_STATUS_UNSUPPORTED_FEATURE:
      return imgfetch_fail(&self->base.trouble, IMGFETCH_UNSUPPORTED, "it uses what libwebp does not know");
    case VP8_STATUS_SUSPENDED:
    case VP8_STATUS_NOT_ENOUGH_DATA:
      return imgfetch_fail(&self->base.trouble, IMGFETCH_DAMAGED, "it ends before its pixels do");
    default: return imgfetch_fail(&self->base.trouble, IMGFETCH_DAMAGED, "its data cannot be decoded");
  }
}

static bool read_file(webp_decoder *self) {
  const imgfetch_input *input = &self->base.input;
  self->data = (WebPData){.bytes = input->bytes, .size = (size_t)input->length};
  if (input->bytes) return true;
  if (input->length > self->base.options.memory || !(self->file = malloc((size_t)input->length + 1))) {
    return too_large(self);
  }
  self->data.bytes = self->file;
  int64_t got = imgfetch_input_read(input, 0, self->file, self->data.size, &self->base.trouble);
  if (got < 0) return false;
  self->data.size = (size_t)got;
  return true;
}

/// An animation's canvas is kept twice by the library. A lossless picture is kept as it is
/// stored, whatever is made of it.
static bool fits(webp_decoder *self, const WebPBitstreamFeatures *features) {
  uint64_t stored = features->format == 2 || features->has_animation
      ? imgfetch_area((uint64_t)features->width, (uint64_t)features->height, features->has_animation ? 8 : 4)
      : 0;
  uint64_t made = imgfetch_area(self->base.layout.width, self->base.layout.height, 4);
  uint64_t all;
  if (__builtin_add_overflow(stored, made, &all) || all > self->base.options.memory) return too_large(self);
  self->base.held = all + (self->file ? self->data.size : 0);
  return true;
}

static void keep_metadata(webp_decoder *self) {
  WebPDemuxer *demuxer = WebPDemux(&self->data);
  if (!demuxer) return;
  WebPChunkIterator chunk;
  if (WebPDemuxGetChunk(demuxer, "EXIF", 1, &chunk)) {
    imgfetch_keep_exif(&self->base, chunk.chunk.bytes, chunk.chunk.size);
    WebPDemuxReleaseChunkIterator(&chunk);
  }
  if (WebPDemuxGetChunk(demuxer, "ICCP", 1, &chunk)) {
    imgfetch_keep_profile(&self->base, chunk.chunk.bytes, chunk.chunk.size);
    WebPDemuxReleaseChunkIterator(&chunk);
  }
  WebPDemuxDelete(demuxer);
}

static uint32_t scaled(int size, uint8_t eighths) { return ((uint32_t)size * eighths + 7) / 8; }

static bool open_webp(imgfetch_decoder *decoder) {
  webp_decoder *self = (webp_decoder *)decoder;
  if (!read_file(self)) return false;
  WebPBitstreamFeatures features;
  VP8StatusCode status = WebPGetFeatures(self->data.bytes, self->data.size, &features);
  if (status != VP8_STATUS_OK) return broken(self, status);
  uint8_t eighths = features.has_animation ? 8 : decoder->options.eighths;
  decoder->layout.width = scaled(features.width, eighths);
  decoder->layout.height = scaled(features.height, eighths);
  decoder->layout.bits = 8;
  decoder->layout.model = features.has_alpha || features.has_animation ? IMGFETCH_RGBA : IMGFETCH_RGB;
  if (!fits(self, &features)) return false;
  keep_metadata(self);
  if (!features.has_animation) return true;
  WebPAnimDecoderOptions options;
  if (WebPAnimDecoderOptionsInit(&options)) {
    options.color_mode = MODE_RGBA;
    self->animation = WebPAnimDecoderNew(&self->data, &options);
  }
  return self->animation || broken(self, VP8_STATUS_BITSTREAM_ERROR);
}

static size_t line(const webp_decoder *self) {
  return (size_t)self->base.layout.width * imgfetch_samples(self->base.layout.model);
}

static bool decode(webp_decoder *self) {
  const imgfetch_layout *layout = &self->base.layout;
  WebPDecoderConfig config;
  if (!WebPInitDecoderConfig(&config)) return broken(self, VP8_STATUS_INVALID_PARAM);
  size_t bytes = line(self) * layout->height;
  self->pixels = malloc(bytes);
  if (!self->pixels) return too_large(self);
  config.output.colorspace = layout->model == IMGFETCH_RGBA ? MODE_RGBA : MODE_RGB;
  config.output.is_external_memory = 1;
  config.output.u.RGBA.rgba = self->pixels;
  config.output.u.RGBA.stride = (int)line(self);
  config.output.u.RGBA.size = bytes;
  if (self->base.options.eighths < 8) {
    config.options.use_scaling = 1;
    config.options.scaled_width = (int)layout->width;
    config.options.scaled_height = (int)layout->height;
  }
  VP8StatusCode status = WebPDecode(self->data.bytes, self->data.size, &config);
  WebPFreeDecBuffer(&config.output);
  self->shown = self->pixels;
  return status == VP8_STATUS_OK || broken(self, status);
}

static int next_webp(imgfetch_decoder *decoder, uint32_t *milliseconds) {
  webp_decoder *self = (webp_decoder *)decoder;
  self->row_given = 0;
  if (!self->animation) {
    if (self->is_begun) return 0;
    self->is_begun = true;
    return decode(self) ? 1 : -1;
  }
  if (!WebPAnimDecoderHasMoreFrames(self->animation)) return 0;
  uint8_t *canvas;
  int moment;
  if (!WebPAnimDecoderGetNext(self->animation, &canvas, &moment)) {
    broken(self, VP8_STATUS_BITSTREAM_ERROR);
    return -1;
  }
  *milliseconds = (uint32_t)(moment - self->last_moment);
  self->last_moment = moment;
  self->shown = canvas;
  return 1;
}

static bool read_webp(imgfetch_decoder *decoder, uint8_t *row) {
  webp_decoder *self = (webp_decoder *)decoder;
  if (self->row_given < decoder->layout.height) {
    memcpy(row, self->shown + (size_t)self->row_given++ * line(self), line(self));
  }
  return true;
}

static bool finish_webp(imgfetch_decoder *decoder) { return true; }

/// Each stream scaled down to an eighth, so that the decoded picture need not be kept.
static bool decode_stream(webp_decoder *self, const uint8_t *bytes, size_t size) {
  WebPDecoderConfig config;
  if (!WebPInitDecoderConfig(&config)) return broken(self, VP8_STATUS_INVALID_PARAM);
  VP8StatusCode status = WebPGetFeatures(bytes, size, &config.input);
  if (status != VP8_STATUS_OK) return broken(self, status);
  self->base.layout.width = scaled(config.input.width, 1);
  self->base.layout.height = scaled(config.input.height, 1);
  if (!fits(self, &config.input)) return false;
  config.output.colorspace = MODE_RGBA;
  config.options.use_scaling = 1;
  config.options.scaled_width = (int)self->base.layout.width;
  config.options.scaled_height = (int)self->base.layout.height;
  status = WebPDecode(bytes, size, &config);
  WebPFreeDecBuffer(&config.output);
  return status == VP8_STATUS_OK || broken(self, status);
}

static bool decode_whole_webp(imgfetch_decoder *decoder) {
  webp_decoder *self = (webp_decoder *)decoder;
  if (!read_file(self)) return false;
  if (decoder->options.frames <= 1) {
    WebPBitstreamFeatures features;
    VP8StatusCode status = WebPGetFeatures(self->data.bytes, self->data.size, &features);
    if (status != VP8_STATUS_OK) return broken(self, status);
    if (!features.has_animation) return decode_stream(self, self->data.bytes, self->data.size);
  }
  WebPDemuxer *demuxer = WebPDemux(&self->data);
  if (!demuxer) return broken(self, VP8_STATUS_BITSTREAM_ERROR);
  WebPIterator frame;
  bool is_fine = WebPDemuxGetFrame(demuxer, 1, &frame) || broken(self, VP8_STATUS_BITSTREAM_ERROR);
  if (is_fine) {
    do {
      is_fine = decode_stream(self, frame.fragment.bytes, frame.fragment.size);
    } while (is_fine && WebPDemuxNextFrame(&frame));
    WebPDemuxReleaseIterator(&frame);
  }
  WebPDemuxDelete(demuxer);
  return is_fine;
}

static void close_webp(imgfetch_decoder *decoder) {
  webp_decoder *self = (webp_decoder *)decoder;
  WebPAnimDecoderDelete(self->animation);
  free(self->pixels);
  free(self->file);
}

static void version_webp(char *text, size_t size) {
  int number = WebPGetDecoderVersion();
  snprintf(text, size, "libwebp %d.%d.%d", number >> 16, number >> 8 & 255, number & 255);
}

const imgfetch_decoder_kind imgfetch_webp_decoding = {
    .size = sizeof(webp_decoder),
    .open = open_webp,
    .next = next_webp,
    .read = read_webp,
    .finish = finish_webp,
    .decode_all = decode_whole_webp,
    .close = close_webp,
    .version = version_webp,
};
