// TIFF through libtiff: its first page. Samples of 8 or 16 bits are read as they are; everything else as
// libtiff converts it to RGBA.
#include "libraries.h"

#include "late.h"

#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tiffio.h>

static struct {
  bool is_there;
  __typeof__(&TIFFOpenOptionsAlloc) make_options;
  __typeof__(&TIFFOpenOptionsFree) free_options;
  __typeof__(&TIFFOpenOptionsSetMaxSingleMemAlloc) set_most;
  __typeof__(&TIFFOpenOptionsSetErrorHandlerExtR) set_errors;
  __typeof__(&TIFFOpenOptionsSetWarningHandlerExtR) set_warnings;
  __typeof__(&TIFFClientOpenExt) open;
  __typeof__(&TIFFClose) close;
  __typeof__(&TIFFGetField) field;
  __typeof__(&TIFFGetFieldDefaulted) field_or_default;
  __typeof__(&TIFFIsTiled) is_tiled;
  __typeof__(&TIFFReadDirectory) next_page;
  __typeof__(&TIFFReadScanline) read_row;
  __typeof__(&TIFFScanlineSize) row_size;
  __typeof__(&TIFFTileSize) tile_size;
  __typeof__(&TIFFReadTile) read_tile;
  __typeof__(&TIFFRGBAImageOK) can_rgba;
  __typeof__(&TIFFReadRGBAImageOriented) read_rgba;
} tiff;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
  static const char *const names[] = {"libtiff.so.6", NULL};
#define FIND(name, field) {"TIFF" name, (void **)&tiff.field, false}
  const imgfetch_symbol symbols[] = {
      FIND("OpenOptionsAlloc", make_options),
      FIND("OpenOptionsFree", free_options),
      FIND("OpenOptionsSetMaxSingleMemAlloc", set_most),
      FIND("OpenOptionsSetErrorHandlerExtR", set_errors),
      FIND("OpenOptionsSetWarningHandlerExtR", set_warnings),
      FIND("ClientOpenExt", open),
      FIND("Close", close),
      FIND("GetField", field),
      FIND("GetFieldDefaulted", field_or_default),
      FIND("IsTiled", is_tiled),
      FIND("ReadDirectory", next_page),
      FIND("ReadScanline", read_row),
      FIND("ScanlineSize", row_size),
      FIND("TileSize", tile_size),
      FIND("ReadTile", read_tile),
      FIND("RGBAImageOK", can_rgba),
      FIND("ReadRGBAImageOriented", read_rgba),
  };
#undef FIND
  tiff.is_there = imgfetch_late_load(names, symbols, sizeof symbols / sizeof *symbols) >= 0;
}

typedef struct {
  imgfetch_whole_decoder whole;
  const uint8_t *bytes;
  size_t length;
  uint64_t at;
  TIFF *file;
  char reason[128];
  uint16_t photometric, samples, extra;
  bool is_plain, is_begun;
} tiff_decoder;

// The functions that libtiff reads through.

static tmsize_t take(void *context, void *to, tmsize_t count) {
  tiff_decoder *self = context;
  if (count <= 0 || self->at >= self->length) return 0;
  size_t step = self->length - (size_t)self->at < (size_t)count ? self->length - (size_t)self->at : (size_t)count;
  memcpy(to, self->bytes + self->at, step);
  self->at += step;
  return (tmsize_t)step;
}

static tmsize_t put(void *context, void *from, tmsize_t count) { return 0; }

static uint64_t seek(void *context, uint64_t offset, int from) {
  tiff_decoder *self = context;
  self->at = from == SEEK_SET ? offset : from == SEEK_CUR ? self->at + offset : self->length + offset;
  return self->at;
}

static int close_nothing(void *context) { return 0; }
static uint64_t size_of(void *context) { return ((tiff_decoder *)context)->length; }
static int map(void *context, void **address, uint64_t *size) { return 0; }
static void unmap(void *context, void *address, uint64_t size) {}

