// HEIC through libheif. Its functions, as they have been declared since version 1.0, all work on
// pointers to its own structures.
#include "late.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  int code, detail;
  const char *message;
} heif_error;

enum { COLOURS_RGB = 1, RGB_8 = 10, RGBA_8 = 11, RGB_16 = 14, RGBA_16 = 15, INTERLEAVED = 10, MEMORY = 6, NO_PLUGIN = 3, UNKNOWN_CODING = 3000 };

static struct {
  bool is_there;
  void *(*make)(void);
  void (*free)(void *);
  heif_error (*read)(void *, const void *, size_t, const void *);
  void (*set_side)(void *, int);
  void (*set_threads)(void *, int);
  heif_error (*primary)(void *, void **);
  void (*free_handle)(const void *);
  int (*width)(const void *);
  int (*height)(const void *);
  int (*has_alpha)(const void *);
  int (*bits)(const void *);
  size_t (*profile_size)(const void *);
  heif_error (*profile)(const void *, void *);
  int (*block_count)(const void *, const char *);
  int (*block_list)(const void *, const char *, uint32_t *, int);
  size_t (*block_size)(const void *, uint32_t);
  heif_error (*block)(const void *, uint32_t, void *);
  heif_error (*decode)(const void *, void **, int, int, const void *);
  void (*free_image)(const void *);
  const uint8_t *(*plane)(const void *, int, int *);
  int (*image_width)(const void *, int);
  int (*image_height)(const void *, int);
  int (*image_bits)(const void *, int);
} heif;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
  static const char *const names[] = {"libheif.so.1", NULL};
#define FIND(name, field) {"heif_" name, (void **)&heif.field, false}
  const imgfetch_symbol symbols[] = {
      FIND("context_alloc", make),
      FIND("context_free", free),
      FIND("context_read_from_memory_without_copy", read),
      FIND("context_set_maximum_image_size_limit", set_side),
      {"heif_context_set_max_decoding_threads", (void **)&heif.set_threads, true},
      FIND("context_get_primary_image_handle", primary),
      FIND("image_handle_release", free_handle),
      FIND("image_handle_get_width", width),
      FIND("image_handle_get_height", height),
      FIND("image_handle_has_alpha_channel", has_alpha),
      FIND("image_handle_get_luma_bits_per_pixel", bits),
      FIND("image_handle_get_raw_color_profile_size", profile_size),
      FIND("image_handle_get_raw_color_profile", profile),
      FIND("image_handle_get_number_of_metadata_blocks", block_count),
      FIND("image_handle_get_list_of_metadata_block_IDs", block_list),
      FIND("image_handle_get_metadata_size", block_size),
      FIND("image_handle_get_metadata", block),
      FIND("decode_image", decode),
      FIND("image_release", free_image),
      FIND("image_get_plane_readonly", plane),
      FIND("image_get_width", image_width),
      FIND("image_get_height", image_height),
      FIND("image_get_bits_per_pixel_range", image_bits),
  };
#undef FIND
  heif.is_there = imgfetch_late_load(names, symbols, sizeof symbols / sizeof *symbols) >= 0;
}

typedef struct {
  imgfetch_whole_decoder whole;
  void *context, *handle;
  bool is_begun;
} heic_decoder;

static bool fail(heic_decoder *self, heif_error error) {
  imgfetch_trouble *trouble = &self->whole.base.trouble;
  if (error.detail == UNKNOWN_CODING || error.code == NO_PLUGIN) {
    return imgfetch_late_missing(trouble, "a decoder for libheif (Debian: libheif1, libheif-plugin-libde265)");
  }
  return imgfetch_fail(trouble, error.code == MEMORY ? IMGFETCH_TOO_LARGE : IMGFETCH_DAMAGED, error.message ? error.message : "it cannot be decoded");
}

static void keep_metadata(heic_decoder *self) {
  imgfetch_decoder *decoder = &self->whole.base;
  size_t length = heif.profile_size(self->handle);
  uint8_t *bytes = length > 0 && length <= decoder->options.metadata ? malloc(length) : NULL;
  if (bytes && heif.profile(self->handle, bytes).code == 0) imgfetch_keep_profile(decoder, bytes, length);
  free(bytes);
  uint32_t block;
  if (heif.block_list(self->handle, "Exif", &block, 1) < 1) return;
  length = heif.block_size(self->handle, block);
  bytes = length > 4 && length <= decoder->options.metadata ? malloc(length) : NULL;
  if (bytes && heif.block(self->handle, block, bytes).code == 0) {
    // How far behind these four bytes the block begins.
    uint64_t skip = 4 + ((uint64_t)bytes[0] << 24 | (uint64_t)bytes[1] << 16 | (uint64_t)bytes[2] << 8 | bytes[3]);
    if (skip < length) imgfetch_keep_exif(decoder, bytes + skip, length - (size_t)skip);
  }
  free(bytes);
}

static void *end_at_once(void *context) { return context; }

