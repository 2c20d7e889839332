// Resampling through zimg: rows in, rows out, with no more of the picture held than the filter spans.
#ifndef IMGFETCH_RESAMPLE_H
#define IMGFETCH_RESAMPLE_H

#include "codecs.h"

typedef struct imgfetch_resampler imgfetch_resampler;

/// The part of the source that is shown, in its pixels; edges may lie within pixels.
typedef struct {
  double left, top, width, height;
} imgfetch_region;

/// Bytes that scaling takes at most.
typedef struct {
  /// The memory for the whole time: the rows that are gathered and made, and zimg's tables.
  uint64_t held;
  /// The memory while a band of rows is made: the lines that zimg keeps.
  uint64_t scratch;
} imgfetch_resampler_need;

/// The needs of scaling. Nothing is taken yet.
imgfetch_resampler_need imgfetch_resampler_needs(
    imgfetch_layout from, imgfetch_region region, uint32_t width, uint32_t height);

/// Scales `region` of a picture to `width` x `height` pixels. Not for CMYK. Colours are weighed by their alpha.
imgfetch_resampler *_Nullable imgfetch_resampler_open(
    imgfetch_layout from, imgfetch_region region, uint32_t width, uint32_t height, imgfetch_trouble *_Nonnull trouble);

/// Sets the bytes that the resampler may take while it makes a band. Called before the first row: zimg's
/// needs are known only then.
void imgfetch_resampler_allow(imgfetch_resampler *_Nonnull resampler, uint64_t scratch);

/// True if it needs another row of the source before it can give one. False at the end.
bool imgfetch_resampler_wants(const imgfetch_resampler *_Nonnull resampler);

/// The next row of the source, from the top down.
void imgfetch_resampler_put(imgfetch_resampler *_Nonnull resampler, const uint8_t *_Nonnull row);

/// The next row of the result, once nothing is wanted.
bool imgfetch_resampler_take(
    imgfetch_resampler *_Nonnull resampler, uint8_t *_Nonnull row, imgfetch_trouble *_Nonnull trouble);

void imgfetch_resampler_close(imgfetch_resampler *_Nullable resampler);

#endif
