#include "bitmap.h"

#include <stdlib.h>
#include <string.h>

enum { PLAIN, RUNS_OF_8, RUNS_OF_4, FIELDS, FIELDS_WITH_ALPHA = 6 };
enum { CORE_HEADER = 12, INFO_HEADER = 40, HEADER_WITH_MASKS = 52, HEADER_WITH_ALPHA = 56, LONGEST_HEADER = 124 };

static uint32_t little(const uint8_t *bytes, int count) {
  uint32_t number = 0;
  for (int at = count - 1; at >= 0; at--) number = number << 8 | bytes[at];
  return number;
}

static bool fail(imgfetch_bitmap *bitmap, const char *reason) {
  return imgfetch_fail(&bitmap->decoder->trouble, IMGFETCH_DAMAGED, reason);
}

static bool read_at(imgfetch_bitmap *bitmap, uint64_t offset, void *to, size_t count) {
  imgfetch_decoder *decoder = bitmap->decoder;
  int64_t got = imgfetch_input_read(&decoder->input, offset, to, count, &decoder->trouble);
  return got == (int64_t)count || fail(bitmap, "it breaks off");
}

static imgfetch_bitmap_channel channel(uint32_t mask) {
  imgfetch_bitmap_channel channel = {.mask = mask};
  if (!mask) return channel;
  channel.shift = (uint8_t)__builtin_ctz(mask);
  int bits = 32 - __builtin_clz(mask) - channel.shift;
  if (bits > 8) channel.shift = (uint8_t)(channel.shift + bits - 8);
  channel.bits = (uint8_t)(bits > 8 ? 8 : bits);
  return channel;
}

/// The colour's share of a pixel: of fewer than eight bits, all ones are white.
static uint8_t share(imgfetch_bitmap_channel channel, uint32_t pixel) {
  uint32_t most = (1u << channel.bits) - 1;
  uint32_t value = (pixel & channel.mask) >> channel.shift & most;
  return (uint8_t)(most == 255 ? value : most == 0 ? 0 : (value * 255 + most / 2) / most);
}

static void choose_channels(imgfetch_bitmap *bitmap, const uint8_t *header, uint32_t length, const uint8_t *masks) {
  static const uint32_t of_16[3] = {0x7C00, 0x03E0, 0x001F}, of_32[3] = {0xFF0000, 0xFF00, 0xFF};
  bool has_fields = bitmap->coding == FIELDS || bitmap->coding == FIELDS_WITH_ALPHA;
  const uint8_t *given = length >= HEADER_WITH_MASKS ? header + 40 : masks;
  for (int at = 0; at < 3; at++) {
    bitmap->channels[at] = channel(
        has_fields ? little(given + 4 * at, 4) : bitmap->bits == 16 ? of_16[at] : of_32[at]);
  }
  uint32_t alpha = 0;
  if (has_fields && (length >= HEADER_WITH_ALPHA || bitmap->coding == FIELDS_WITH_ALPHA)) {
    alpha = little(given + 12, 4);
  } else if (!has_fields && bitmap->is_icon && bitmap->bits == 32) {
    alpha = 0xFF000000;
  }
  bitmap->channels[3] = channel(alpha);
}

static bool read_palette(imgfetch_bitmap *bitmap, uint64_t place, uint32_t colours, uint32_t each) {
  uint32_t most = 1u << bitmap->bits, count = colours == 0 || colours > most ? most : colours;
  uint8_t stored[4 * 256];
  if (!read_at(bitmap, place, stored, count * each)) return false;
  // A number that the table does not have is black.
  for (uint32_t at = 0; at < count; at++) {
    for (int part = 0; part < 3; part++) bitmap->palette[at][part] = stored[at * each + 2 - (uint32_t)part];
  }
  return true;
}

/// The codes, read in pieces.
typedef struct {
  imgfetch_bitmap *bitmap;
  uint64_t next;
  uint8_t piece[4096];
  size_t at, count;
} codes;

