#include "average.h"

static inline size_t least(size_t one, size_t other) { return one < other ? one : other; }

// For samples of 8 and of 16 bits. With the number of samples known, the compiler keeps a cell's sums in registers.
#define ADDITION(NAME, SAMPLE, SAMPLES)                                                                      \
  static void add_##NAME(const SAMPLE *row, size_t width, size_t across, uint64_t *sums) {                  \
    for (size_t start = 0; start < width; start += across, sums += (SAMPLES)) {                             \
      size_t count = least(across, width - start);                                                          \
      for (size_t at = 0; at < count; at++, row += (SAMPLES)) {                                             \
        uint64_t weight = (SAMPLES) % 2 == 0 ? row[(SAMPLES) - 1] : 1;                                      \
        for (int colour = 0; colour < ((SAMPLES) + 1) / 2 * 2 - 1; colour++) sums[colour] += row[colour] * weight; \
        if ((SAMPLES) % 2 == 0) sums[(SAMPLES) - 1] += weight;                                              \
      }                                                                                                     \
    }                                                                                                       \
  }

#define TAKING(NAME, SAMPLE)                                                                                 \
  static void take_##NAME(                                                                                  \
      uint64_t *sums, size_t width, size_t across, size_t rows, unsigned samples, SAMPLE *made) {           \
    bool has_alpha = samples % 2 == 0;                                                                      \
    for (size_t start = 0; start < width; start += across) {                                                \
      uint64_t count = least(across, width - start) * rows;                                                 \
      uint64_t weight = has_alpha ? sums[samples - 1] : count;                                              \
      for (unsigned at = 0; at < samples; at++) {                                                           \
        uint64_t over = has_alpha && at == samples - 1 ? count : weight;                                    \
        *made++ = over ? (SAMPLE)((*sums + over / 2) / over) : 0;                                           \
        *sums++ = 0;                                                                                        \
      }                                                                                                     \
    }                                                                                                       \
  }

ADDITION(8_1, uint8_t, 1)
ADDITION(8_2, uint8_t, 2)
ADDITION(8_3, uint8_t, 3)
ADDITION(8_4, uint8_t, 4)
ADDITION(16_1, uint16_t, 1)
ADDITION(16_2, uint16_t, 2)
ADDITION(16_3, uint16_t, 3)
ADDITION(16_4, uint16_t, 4)
TAKING(8, uint8_t)
TAKING(16, uint16_t)

void imgfetch_average_add(const uint8_t *row, imgfetch_layout layout, size_t across, uint64_t *sums) {
  const uint16_t *wide = (const uint16_t *)row;
  switch (layout.bits + layout.model) {
    case 8 + IMGFETCH_GREY: add_8_1(row, layout.width, across, sums); break;
    case 8 + IMGFETCH_GREY_ALPHA: add_8_2(row, layout.width, across, sums); break;
    case 8 + IMGFETCH_RGB: add_8_3(row, layout.width, across, sums); break;
    case 8 + IMGFETCH_RGBA: add_8_4(row, layout.width, across, sums); break;
    case 16 + IMGFETCH_GREY: add_16_1(wide, layout.width, across, sums); break;
    case 16 + IMGFETCH_GREY_ALPHA: add_16_2(wide, layout.width, across, sums); break;
    case 16 + IMGFETCH_RGB: add_16_3(wide, layout.width, across, sums); break;
    default: add_16_4(wide, layout.width, across, sums);
  }
}

void imgfetch_average_take(uint64_t *sums, imgfetch_layout layout, size_t across, size_t rows, uint8_t *made) {
  if (layout.bits == 16) {
    take_16(sums, layout.width, across, rows, layout.model, (uint16_t *)made);
  } else {
    take_8(sums, layout.width, across, rows, layout.model, made);
  }
}
