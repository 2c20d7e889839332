// Shared by the decoders of images that are still coming. Each keeps all bytes that have come: a library that is
// interrupted goes on where it was, which may be further back than its last byte.
#ifndef IMGFETCH_COMING_KIND_H
#define IMGFETCH_COMING_KIND_H

#include "coming.h"
#include "decoder.h"

typedef struct {
  size_t size;
  /// Takes more bytes, which have come.
  bool (*take)(imgfetch_coming *coming);
  /// Brings `pixels` up to date. Null: they always are.
  bool (*look)(imgfetch_coming *coming);
  void (*close)(imgfetch_coming *coming);
} imgfetch_coming_kind;

struct imgfetch_coming {
  const imgfetch_coming_kind *kind;
  imgfetch_decode_options options;
  imgfetch_trouble trouble;
  uint8_t *bytes;
  size_t length, room;
  /// The layout, whose size is known once there are `pixels`.
  imgfetch_layout layout;
  uint8_t *pixels;
  imgfetch_coming_state state;
  uint8_t *profile;
  size_t profile_length;
};

extern const imgfetch_coming_kind imgfetch_coming_jpeg, imgfetch_coming_png, imgfetch_coming_webp, imgfetch_coming_gif;

/// Makes room for a picture of this size, all of it transparent.
bool imgfetch_coming_make(imgfetch_coming *coming, uint32_t width, uint32_t height);

/// The start of a row of the picture.
uint8_t *imgfetch_coming_row(imgfetch_coming *coming, uint32_t row);

#endif