/// Keeps the first error: the later ones follow from it.
static int note_error(TIFF *file, void *context, const char *module, const char *format, va_list values) {
  tiff_decoder *self = context;
  if (!self->reason[0]) vsnprintf(self->reason, sizeof self->reason, format, values);
  return 1;
}

static int note_warning(TIFF *file, void *context, const char *module, const char *format, va_list values) { return 1; }

static bool fail(tiff_decoder *self, const char *reason) {
  const char *told = self->reason[0] ? self->reason : reason;
  bool is_memory = strstr(told, "emory") || strstr(told, "exceeds maximum");
  return imgfetch_fail(&self->whole.base.trouble, is_memory ? IMGFETCH_TOO_LARGE : IMGFETCH_DAMAGED, told);
}

static bool open_file(tiff_decoder *self) {
  imgfetch_decoder *decoder = &self->whole.base;
  pthread_once(&once, load);
  if (!tiff.is_there) return imgfetch_late_missing(&decoder->trouble, "libtiff (Debian: libtiff6)");
  if (!imgfetch_late_input(decoder, &self->bytes, &self->length)) return false;
  TIFFOpenOptions *options = tiff.make_options();
  if (!options) return imgfetch_fail(&decoder->trouble, IMGFETCH_TOO_LARGE, "there is no memory for a decoder");
  tiff.set_most(options, (tmsize_t)(decoder->options.memory > PTRDIFF_MAX ? PTRDIFF_MAX : decoder->options.memory));
  tiff.set_errors(options, note_error, self);
  tiff.set_warnings(options, note_warning, self);
  self->file = tiff.open("image", "rm", self, take, put, seek, close_nothing, size_of, map, unmap, options);
  tiff.free_options(options);
  return self->file || fail(self, "it cannot be read");
}

static bool is_lab(const tiff_decoder *self) {
  return self->photometric == PHOTOMETRIC_CIELAB || self->photometric == PHOTOMETRIC_ICCLAB;
}

/// Reads the layout of the current page, and whether its samples are read as they are.
static bool describe(tiff_decoder *self) {
  uint32_t width = 0, height = 0;
  uint16_t bits = 1, planes = PLANARCONFIG_CONTIG, kind = SAMPLEFORMAT_UINT, extras = 0, *extra_kinds = NULL;
  self->photometric = 0xFFFF;
  tiff.field(self->file, TIFFTAG_IMAGEWIDTH, &width);
  tiff.field(self->file, TIFFTAG_IMAGELENGTH, &height);
  tiff.field(self->file, TIFFTAG_PHOTOMETRIC, &self->photometric);
  tiff.field_or_default(self->file, TIFFTAG_BITSPERSAMPLE, &bits);
  tiff.field_or_default(self->file, TIFFTAG_SAMPLESPERPIXEL, &self->samples);
  tiff.field_or_default(self->file, TIFFTAG_PLANARCONFIG, &planes);
  tiff.field_or_default(self->file, TIFFTAG_SAMPLEFORMAT, &kind);
  tiff.field_or_default(self->file, TIFFTAG_EXTRASAMPLES, &extras, &extra_kinds);
  if (width == 0 || height == 0 || width > INT32_MAX || height > INT32_MAX) return fail(self, "it has no size");
  self->extra = extras == 1 && extra_kinds ? extra_kinds[0] : 0;
  bool has_alpha = self->extra == EXTRASAMPLE_ASSOCALPHA || self->extra == EXTRASAMPLE_UNASSALPHA;
  bool is_grey = self->photometric == PHOTOMETRIC_MINISBLACK || self->photometric == PHOTOMETRIC_MINISWHITE;
  uint16_t colours = self->photometric == PHOTOMETRIC_RGB || is_lab(self) ? 3
      : self->photometric == PHOTOMETRIC_SEPARATED                        ? 4
      : is_grey                                                           ? 1 : 0;
  bool has_whole_samples = kind == SAMPLEFORMAT_UINT && (bits == 8 || bits == 16);
  self->is_plain = colours > 0 && planes == PLANARCONFIG_CONTIG && has_whole_samples &&
      self->samples == colours + (has_alpha ? 1 : 0) && !(colours == 4 && has_alpha);
  uint8_t model = !self->is_plain || colours == 3 ? (has_alpha ? IMGFETCH_RGBA : IMGFETCH_RGB)
      : colours == 4                              ? IMGFETCH_CMYK
      : has_alpha                                 ? IMGFETCH_GREY_ALPHA : IMGFETCH_GREY;
  self->whole.base.layout = (imgfetch_layout){
      .width = width, .height = height, .model = model, .bits = self->is_plain ? (uint8_t)bits : 8};
  return true;
}