/// True if a thread can be started now. libde265 starts one, and waits for it for ever if that fails. The stack of this
/// one is kept for that one.
static bool can_start_thread(void) {
  pthread_t thread;
  return pthread_create(&thread, NULL, end_at_once, NULL) == 0 && pthread_join(thread, NULL) == 0;
}

static bool open_heic(imgfetch_decoder *decoder) {
  heic_decoder *self = (heic_decoder *)decoder;
  const uint8_t *bytes;
  size_t length;
  pthread_once(&once, load);
  if (!heif.is_there) return imgfetch_late_missing(&decoder->trouble, "libheif (Debian: libheif1)");
  if (decoder->options.frames > 1) {
    return imgfetch_fail(&decoder->trouble, IMGFETCH_UNSUPPORTED, "libheif decodes no sequence of pictures");
  }
  if (!can_start_thread()) {
    return imgfetch_fail(&decoder->trouble, IMGFETCH_TOO_LARGE, "no thread can be started for its decoder");
  }
  if (!imgfetch_late_input(decoder, &bytes, &length)) return false;
  if (!(self->context = heif.make())) return imgfetch_fail(&decoder->trouble, IMGFETCH_TOO_LARGE, "there is no memory for a decoder");
  // The limit is that of a square; a picture that is within the program's own may be a strip.
  heif.set_side(self->context, 1 << 16);
  if (heif.set_threads) heif.set_threads(self->context, 0);
  heif_error error = heif.read(self->context, bytes, length, NULL);
  if (error.code == 0) error = heif.primary(self->context, &self->handle);
  if (error.code) return fail(self, error);
  int width = heif.width(self->handle), height = heif.height(self->handle);
  if (width <= 0 || height <= 0) return imgfetch_fail(&decoder->trouble, IMGFETCH_DAMAGED, "a picture without pixels");
  decoder->layout = (imgfetch_layout){
      .width = (uint32_t)width, .height = (uint32_t)height,
      .model = heif.has_alpha(self->handle) ? IMGFETCH_RGBA : IMGFETCH_RGB,
      .bits = heif.bits(self->handle) > 8 ? 16 : 8};
  keep_metadata(self);
  return imgfetch_whole_make(&self->whole, 8);
}

/// Widens samples of fewer bits to 16 bits.
static void widen(uint16_t *samples, size_t count, int bits) {
  for (size_t at = 0; at < count; at++) {
    uint32_t value = samples[at];
    samples[at] = (uint16_t)(value << (16 - bits) | value >> (2 * bits - 16));
  }
}

static bool copy(heic_decoder *self, const void *image) {
  const imgfetch_layout *layout = &self->whole.base.layout;
  int stride = 0;
  const uint8_t *plane = heif.plane(image, INTERLEAVED, &stride);
  size_t samples = (size_t)layout->width * imgfetch_samples(layout->model), line = samples * layout->bits / 8;
  int bits = heif.image_bits(image, INTERLEAVED);
  if (!plane || heif.image_width(image, INTERLEAVED) != (int)layout->width ||
      heif.image_height(image, INTERLEAVED) != (int)layout->height || stride < 0 || (size_t)stride < line ||
      (layout->bits == 16 && (bits < 8 || bits > 16))) {
    return imgfetch_fail(&self->whole.base.trouble, IMGFETCH_DAMAGED, "its picture is not of the size that it tells");
  }
  for (uint32_t row = 0; row < layout->height; row++) {
    uint8_t *to = self->whole.pixels + row * line;
    memcpy(to, plane + (size_t)row * (size_t)stride, line);
    if (layout->bits == 16 && bits < 16) widen((uint16_t *)to, samples, bits);
  }
  return true;
}

static int next_heic(imgfetch_decoder *decoder, uint32_t *milliseconds) {
  heic_decoder *self = (heic_decoder *)decoder;
  if (self->is_begun) return 0;
  self->is_begun = true;
  bool has_alpha = decoder->layout.model == IMGFETCH_RGBA;
  int samples = decoder->layout.bits == 8 ? (has_alpha ? RGBA_8 : RGB_8) : has_alpha ? RGBA_16 : RGB_16;
  void *image = NULL;
  heif_error error = heif.decode(self->handle, &image, COLOURS_RGB, samples, NULL);
  bool is_fine = error.code == 0 ? copy(self, image) : fail(self, error);
  if (image) heif.free_image(image);
  return is_fine ? 1 : -1;
}

static void close_heic(imgfetch_decoder *decoder) {
  heic_decoder *self = (heic_decoder *)decoder;
  if (self->handle) heif.free_handle(self->handle);
  if (self->context) heif.free(self->context);
  imgfetch_whole_close(&self->whole);
}

extern const imgfetch_sample imgfetch_heic_sample;

const imgfetch_decoder_kind imgfetch_heic_decoding = {
    .size = sizeof(heic_decoder),
    .open = open_heic,
    .next = next_heic,
    .read = imgfetch_whole_read,
    .finish = imgfetch_whole_finish,
    .decode_all = imgfetch_decode_rows,
    .close = close_heic,
    .sample = &imgfetch_heic_sample,
};
