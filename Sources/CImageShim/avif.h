// The part of libavif that is called, as its versions 0.11 (libavif.so.15) and 1.0 and later (libavif.so.16) lay
// it out. Its structures are its own; only fields that have their places for good are named here.
#ifndef IMGFETCH_AVIF_H
#define IMGFETCH_AVIF_H

#include "late.h"

typedef struct {
  uint8_t *data;
  size_t size;
} avif_bytes;

/// The beginning of an `avifImage`.
typedef struct {
  uint32_t width, height, depth;
  int format, range, chroma_position;
  uint8_t *planes[3];
  uint32_t plane_row_bytes[3];
  int owns_planes;
  uint8_t *alpha;
  uint32_t alpha_row_bytes;
  int owns_alpha, is_premultiplied;
  avif_bytes profile;
  uint16_t primaries, transfer, matrix;
} avif_image;

/// The part behind it. Version 1.0 has put the light level in front, four bytes.
typedef struct {
  uint32_t flags;
  uint32_t aspect[2];
  uint32_t cut[8];
  uint8_t turn, mirror;
  avif_bytes exif;
} avif_image_rest;

enum {
  AVIF_CUT = 2,
  AVIF_TURN = 4,
  AVIF_MIRROR = 8,
  AVIF_FORMAT_444 = 1,
  AVIF_FORMAT_420 = 3,
  AVIF_RANGE_FULL = 1,
  AVIF_RGB = 0,
  AVIF_RGBA = 1,
  AVIF_SOURCE_ITEM = 1,
  AVIF_SOURCE_TRACKS = 2,
  AVIF_NONE_REMAINING = 16,
  AVIF_ALL_PLANES = 0xFF,
};

/// The beginning of an `avifDecoder`.
typedef struct {
  int codec, threads, source, is_progressive, is_incremental, ignores_exif, ignores_xmp;
  uint32_t most_pixels, longest_side, most_images, strictness;
  avif_image *image;
  int index, count, progress;
  struct {
    uint64_t scale;
    double from;
    uint64_t from_in_scale;
    double duration;
    uint64_t duration_in_scale;
  } timing;
} avif_decoding;

/// The beginning of an `avifEncoder`.
typedef struct {
  int codec, threads, speed, key_frames;
  uint64_t scale;
  union {
    struct {
      int least, most, least_alpha, most_alpha;
    } of_0_11;
    struct {
      int repetitions;
      uint32_t layers;
      int quality, quality_alpha;
    } of_1_0;
  };
} avif_encoding;

/// An `avifRGBImage`, as large as one will ever be.
typedef union {
  struct {
    uint32_t width, height, depth;
    int format;
  } head;
  struct {
    uint32_t fields[10];
    uint8_t *pixels;
    uint32_t row_bytes;
  } of_0_11;
  struct {
    uint32_t fields[11];
    uint8_t *pixels;
    uint32_t row_bytes;
  } of_1_0;
  uint8_t room[256];
} avif_rgb;

typedef struct {
  bool is_there, is_1_0;
  const char *(*version)(void);
  const char *(*reason)(int);
  avif_decoding *(*make_decoder)(void);
  void (*free_decoder)(avif_decoding *);
  int (*set_source)(avif_decoding *, int);
  int (*set_input)(avif_decoding *, const uint8_t *, size_t);
  int (*parse)(avif_decoding *);
  int (*next)(avif_decoding *);
  void (*begin_rgb)(avif_rgb *, const avif_image *);
  int (*to_rgb)(const avif_image *, avif_rgb *);
  int (*from_rgb)(avif_image *, const avif_rgb *);
  avif_image *(*make_image)(uint32_t, uint32_t, uint32_t, int);
  void (*free_image)(avif_image *);
  // Without an answer in version 0.11; it is not looked at.
  int (*set_profile)(avif_image *, const uint8_t *, size_t);
  int (*set_exif)(avif_image *, const uint8_t *, size_t);
  int (*set_xmp)(avif_image *, const uint8_t *, size_t);
  avif_encoding *(*make_encoder)(void);
  void (*free_encoder)(avif_encoding *);
  int (*add_image)(avif_encoding *, const avif_image *, uint64_t, uint32_t);
  int (*finish)(avif_encoding *, avif_bytes *);
  void (*free_bytes)(avif_bytes *);
} imgfetch_avif_library;

/// The library, loaded by now. Null, with the trouble noted, where it is missing.
const imgfetch_avif_library *imgfetch_avif(imgfetch_trouble *trouble);

static inline void imgfetch_avif_set_pixels(
    const imgfetch_avif_library *avif, avif_rgb *rgb, uint8_t *pixels, uint32_t row_bytes) {
  if (avif->is_1_0) {
    rgb->of_1_0.pixels = pixels;
    rgb->of_1_0.row_bytes = row_bytes;
  } else {
    rgb->of_0_11.pixels = pixels;
    rgb->of_0_11.row_bytes = row_bytes;
  }
}

#endif
