// AVIF through libavif, still and animated.
#include "avif.h"
#include "pixels.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static imgfetch_avif_library library;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
  static const char *const names[] = {"libavif.so.16", "libavif.so.15", NULL};
#define FIND(name, field) {name, (void **)&library.field, false}
  const imgfetch_symbol symbols[] = {
      FIND("avifVersion", version),
      FIND("avifResultToString", reason),
      FIND("avifDecoderCreate", make_decoder),
      FIND("avifDecoderDestroy", free_decoder),
      FIND("avifDecoderSetSource", set_source),
      FIND("avifDecoderSetIOMemory", set_input),
      FIND("avifDecoderParse", parse),
      FIND("avifDecoderNextImage", next),
      FIND("avifRGBImageSetDefaults", begin_rgb),
      FIND("avifImageYUVToRGB", to_rgb),
      FIND("avifImageRGBToYUV", from_rgb),
      FIND("avifImageCreate", make_image),
      FIND("avifImageDestroy", free_image),
      FIND("avifImageSetProfileICC", set_profile),
      FIND("avifImageSetMetadataExif", set_exif),
      FIND("avifImageSetMetadataXMP", set_xmp),
      FIND("avifEncoderCreate", make_encoder),
      FIND("avifEncoderDestroy", free_encoder),
      FIND("avifEncoderAddImage", add_image),
      FIND("avifEncoderFinish", finish),
      FIND("avifRWDataFree", free_bytes),
  };
#undef FIND
  int found = imgfetch_late_load(names, symbols, sizeof symbols / sizeof *symbols);
  library.is_1_0 = found == 0;
  library.is_there = found >= 0;
}

const imgfetch_avif_library *imgfetch_avif(imgfetch_trouble *trouble) {
  pthread_once(&once, load);
  if (library.is_there) return &library;
  imgfetch_late_missing(trouble, "libavif (Debian: libavif15 or libavif16)");
  return NULL;
}

typedef struct {
  imgfetch_whole_decoder whole;
  const imgfetch_avif_library *avif;
  avif_decoding *decoding;
  /// The picture as it is coded, where it is cut or turned.
  uint8_t *coded;
  /// The part of it that is shown.
  uint32_t left, top, width, height;
  bool is_transposed, is_mirrored, is_flipped;
} avif_decoder;

static bool fail(avif_decoder *self, int result) {
  // The library reports a picture that asks for too much as a lack of memory.
  const char *reason = self->avif->reason(result);
  bool is_memory = reason && (strstr(reason, "memory") || strstr(reason, "Memory"));
  return imgfetch_fail(&self->whole.base.trouble, is_memory ? IMGFETCH_TOO_LARGE : IMGFETCH_DAMAGED, reason);
}

static const avif_image_rest *rest(const avif_decoder *self) {
  size_t place = (offsetof(avif_image, matrix) + 2 + (self->avif->is_1_0 ? 4 : 0) + 3) / 4 * 4;
  return (const avif_image_rest *)((const uint8_t *)self->decoding->image + place);
}

/// Finds the start of a part, by its length and the offset of its middle from the middle of the whole.
static bool place_part(uint32_t whole, const uint32_t *length, const uint32_t *offset, uint32_t *start, uint32_t *count) {
  if (length[1] == 0 || offset[1] == 0) return false;
  *count = length[0] / length[1];
  double middle = (double)(int32_t)offset[0] / (double)(int32_t)offset[1] + ((double)whole - 1) / 2;
  double first = middle - ((double)*count - 1) / 2;
  if (*count == 0 || *count > whole || first < -0.5 || first > (double)(whole - *count) + 0.5) return false;
  *start = first <= 0 ? 0 : (uint32_t)(first + 0.5);
  if (*start > whole - *count) *start = whole - *count;
  return true;
}

/// First cut, then turned to the left, then mirrored.
static bool read_turns(avif_decoder *self) {
  const avif_image *image = self->decoding->image;
  const avif_image_rest *turns = rest(self);
  self->width = image->width;
  self->height = image->height;
  if (turns->flags & AVIF_CUT) {
    if (!place_part(image->width, turns->cut, turns->cut + 4, &self->left, &self->width) ||
        !place_part(image->height, turns->cut + 2, turns->cut + 6, &self->top, &self->height)) {
      return imgfetch_fail(&self->whole.base.trouble, IMGFETCH_DAMAGED, "it is cut to a part that does not exist");
    }
  }
  int turn = turns->flags & AVIF_TURN ? turns->turn & 3 : 0;
  self->is_transposed = turn & 1;
  self->is_mirrored = turn >= 2;
  self->is_flipped = turn == 1 || turn == 2;
  if (turns->flags & AVIF_MIRROR) {
    if (turns->mirror & 1) self->is_mirrored = !self->is_mirrored;
    else self->is_flipped = !self->is_flipped;
  }
  return true;
}

static bool is_as_coded(const avif_decoder *self) {
  const avif_image *image = self->decoding->image;
  return self->width == image->width && self->height == image->height && !self->is_transposed && !self->is_mirrored &&
      !self->is_flipped;
}