static int take(codes *codes) {
  if (codes->at == codes->count) {
    imgfetch_decoder *decoder = codes->bitmap->decoder;
    int64_t got = imgfetch_input_read(
        &decoder->input, codes->next, codes->piece, sizeof codes->piece, &decoder->trouble);
    if (got <= 0) return -1;
    codes->next += (uint64_t)got;
    codes->at = 0;
    codes->count = (size_t)got;
  }
  return codes->piece[codes->at++];
}

/// Sets a pixel. Numbers beyond the end of the row are dropped.
static void set(imgfetch_bitmap *bitmap, uint64_t *x, uint32_t y, uint8_t number) {
  if (*x < bitmap->width && y < bitmap->height) {
    size_t place = (size_t)y * bitmap->width + (size_t)*x;
    bitmap->numbers[place] = number;
    bitmap->is_set[place / 8] |= (uint8_t)(1 << place % 8);
  }
  ++*x;
}

static bool read_plain(codes *codes, uint64_t *x, uint32_t y, int count, bool is_4) {
  imgfetch_bitmap *bitmap = codes->bitmap;
  int bytes = is_4 ? (count + 1) / 2 : count, byte = 0;
  for (int at = 0; at < count; at++) {
    if (!is_4 || at % 2 == 0) byte = take(codes);
    if (byte < 0) return false;
    set(bitmap, x, y, (uint8_t)(!is_4 ? byte : at % 2 == 0 ? byte >> 4 : byte & 15));
  }
  return bytes % 2 == 0 || take(codes) >= 0;
}

/// Reads all run-length codes. The first row is the lowest one.
static bool read_codes(imgfetch_bitmap *bitmap) {
  imgfetch_decoder *decoder = bitmap->decoder;
  uint64_t pixels = imgfetch_area(bitmap->width, bitmap->height, 1);
  if (pixels > decoder->options.memory / 2 || !(bitmap->numbers = calloc(1, pixels)) ||
      !(bitmap->is_set = calloc(1, pixels / 8 + 1))) {
    return imgfetch_fail(&decoder->trouble, IMGFETCH_TOO_LARGE, "its pixels need more memory than there is for them");
  }
  decoder->held = pixels + pixels / 8;
  bool is_4 = bitmap->coding == RUNS_OF_4;
  codes codes = {.bitmap = bitmap, .next = bitmap->rows};
  uint64_t x = 0;
  uint32_t y = 0;
  while (y < bitmap->height) {
    int count = take(&codes), value = take(&codes);
    if (value < 0) return fail(bitmap, "its run-length codes break off");
    if (count > 0) {
      for (int at = 0; at < count; at++) set(bitmap, &x, y, (uint8_t)(!is_4 ? value : at % 2 ? value & 15 : value >> 4));
    } else if (value == 0) {
      x = 0;
      y++;
    } else if (value == 1) {
      return true;
    } else if (value == 2) {
      int across = take(&codes), down = take(&codes);
      if (down < 0) return fail(bitmap, "its run-length codes break off");
      x += (uint64_t)across;
      y += (uint32_t)down;
    } else if (!read_plain(&codes, &x, y, value, is_4)) {
      return fail(bitmap, "its run-length codes break off");
    }
  }
  return true;
}

static bool has_gaps(const imgfetch_bitmap *bitmap) {
  size_t pixels = (size_t)bitmap->width * bitmap->height;
  for (size_t at = 0; at < pixels / 8; at++) {
    if (bitmap->is_set[at] != 0xFF) return true;
  }
  return pixels % 8 && bitmap->is_set[pixels / 8] != (uint8_t)((1u << pixels % 8) - 1);
}

