// Shared by the encoders: their table of functions, and the written bytes.
#ifndef IMGFETCH_ENCODER_H
#define IMGFETCH_ENCODER_H

#include "codecs.h"
#include "trouble.h"

/// The functions of a format. An encoder's memory is one block of `size` bytes that begins with an `imgfetch_encoder`.
typedef struct {
  size_t size;
  bool (*open)(imgfetch_encoder *encoder);
  bool (*begin)(imgfetch_encoder *encoder, uint32_t milliseconds);
  bool (*write)(imgfetch_encoder *encoder, const uint8_t *row);
  bool (*finish)(imgfetch_encoder *encoder);
  void (*close)(imgfetch_encoder *encoder);
} imgfetch_encoder_kind;

struct imgfetch_encoder {
  const imgfetch_encoder_kind *kind;
  imgfetch_layout layout;
  imgfetch_encode_options options;
  imgfetch_trouble trouble;
  uint8_t *bytes;
  size_t length, capacity;
};

#define DECLARE_ENCODING(NAME, name) extern const imgfetch_encoder_kind imgfetch_##name##_encoding;
IMGFETCH_WRITTEN_FORMATS(DECLARE_ENCODING)
#undef DECLARE_ENCODING

/// Appends to the written bytes. Returns false if there is no memory for it, which is noted.
bool imgfetch_encoder_append(imgfetch_encoder *encoder, const void *bytes, size_t count);

/// Sees to it that `count` more bytes fit.
bool imgfetch_encoder_grow(imgfetch_encoder *encoder, size_t count);

#endif
