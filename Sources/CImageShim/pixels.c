#include "pixels.h"

#include <string.h>

#include "codecs.h"

// The same loops for samples of 8 and of 16 bits. Each pixel goes through red, green, blue and alpha in wide integers;
// the cases that matter (RGBA to RGB, and what needs no arithmetic) have loops of their own.
#define CONVERSIONS(NAME, SAMPLE, MOST)                                                                        \
  static inline uint32_t mixed_##NAME(uint32_t one, uint32_t other) {                                         \
    return (uint32_t)(((uint64_t)one * other + (MOST) / 2) / (MOST));                                         \
  }                                                                                                           \
  static void to_rgba_##NAME(const SAMPLE *from, uint8_t model, SAMPLE *to, size_t width) {                   \
    switch (model) {                                                                                          \
      case IMGFETCH_GREY:                                                                                     \
        for (size_t at = 0; at < width; at++, to += 4) {                                                      \
          to[0] = to[1] = to[2] = from[at];                                                                   \
          to[3] = (MOST);                                                                                     \
        }                                                                                                     \
        break;                                                                                                \
      case IMGFETCH_GREY_ALPHA:                                                                               \
        for (size_t at = 0; at < width; at++, to += 4) {                                                      \
          to[0] = to[1] = to[2] = from[2 * at];                                                               \
          to[3] = from[2 * at + 1];                                                                           \
        }                                                                                                     \
        break;                                                                                                \
      case IMGFETCH_RGB:                                                                                      \
        for (size_t at = 0; at < width; at++, to += 4, from += 3) {                                           \
          to[0] = from[0];                                                                                    \
          to[1] = from[1];                                                                                    \
          to[2] = from[2];                                                                                    \
          to[3] = (MOST);                                                                                     \
        }                                                                                                     \
        break;                                                                                                \
      case IMGFETCH_CMYK:                                                                                     \
        for (size_t at = 0; at < width; at++, to += 4, from += 4) {                                           \
          uint32_t light = (MOST) - from[3];                                                                  \
          for (int ink = 0; ink < 3; ink++) to[ink] = (SAMPLE)mixed_##NAME((MOST) - from[ink], light);        \
          to[3] = (MOST);                                                                                     \
        }                                                                                                     \
        break;                                                                                                \
      default: memcpy(to, from, width * 4 * sizeof(SAMPLE));                                                  \
    }                                                                                                         \
  }                                                                                                           \
  static inline SAMPLE over_##NAME(SAMPLE colour, SAMPLE alpha, uint32_t below) {                             \
    uint64_t sum = (uint64_t)colour * alpha + (uint64_t)below * ((MOST) - alpha);                             \
    return (SAMPLE)((sum + (MOST) / 2) / (MOST));                                                             \
  }                                                                                                           \
  static void convert_##NAME(                                                                                 \
      const SAMPLE *from, uint8_t from_model, SAMPLE *to, uint8_t to_model, size_t width,                     \
      const uint8_t *background) {                                                                            \
    enum { PART = 64 };                                                                                       \
    SAMPLE part[4 * PART];                                                                                    \
    uint32_t below[3];                                                                                        \
    for (int at = 0; at < 3; at++) below[at] = background[at] * ((MOST) / 255);                               \
    size_t from_samples = from_model == IMGFETCH_CMYK ? 4 : from_model;                                       \
    for (size_t start = 0; start < width; start += PART) {                                                    \
      size_t count = width - start < PART ? width - start : PART;                                             \
      to_rgba_##NAME(from + start * from_samples, from_model, part, count);                                   \
      SAMPLE *out = to + start * to_model;                                                                    \
      switch (to_model) {                                                                                     \
        case IMGFETCH_GREY:                                                                                   \
          for (size_t at = 0; at < count; at++) out[at] = over_##NAME(part[4 * at], part[4 * at + 3], below[0]); \
          break;                                                                                              \
        case IMGFETCH_GREY_ALPHA:                                                                             \
          for (size_t at = 0; at < count; at++) {                                                             \
            out[2 * at] = part[4 * at];                                                                       \
            out[2 * at + 1] = part[4 * at + 3];                                                               \
          }                                                                                                   \
          break;                                                                                              \
        case IMGFETCH_RGB:                                                                                    \
          for (size_t at = 0; at < count; at++, out += 3) {                                                   \
            const SAMPLE *pixel = part + 4 * at;                                                              \
            for (int channel = 0; channel < 3; channel++) {                                                   \
              out[channel] = over_##NAME(pixel[channel], pixel[3], below[channel]);                           \
            }                                                                                                 \
          }                                                                                                   \
          break;                                                                                              \
        default: memcpy(out, part, count * 4 * sizeof(SAMPLE));                                               \
      }                                                                                                       \
    }                                                                                                         \
  }

CONVERSIONS(8, uint8_t, 255)
CONVERSIONS(16, uint16_t, 65535)

void imgfetch_convert_row(
    const uint8_t *from, uint8_t from_model, uint8_t *to, uint8_t to_model, uint8_t bits, size_t width,
    const uint8_t *background) {
  if (from_model == to_model) {
    size_t samples = from_model == IMGFETCH_CMYK ? 4 : from_model;
    memcpy(to, from, width * samples * (bits / 8));
  } else if (bits == 16) {
    convert_16((const uint16_t *)from, from_model, (uint16_t *)to, to_model, width, background);
  } else {
    convert_8(from, from_model, to, to_model, width, background);
  }
}

void imgfetch_narrow_row(const uint8_t *from, uint8_t *to, size_t samples) {
  const uint16_t *wide = (const uint16_t *)from;
  for (size_t at = 0; at < samples; at++) to[at] = (uint8_t)(((uint32_t)wide[at] * 255 + 32895) >> 16);
}

void imgfetch_place_row(
    const uint8_t *row, size_t number, uint8_t *picture, size_t width, size_t height, size_t pixel_bytes,
    bool is_transposed, bool is_mirrored, bool is_flipped) {
  size_t x = is_transposed ? number : 0, y = is_transposed ? 0 : number;
  if (is_mirrored) x = width - 1 - x;
  if (is_flipped) y = height - 1 - y;
  uint8_t *to = picture + (y * width + x) * pixel_bytes;
  size_t count = is_transposed ? height : width;
  if (!is_transposed && !is_mirrored) {
    memcpy(to, row, width * pixel_bytes);
    return;
  }
  ptrdiff_t step = (ptrdiff_t)(is_transposed ? width * pixel_bytes : pixel_bytes);
  if (is_transposed ? is_flipped : is_mirrored) step = -step;
  for (size_t at = 0; at < count; at++, to += step, row += pixel_bytes) {
    for (size_t part = 0; part < pixel_bytes; part++) to[part] = row[part];
  }
}