static bool open_avif(imgfetch_decoder *decoder) {
  avif_decoder *self = (avif_decoder *)decoder;
  const uint8_t *bytes;
  size_t length;
  if (!(self->avif = imgfetch_avif(&decoder->trouble)) || !imgfetch_late_input(decoder, &bytes, &length)) return false;
  avif_decoding *decoding = self->decoding = self->avif->make_decoder();
  if (!decoding) return imgfetch_fail(&decoder->trouble, IMGFETCH_TOO_LARGE, "there is no memory for a decoder");
  decoding->threads = 1;
  decoding->ignores_xmp = 1;
  // As lenient as browsers: files of older writers lack properties that the standard requires.
  decoding->strictness = 0;
  decoding->most_images = 0;
  uint64_t most = decoder->options.memory / 4;
  if (most < decoding->most_pixels) decoding->most_pixels = most ? (uint32_t)most : 1;
  int result = self->avif->set_source(decoding, decoder->options.frames > 1 ? AVIF_SOURCE_TRACKS : AVIF_SOURCE_ITEM);
  if (result == 0) result = self->avif->set_input(decoding, bytes, length);
  if (result == 0) result = self->avif->parse(decoding);
  if (result == 0) result = self->avif->next(decoding);
  if (result) return fail(self, result);
  const avif_image *image = decoding->image;
  if (!read_turns(self)) return false;
  decoder->layout.width = self->is_transposed ? self->height : self->width;
  decoder->layout.height = self->is_transposed ? self->width : self->height;
  decoder->layout.model = image->alpha ? IMGFETCH_RGBA : IMGFETCH_RGB;
  decoder->layout.bits = image->depth > 8 ? 16 : 8;
  imgfetch_keep_profile(decoder, image->profile.data, image->profile.size);
  const avif_bytes *exif = &rest(self)->exif;
  imgfetch_keep_exif(decoder, exif->data, exif->size);
  return imgfetch_whole_make(&self->whole, 8);
}

static bool convert(avif_decoder *self) {
  const avif_image *image = self->decoding->image;
  const imgfetch_layout *layout = &self->whole.base.layout;
  uint32_t across = self->is_transposed ? layout->height : layout->width;
  uint32_t down = self->is_transposed ? layout->width : layout->height;
  if (self->width != across || self->height != down || image->width < self->left + across ||
      image->height < self->top + down || (image->alpha != NULL) != (layout->model == IMGFETCH_RGBA)) {
    return imgfetch_fail(&self->whole.base.trouble, IMGFETCH_DAMAGED, "its pictures are of different kinds");
  }
  size_t each = imgfetch_samples(layout->model) * layout->bits / 8, line = image->width * each;
  bool is_direct = is_as_coded(self);
  if (!is_direct && !self->coded && !(self->coded = malloc(line * image->height))) {
    return imgfetch_fail(&self->whole.base.trouble, IMGFETCH_TOO_LARGE, "there is no memory to turn it");
  }
  avif_rgb rgb;
  memset(&rgb, 0, sizeof rgb);
  self->avif->begin_rgb(&rgb, image);
  rgb.head.depth = layout->bits;
  rgb.head.format = layout->model == IMGFETCH_RGBA ? AVIF_RGBA : AVIF_RGB;
  imgfetch_avif_set_pixels(self->avif, &rgb, is_direct ? self->whole.pixels : self->coded, (uint32_t)line);
  int result = self->avif->to_rgb(image, &rgb);
  if (result) return fail(self, result);
  if (is_direct) return true;
  for (uint32_t row = 0; row < self->height; row++) {
    imgfetch_place_row(
        self->coded + (self->top + row) * line + self->left * each, row, self->whole.pixels, layout->width,
        layout->height, each, self->is_transposed, self->is_mirrored, self->is_flipped);
  }
  return true;
}

static int next_avif(imgfetch_decoder *decoder, uint32_t *milliseconds) {
  avif_decoder *self = (avif_decoder *)decoder;
  // The first picture was decoded when the file was opened.
  if (self->whole.rows_given > 0) {
    if (self->decoding->index + 1 >= self->decoding->count) return 0;
    uint32_t width = self->decoding->image->width, height = self->decoding->image->height;
    int result = self->avif->next(self->decoding);
    if (result) {
      fail(self, result);
      return -1;
    }
    if (self->decoding->image->width != width || self->decoding->image->height != height) {
      imgfetch_fail(&decoder->trouble, IMGFETCH_DAMAGED, "its pictures are of different sizes");
      return -1;
    }
  }
  self->whole.rows_given = 0;
  double duration = self->decoding->count > 1 ? self->decoding->timing.duration * 1000 : 0;
  *milliseconds = duration >= 0 && duration < 1e9 ? (uint32_t)(duration + 0.5) : 0;
  return convert(self) ? 1 : -1;
}

static void close_avif(imgfetch_decoder *decoder) {
  avif_decoder *self = (avif_decoder *)decoder;
  if (self->decoding) self->avif->free_decoder(self->decoding);
  free(self->coded);
  imgfetch_whole_close(&self->whole);
}

extern const imgfetch_sample imgfetch_avif_sample;

const imgfetch_decoder_kind imgfetch_avif_decoding = {
    .size = sizeof(avif_decoder),
    .open = open_avif,
    .next = next_avif,
    .read = imgfetch_whole_read,
    .finish = imgfetch_whole_finish,
    .decode_all = imgfetch_decode_rows,
    .close = close_avif,
    .sample = &imgfetch_avif_sample,
};