static bool read_rows(tiff_decoder *self) {
  const imgfetch_layout *layout = &self->whole.base.layout;
  size_t line = (size_t)layout->width * self->samples * layout->bits / 8;
  if (tiff.row_size(self->file) != (tmsize_t)line) return fail(self, "its rows have another length");
  for (uint32_t row = 0; row < layout->height; row++) {
    if (tiff.read_row(self->file, self->whole.pixels + row * line, row, 0) < 0) return fail(self, "a row cannot be read");
  }
  return true;
}

static bool read_tiles(tiff_decoder *self) {
  const imgfetch_layout *layout = &self->whole.base.layout;
  uint32_t width = 0, height = 0;
  tiff.field(self->file, TIFFTAG_TILEWIDTH, &width);
  tiff.field(self->file, TIFFTAG_TILELENGTH, &height);
  size_t each = (size_t)self->samples * layout->bits / 8, line = layout->width * each;
  tmsize_t size = tiff.tile_size(self->file);
  if (width == 0 || height == 0 || size <= 0 || (uint64_t)size > self->whole.base.options.memory ||
      imgfetch_area(width, height, each) != (uint64_t)size) {
    return fail(self, "its tiles have a size that cannot be");
  }
  uint8_t *tile = malloc((size_t)size);
  bool is_fine = tile || imgfetch_fail(&self->whole.base.trouble, IMGFETCH_TOO_LARGE, "there is no memory for a tile");
  for (uint64_t y = 0; y < layout->height && is_fine; y += height) {
    for (uint64_t x = 0; x < layout->width && is_fine; x += width) {
      is_fine = tiff.read_tile(self->file, tile, (uint32_t)x, (uint32_t)y, 0, 0) == size || fail(self, "a tile cannot be read");
      size_t across = layout->width - x < width ? layout->width - (size_t)x : width;
      for (uint32_t row = 0; is_fine && row < height && y + row < layout->height; row++) {
        memcpy(self->whole.pixels + (y + row) * line + x * each, tile + row * width * each, across * each);
      }
    }
  }
  free(tile);
  return is_fine;
}

#define PLAIN_SAMPLES(BITS, SAMPLE)                                                                        \
  static void invert_##BITS(SAMPLE *samples, size_t pixels, unsigned each, bool has_alpha) {              \
    for (size_t at = 0; at < pixels * each; at++) {                                                       \
      if (!has_alpha || at % each != each - 1) samples[at] = (SAMPLE)~samples[at];                        \
    }                                                                                                     \
  }                                                                                                       \
  static void divide_##BITS(SAMPLE *samples, size_t pixels, unsigned each) {                              \
    const uint32_t most = (SAMPLE)~0u;                                                                    \
    for (size_t at = 0; at < pixels; at++, samples += each) {                                             \
      uint32_t alpha = samples[each - 1];                                                                 \
      for (unsigned part = 0; part + 1 < each && alpha > 0; part++) {                                     \
        uint64_t value = ((uint64_t)samples[part] * most + alpha / 2) / alpha;                            \
        samples[part] = (SAMPLE)(value > most ? most : value);                                            \
      }                                                                                                   \
    }                                                                                                     \
  }