/// Finds out whether any pixel has alpha. Many writers leave it 0 everywhere, and mean that nothing is transparent.
static bool uses_alpha(imgfetch_bitmap *bitmap, bool *answer) {
  *answer = false;
  uint32_t bytes = bitmap->bits / 8;
  for (uint32_t y = 0; y < bitmap->height && !*answer; y++) {
    if (!read_at(bitmap, bitmap->rows + y * bitmap->stride, bitmap->row, bitmap->stride)) return false;
    for (uint32_t x = 0; x < bitmap->width && !*answer; x++) {
      *answer = little(bitmap->row + x * bytes, (int)bytes) & bitmap->channels[3].mask;
    }
  }
  return true;
}

static bool prepare(imgfetch_bitmap *bitmap, uint64_t end) {
  if (bitmap->coding == RUNS_OF_8 || bitmap->coding == RUNS_OF_4) {
    if (!read_codes(bitmap)) return false;
    bitmap->has_alpha = has_gaps(bitmap);
    return true;
  }
  bitmap->stride = ((uint64_t)bitmap->width * bitmap->bits + 31) / 32 * 4;
  uint64_t mask_stride = ((uint64_t)bitmap->width + 31) / 32 * 4;
  bitmap->row = malloc(bitmap->stride);
  bitmap->mask_row = malloc(mask_stride);
  if (!bitmap->row || !bitmap->mask_row) {
    return imgfetch_fail(&bitmap->decoder->trouble, IMGFETCH_TOO_LARGE, "there is no memory for a row");
  }
  if (bitmap->channels[3].mask) {
    if (!uses_alpha(bitmap, &bitmap->has_alpha)) return false;
    if (!bitmap->has_alpha) bitmap->channels[3] = channel(0);
  }
  // An icon's mask counts where its pixels have no alpha of their own.
  uint64_t behind = bitmap->rows + bitmap->stride * bitmap->height;
  if (bitmap->is_icon && !bitmap->has_alpha && behind + mask_stride * bitmap->height <= end) {
    bitmap->mask = behind;
    bitmap->has_alpha = true;
  }
  return true;
}

bool imgfetch_bitmap_open(
    imgfetch_bitmap *bitmap, imgfetch_decoder *decoder, uint64_t start, uint64_t end, uint64_t rows, bool is_icon) {
  uint8_t header[LONGEST_HEADER] = {0}, masks[16] = {0};
  bitmap->decoder = decoder;
  bitmap->is_icon = is_icon;
  if (!read_at(bitmap, start, header, 4)) return false;
  uint32_t length = little(header, 4);
  if (length < CORE_HEADER || length > LONGEST_HEADER) return fail(bitmap, "a header of a length that does not exist");
  if (!read_at(bitmap, start, header, length)) return false;
  bool is_core = length == CORE_HEADER;
  int32_t height = is_core ? (int32_t)little(header + 6, 2) : (int32_t)little(header + 8, 4);
  bitmap->width = little(header + 4, is_core ? 2 : 4);
  bitmap->is_top_down = height < 0;
  bitmap->height = height < 0 ? -(uint32_t)height : (uint32_t)height;
  if (is_icon) bitmap->height /= 2;
  bitmap->bits = little(header + (is_core ? 10 : 14), 2);
  bitmap->coding = is_core || length < 20 ? PLAIN : little(header + 16, 4);
  uint32_t colours = length < 36 ? 0 : little(header + 32, 4);
  // The inspection has seen that this kind exists. Other kinds are read by no reader below.
  if (bitmap->width == 0 || bitmap->width > INT32_MAX || bitmap->height == 0 || bitmap->bits == 0 || bitmap->bits > 32 ||
      imgfetch_area(bitmap->width, bitmap->height, 8) > INT64_MAX) {
    return fail(bitmap, "its size or depth does not exist");
  }
  uint64_t behind = start + length;
  if (length == INFO_HEADER && (bitmap->coding == FIELDS || bitmap->coding == FIELDS_WITH_ALPHA)) {
    size_t size = bitmap->coding == FIELDS ? 12 : 16;
    if (!read_at(bitmap, behind, masks, size)) return false;
    behind += size;
  }
  if (bitmap->bits <= 8) {
    uint32_t most = 1u << bitmap->bits, count = colours == 0 || colours > most ? most : colours, each = is_core ? 3 : 4;
    if (!read_palette(bitmap, behind, colours, each)) return false;
    behind += count * each;
  } else {
    choose_channels(bitmap, header, length, masks);
  }
  bitmap->rows = rows ? rows : behind;
  if (!prepare(bitmap, end)) return false;
  decoder->layout = (imgfetch_layout){
      .width = bitmap->width, .height = bitmap->height, .bits = 8,
      .model = bitmap->has_alpha ? IMGFETCH_RGBA : IMGFETCH_RGB};
  return imgfetch_has_told_size(decoder);
}

