// Averages of cells of pixels, the step before the filter if a picture becomes very much smaller.
#ifndef IMGFETCH_AVERAGE_H
#define IMGFETCH_AVERAGE_H

#include "codecs.h"

/// Adds a row of this layout to the sums of its cells, each `across` pixels wide. There is a sum for each sample of
/// each cell; the last cell may be narrower. Colours are weighed by their alpha. Not for CMYK.
void imgfetch_average_add(
    const uint8_t *_Nonnull row, imgfetch_layout layout, size_t across, uint64_t *_Nonnull sums);

/// Turns the sums of `rows` rows into a row of averages, and makes them 0.
void imgfetch_average_take(
    uint64_t *_Nonnull sums, imgfetch_layout layout, size_t across, size_t rows, uint8_t *_Nonnull made);

#endif