PLAIN_SAMPLES(8, uint8_t)
PLAIN_SAMPLES(16, uint16_t)

static float linear_of_lab(float part) {
  return part > 6.0f / 29 ? part * part * part : 108.0f / 841 * (part - 4.0f / 29);
}

/// The value of an sRGB channel, from 0 to 1, by its light.
static float srgb(float light) {
  if (!(light > 0.0031308f)) return light > 0 ? 12.92f * light : 0;
  return light < 1 ? 1.055f * powf(light, 1 / 2.4f) - 0.055f : 1;
}

/// Converts L*a*b* to sRGB. Its white is D50, which libtiff shows yellow, since it leaves out the way to sRGB's D65
/// (here Bradford's).
static void convert_lab(float lightness, float a, float b, float *rgb) {
  float middle = (lightness + 16) / 116;
  float x = 0.9642f * linear_of_lab(middle + a / 500), y = linear_of_lab(middle);
  float z = 0.8249f * linear_of_lab(middle - b / 200);
  rgb[0] = srgb(3.1338561f * x - 1.6168667f * y - 0.4906146f * z);
  rgb[1] = srgb(-0.9787684f * x + 1.9161415f * y + 0.0334540f * z);
  rgb[2] = srgb(0.0719453f * x - 0.2289914f * y + 1.4052427f * z);
}

/// Turns L*a*b* into sRGB: TIFF's own kind has signed colours, that of ICC's profiles has them around the middle, and
/// white at 0xFF00 where samples have 16 bits.
static void mend_lab(tiff_decoder *self, size_t pixels) {
  bool is_wide = self->whole.base.layout.bits == 16, is_icc = self->photometric == PHOTOMETRIC_ICCLAB;
  uint8_t *narrow = self->whole.pixels;
  uint16_t *wide = (uint16_t *)self->whole.pixels;
  float white = !is_wide ? 255 : is_icc ? 0xFF00 : 0xFFFF, most = is_wide ? 65535 : 255;
  for (size_t at = 0; at < pixels * self->samples; at += self->samples) {
    float lab[3], rgb[3];
    for (unsigned part = 0; part < 3; part++) {
      lab[part] = is_wide ? wide[at + part] : narrow[at + part];
      if (part == 0) continue;
      if (is_wide) lab[part] /= 256;
      if (is_icc) lab[part] -= 128;
      else if (lab[part] >= 128) lab[part] -= 256;
    }
    convert_lab(lab[0] * 100 / white, lab[1], lab[2], rgb);
    for (unsigned part = 0; part < 3; part++) {
      float value = rgb[part] * most + 0.5f;
      if (is_wide) wide[at + part] = (uint16_t)value;
      else narrow[at + part] = (uint8_t)value;
    }
  }
}

/// Turns samples as they are stored into those of the layout.
static void mend(tiff_decoder *self) {
  const imgfetch_layout *layout = &self->whole.base.layout;
  size_t pixels = (size_t)layout->width * layout->height;
  bool is_wide = layout->bits == 16;
  if (self->photometric == PHOTOMETRIC_MINISWHITE) {
    if (is_wide) invert_16((uint16_t *)self->whole.pixels, pixels, self->samples, self->extra != 0);
    else invert_8(self->whole.pixels, pixels, self->samples, self->extra != 0);
  }
  if (self->extra == EXTRASAMPLE_ASSOCALPHA) {
    if (is_wide) divide_16((uint16_t *)self->whole.pixels, pixels, self->samples);
    else divide_8(self->whole.pixels, pixels, self->samples);
  }
  if (is_lab(self)) mend_lab(self, pixels);
}