static void give_numbers(const imgfetch_bitmap *bitmap, uint64_t stored, uint8_t *to) {
  unsigned samples = bitmap->has_alpha ? 4 : 3;
  for (uint32_t x = 0; x < bitmap->width; x++, to += samples) {
    size_t place = (size_t)stored * bitmap->width + x;
    bool is_set = bitmap->is_set[place / 8] >> place % 8 & 1;
    if (samples == 4) to[3] = is_set ? 255 : 0;
    for (int part = 0; part < 3; part++) to[part] = is_set ? bitmap->palette[bitmap->numbers[place]][part] : 0;
  }
}

static void give_pixels(const imgfetch_bitmap *bitmap, uint8_t *to) {
  const uint8_t *from = bitmap->row;
  unsigned samples = bitmap->has_alpha ? 4 : 3;
  for (uint32_t x = 0; x < bitmap->width; x++, to += samples) {
    if (samples == 4) to[3] = 255;
    if (bitmap->bits <= 8) {
      uint32_t place = x * bitmap->bits, each = bitmap->bits;
      uint32_t number = from[place / 8] >> (8 - each - place % 8) & ((1u << each) - 1);
      memcpy(to, bitmap->palette[number], 3);
    } else if (bitmap->bits == 24) {
      for (int part = 0; part < 3; part++) to[part] = from[3 * (size_t)x + 2 - (size_t)part];
    } else {
      int bytes = (int)bitmap->bits / 8;
      uint32_t pixel = little(from + (size_t)x * (size_t)bytes, bytes);
      for (int part = 0; part < 3; part++) to[part] = share(bitmap->channels[part], pixel);
      if (bitmap->channels[3].mask) to[3] = share(bitmap->channels[3], pixel);
    }
  }
}

bool imgfetch_bitmap_read(imgfetch_bitmap *bitmap, uint8_t *row) {
  uint32_t number = bitmap->rows_given;
  if (number >= bitmap->height) return fail(bitmap, "it has no more rows");
  bitmap->rows_given++;
  uint64_t stored = bitmap->is_top_down ? number : bitmap->height - 1 - number;
  if (bitmap->numbers) {
    give_numbers(bitmap, stored, row);
    return true;
  }
  if (!read_at(bitmap, bitmap->rows + stored * bitmap->stride, bitmap->row, bitmap->stride)) return false;
  give_pixels(bitmap, row);
  if (!bitmap->mask) return true;
  uint64_t mask_stride = ((uint64_t)bitmap->width + 31) / 32 * 4;
  if (!read_at(bitmap, bitmap->mask + stored * mask_stride, bitmap->mask_row, mask_stride)) return false;
  for (uint32_t x = 0; x < bitmap->width; x++, row += 4) {
    if (bitmap->mask_row[x / 8] << x % 8 & 0x80) memset(row, 0, 4);
  }
  return true;
}

void imgfetch_bitmap_close(imgfetch_bitmap *bitmap) {
  free(bitmap->row);
  free(bitmap->mask_row);
  free(bitmap->numbers);
  free(bitmap->is_set);
}
