#include "encoder.h"

#include <stdlib.h>
#include <string.h>

static const imgfetch_encoder_kind *kind_of(int format) {
  switch (format) {
#define CASE(NAME, name) \
  case IMGFETCH_##NAME: return &imgfetch_##name##_encoding;
    IMGFETCH_WRITTEN_FORMATS(CASE)
#undef CASE
    default: return NULL;
  }
}

bool imgfetch_encoder_grow(imgfetch_encoder *encoder, size_t count) {
  if (count <= encoder->capacity - encoder->length) return true;
  size_t capacity = encoder->capacity < (16 << 10) ? (16 << 10) : encoder->capacity * 2;
  if (capacity - encoder->length < count) capacity = encoder->length + count;
  uint8_t *grown = realloc(encoder->bytes, capacity);
  if (!grown) return imgfetch_fail(&encoder->trouble, IMGFETCH_TOO_LARGE, "there is no memory for what is written");
  encoder->bytes = grown;
  encoder->capacity = capacity;
  return true;
}

bool imgfetch_encoder_append(imgfetch_encoder *encoder, const void *bytes, size_t count) {
  if (!imgfetch_encoder_grow(encoder, count)) return false;
  memcpy(encoder->bytes + encoder->length, bytes, count);
  encoder->length += count;
  return true;
}

/// The caller's metadata, as the encoder's own: WebP's is written when all is known.
static bool keep(imgfetch_encoder *encoder, const uint8_t **bytes, size_t length) {
  if (!*bytes) return true;
  uint8_t *copy = malloc(length ? length : 1);
  if (copy) memcpy(copy, *bytes, length);
  *bytes = copy;
  return copy || imgfetch_fail(&encoder->trouble, IMGFETCH_TOO_LARGE, "there is no memory for its metadata");
}

imgfetch_encoder *imgfetch_encoder_open(
    int format, imgfetch_layout layout, const imgfetch_encode_options *options, imgfetch_trouble *trouble) {
  const imgfetch_encoder_kind *kind = kind_of(format);
  imgfetch_encoder *encoder = kind ? calloc(1, kind->size) : NULL;
  if (!encoder) {
    imgfetch_fail(trouble, IMGFETCH_TOO_LARGE, "there is no memory for an encoder");
    return NULL;
  }
  encoder->kind = kind;
  encoder->layout = layout;
  encoder->options = *options;
  bool is_kept = keep(encoder, &encoder->options.exif, options->exif_length);
  is_kept = keep(encoder, &encoder->options.profile, options->profile_length) && is_kept;
  is_kept = keep(encoder, &encoder->options.xmp, options->xmp_length) && is_kept;
  if (is_kept && kind->open(encoder)) return encoder;
  *trouble = encoder->trouble;
  imgfetch_encoder_close(encoder);
  return NULL;
}

static bool tell(const imgfetch_encoder *encoder, bool is_fine, imgfetch_trouble *trouble) {
  if (!is_fine) *trouble = encoder->trouble;
  return is_fine;
}

bool imgfetch_encoder_begin(imgfetch_encoder *encoder, uint32_t milliseconds, imgfetch_trouble *trouble) {
  return tell(encoder, encoder->kind->begin(encoder, milliseconds), trouble);
}

bool imgfetch_encoder_write(imgfetch_encoder *encoder, const uint8_t *row, imgfetch_trouble *trouble) {
  return tell(encoder, encoder->kind->write(encoder, row), trouble);
}

const uint8_t *imgfetch_encoder_finish(imgfetch_encoder *encoder, size_t *length, imgfetch_trouble *trouble) {
  if (!tell(encoder, encoder->kind->finish(encoder), trouble)) return NULL;
  *length = encoder->length;
  return encoder->bytes;
}

void imgfetch_encoder_close(imgfetch_encoder *encoder) {
  if (!encoder) return;
  encoder->kind->close(encoder);
  free((void *)encoder->options.exif);
  free((void *)encoder->options.profile);
  free((void *)encoder->options.xmp);
  free(encoder->bytes);
  free(encoder);
}