static bool read_converted(tiff_decoder *self) {
  const imgfetch_layout *layout = &self->whole.base.layout;
  char reason[1024] = "";
  if (!tiff.can_rgba(self->file, reason)) {
    return imgfetch_fail(&self->whole.base.trouble, IMGFETCH_UNSUPPORTED, reason);
  }
  size_t pixels = (size_t)layout->width * layout->height;
  uint32_t *raster = malloc(pixels * 4);
  if (!raster) return imgfetch_fail(&self->whole.base.trouble, IMGFETCH_TOO_LARGE, "there is no memory for its pixels");
  uint16_t orientation = ORIENTATION_TOPLEFT;
  tiff.field_or_default(self->file, TIFFTAG_ORIENTATION, &orientation);
  // Asked for as it is, nothing is turned.
  if (orientation < ORIENTATION_TOPLEFT || orientation > ORIENTATION_LEFTBOT) orientation = ORIENTATION_TOPLEFT;
  bool is_fine = tiff.read_rgba(self->file, layout->width, layout->height, raster, orientation, 1) || fail(self, "it cannot be decoded");
  unsigned samples = imgfetch_samples(layout->model);
  uint8_t *to = self->whole.pixels;
  for (size_t at = 0; at < pixels && is_fine; at++, to += samples) {
    for (unsigned part = 0; part < samples; part++) to[part] = (uint8_t)(raster[at] >> 8 * part);
  }
  free(raster);
  // Colours come multiplied by their alpha, however they are stored.
  if (is_fine && samples == 4) divide_8(self->whole.pixels, pixels, 4);
  return is_fine;
}

static bool read_page(tiff_decoder *self) {
  if (!self->is_plain) return read_converted(self);
  if (!(tiff.is_tiled(self->file) ? read_tiles(self) : read_rows(self))) return false;
  mend(self);
  return true;
}

static bool open_tiff(imgfetch_decoder *decoder) {
  tiff_decoder *self = (tiff_decoder *)decoder;
  if (!open_file(self) || !describe(self)) return false;
  uint32_t length = 0;
  const uint8_t *profile = NULL;
  bool has_profile = tiff.field(self->file, TIFFTAG_ICCPROFILE, &length, &profile) && profile;
  // A profile of L*a*b* tells nothing of the colours that it was turned into.
  if (has_profile && !is_lab(self)) imgfetch_keep_profile(decoder, profile, length);
  return imgfetch_whole_make(&self->whole, self->is_plain ? 0 : 4);
}

static int next_tiff(imgfetch_decoder *decoder, uint32_t *milliseconds) {
  tiff_decoder *self = (tiff_decoder *)decoder;
  if (self->is_begun) return 0;
  self->is_begun = true;
  return read_page(self) ? 1 : -1;
}

/// All pages, which may be of different sizes.
static bool decode_all_tiff(imgfetch_decoder *decoder) {
  tiff_decoder *self = (tiff_decoder *)decoder;
  if (!open_tiff(decoder) || !read_page(self)) return false;
  while (tiff.next_page(self->file)) {
    free(self->whole.pixels);
    self->whole.pixels = NULL;
    if (!describe(self)) return false;
    decoder->options.width = decoder->layout.width;
    decoder->options.height = decoder->layout.height;
    if (!imgfetch_whole_make(&self->whole, self->is_plain ? 0 : 4) || !read_page(self)) return false;
  }
  if (self->reason[0]) return fail(self, "a page cannot be read");
  return true;
}

static void close_tiff(imgfetch_decoder *decoder) {
  tiff_decoder *self = (tiff_decoder *)decoder;
  if (self->file) tiff.close(self->file);
  imgfetch_whole_close(&self->whole);
}

extern const imgfetch_sample imgfetch_tiff_sample;

const imgfetch_decoder_kind imgfetch_tiff_decoding = {
    .size = sizeof(tiff_decoder),
    .open = open_tiff,
    .next = next_tiff,
    .read = imgfetch_whole_read,
    .finish = imgfetch_whole_finish,
    .decode_all = decode_all_tiff,
    .close = close_tiff,
    .sample = &imgfetch_tiff_sample,
};
