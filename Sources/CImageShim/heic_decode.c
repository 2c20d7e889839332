// HEIC through libheif, whose functions have been the same since version 1.0.
#include "libraries.h"

#include "late.h"

#include <libheif/heif.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static struct {
  bool is_there;
  __typeof__(&heif_context_alloc) make;
  __typeof__(&heif_context_free) free;
  __typeof__(&heif_context_read_from_memory_without_copy) read;
  __typeof__(&heif_context_set_maximum_image_size_limit) set_side;
  __typeof__(&heif_context_set_max_decoding_threads) set_threads;
  __typeof__(&heif_context_get_primary_image_handle) primary;
  __typeof__(&heif_image_handle_release) free_handle;
  __typeof__(&heif_image_handle_get_width) width;
  __typeof__(&heif_image_handle_get_height) height;
  __typeof__(&heif_image_handle_has_alpha_channel) has_alpha;
  __typeof__(&heif_image_handle_get_luma_bits_per_pixel) bits;
  __typeof__(&heif_image_handle_get_raw_color_profile_size) profile_size;
  __typeof__(&heif_image_handle_get_raw_color_profile) profile;
  __typeof__(&heif_image_handle_get_number_of_metadata_blocks) block_count;
  __typeof__(&heif_image_handle_get_list_of_metadata_block_IDs) block_list;
  __typeof__(&heif_image_handle_get_metadata_size) block_size;
  __typeof__(&heif_image_handle_get_metadata) block;
  __typeof__(&heif_decode_image) decode;
  __typeof__(&heif_image_release) free_image;
  __typeof__(&heif_image_get_plane_readonly) plane;
  __typeof__(&heif_image_get_width) image_width;
  __typeof__(&heif_image_get_height) image_height;
  __typeof__(&heif_image_get_bits_per_pixel_range) image_bits;
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
  struct heif_context *context;
  struct heif_image_handle *handle;
  bool is_begun;
} heic_decoder;

static bool fail(heic_decoder *self, struct heif_error error) {
  imgfetch_trouble *trouble = &self->whole.base.trouble;
  // The latter is told by versions whose decoders are plug-ins, of which there is none for this coding.
  if (error.subcode == heif_suberror_Unsupported_codec || error.code == heif_error_Plugin_loading_error) {
    return imgfetch_late_missing(trouble, "a decoder for libheif (Debian: libheif1, libheif-plugin-libde265)");
  }
  int kind = error.code == heif_error_Memory_allocation_error ? IMGFETCH_TOO_LARGE
      : error.code == heif_error_Unsupported_filetype         ? IMGFETCH_UNSUPPORTED : IMGFETCH_DAMAGED;
  return imgfetch_fail(trouble, kind, error.message ? error.message : "it cannot be decoded");
}

static void keep_metadata(heic_decoder *self) {
  imgfetch_decoder *decoder = &self->whole.base;
  size_t length = heif.profile_size(self->handle);
  uint8_t *bytes = length > 0 && length <= decoder->options.metadata ? malloc(length) : NULL;
  if (bytes && heif.profile(self->handle, bytes).code == 0) imgfetch_keep_profile(decoder, bytes, length);
  free(bytes);
  heif_item_id block;
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
  struct heif_error error = heif.read(self->context, bytes, length, NULL);
  if (error.code == 0) error = heif.primary(self->context, &self->handle);
  if (error.code) return fail(self, error);
  int width = heif.width(self->handle), height = heif.height(self->handle);
  if (width <= 0 || height <= 0) return imgfetch_fail(&decoder->trouble, IMGFETCH_DAMAGED, "a picture without pixels");
  // Version 1.15 tells the size before a turn that is listed in front of it, and turns the picture all the same.
  bool is_turned = (uint32_t)width == decoder->options.height && (uint32_t)height == decoder->options.width;
  decoder->layout = (imgfetch_layout){
      .width = (uint32_t)(is_turned ? height : width), .height = (uint32_t)(is_turned ? width : height),
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

static bool copy(heic_decoder *self, const struct heif_image *image) {
  const imgfetch_layout *layout = &self->whole.base.layout;
  int stride = 0;
  const uint8_t *plane = heif.plane(image, heif_channel_interleaved, &stride);
  size_t samples = (size_t)layout->width * imgfetch_samples(layout->model), line = samples * layout->bits / 8;
  int bits = heif.image_bits(image, heif_channel_interleaved);
  if (!plane || heif.image_width(image, heif_channel_interleaved) != (int)layout->width ||
      heif.image_height(image, heif_channel_interleaved) != (int)layout->height || stride < 0 || (size_t)stride < line ||
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
  enum heif_chroma samples = decoder->layout.bits == 8
      ? (has_alpha ? heif_chroma_interleaved_RGBA : heif_chroma_interleaved_RGB)
      : (has_alpha ? heif_chroma_interleaved_RRGGBBAA_LE : heif_chroma_interleaved_RRGGBB_LE);
  struct heif_image *image = NULL;
  struct heif_error error = heif.decode(self->handle, &image, heif_colorspace_RGB, samples, NULL);
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
