// Loops over rows of pixels, as codecs.h lays them out. In C since a compiler turns these into vector instructions.
#ifndef IMGFETCH_PIXELS_H
#define IMGFETCH_PIXELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Turns pixels of one model into another. Pixels that lose their alpha are laid over `background` (red, green, blue);
/// ink is mixed as if it were ideal, as is usual without a profile. Colours do not become grey.
void imgfetch_convert_row(
    const uint8_t *_Nonnull from, uint8_t from_model, uint8_t *_Nonnull to, uint8_t to_model, uint8_t bits,
    size_t width, const uint8_t *_Nonnull background);

/// 16 bits to 8, rounded. May be done in place.
void imgfetch_narrow_row(const uint8_t *_Nonnull from, uint8_t *_Nonnull to, size_t samples);

/// Puts row `number` of a picture where it lies once the picture is turned: first rows and columns are swapped where
/// `is_transposed`, then left and right where `is_mirrored`, then top and bottom where `is_flipped`. `width` and
/// `height` are those of the turned picture.
void imgfetch_place_row(
    const uint8_t *_Nonnull row, size_t number, uint8_t *_Nonnull picture, size_t width, size_t height,
    size_t pixel_bytes, bool is_transposed, bool is_mirrored, bool is_flipped);

#endif
