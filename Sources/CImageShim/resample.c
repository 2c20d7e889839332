// zimg scales whole pictures, and goes over a wide one several times, strip by strip. So the picture is cut into bands
// of rows: as many source rows as a band of the result depends on are gathered, scaled, and kept as far as the next
// band depends on them too. Each band is told which part of its rows it shows, so that the seams are not seen.
#include "libraries.h"

#include "resample.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <zimg.h>

#include "trouble.h"

/// Lanczos' window: rows and columns that a pixel depends on, to either side, at the larger of the two scales.
enum { TAPS = 3 };

/// Source rows that are gathered at once, and rows of the result that are made of them: one band for most pictures, and
/// little beside what decoders hold.
enum { WINDOW = 8 << 20 };

/// A band has no fewer rows: each one has zimg make its tables anew.
enum { LEAST_BAND = 8 };

/// The most memory that zimg takes, as measured with 3.0.4 for one to four samples of 8 and 16 bits, up by 3 and down
/// by 39: bytes for each weight of its tables (59 with AVX-512, 73 without), and for each pixel of the lines that it
/// keeps between its steps, whose number is a power of two (8; with alpha, for which it works in floating point, 92).
/// Beside that it takes some hundred kilobytes.
enum { BYTES_OF_WEIGHT = 80, BYTES_OF_LINE = 10, BYTES_OF_LINE_WITH_ALPHA = 96, LEAST_LINES = 8, REST = 1 << 20 };

/// The alignment of rows that zimg's widest instructions need.
enum { ALIGNMENT = 64 };

/// Rows of up to four planes, one plane after the other.
typedef struct {
  uint8_t *bytes;
  size_t stride;
  size_t rows;
} planes;

struct imgfetch_resampler {
  imgfetch_layout from;
  imgfetch_region region;
  uint32_t width, height;
  unsigned samples;
  size_t sample_bytes;
  /// Source rows for one row of the result, and how many more it depends on to either side.
  double ratio;
  int64_t margin;
  uint32_t band;
  /// Rows of the source that a band depends on.
  int64_t window;
  /// Bytes that zimg may take for its lines.
  uint64_t scratch;
  /// Source rows from `first` on, as many as `filled`, up to `end`; and the number of the row that comes next.
  planes source;
  int64_t first, filled, end, next;
  /// The rows of the result from `made_first` on.
  planes made;
  uint32_t made_first, made_rows, taken;
};

static bool make(planes *planes, unsigned samples, size_t row_bytes, size_t rows) {
  planes->stride = (row_bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  planes->rows = rows;
  planes->bytes = aligned_alloc(ALIGNMENT, planes->stride * rows * samples);
  return planes->bytes != NULL;
}

static uint8_t *row_of(const planes *planes, unsigned plane, size_t row) {
  return planes->bytes + (plane * planes->rows + row) * planes->stride;
}

static int64_t least(int64_t one, int64_t other) { return one < other ? one : other; }
static int64_t most(int64_t one, int64_t other) { return one > other ? one : other; }

/// Prepares the source rows that the next band depends on. Rows that are already there are moved to the front.
static void begin_band(imgfetch_resampler *self) {
  uint32_t from = self->made_first + self->made_rows;
  uint32_t to = (uint32_t)least(self->height, (int64_t)from + self->band);
  self->made_first = from;
  self->made_rows = to - from;
  self->taken = 0;
  double top = self->region.top;
  int64_t first = most(0, (int64_t)floor(top + from * self->ratio) - self->margin);
  self->end = least(self->from.height, (int64_t)ceil(top + to * self->ratio) + self->margin);
  if (to == from) self->end = self->next;
  int64_t gone = least(self->filled, first - self->first);
  for (unsigned plane = 0; plane < self->samples && gone > 0; plane++) {
    memmove(
        row_of(&self->source, plane, 0), row_of(&self->source, plane, (size_t)gone),
        (size_t)(self->filled - gone) * self->source.stride);
  }
  self->filled -= gone;
  self->first = first;
}

/// The plan, before any memory is taken for it.
static imgfetch_resampler plan(imgfetch_layout from, imgfetch_region region, uint32_t width, uint32_t height) {
  imgfetch_resampler self = {
      .from = from, .region = region, .width = width, .height = height, .samples = from.model,
      .sample_bytes = from.bits / 8, .ratio = region.height / height};
  self.margin = (int64_t)ceil(TAPS * fmax(self.ratio, 1)) + 2;
  double row = (double)from.width * self.samples * self.sample_bytes;
  double made = (double)width * self.samples * self.sample_bytes;
  double band = fmin((WINDOW / row - 2 * (double)self.margin) / self.ratio, WINDOW / made);
  band = fmax(LEAST_BAND, band);
  self.band = band < height ? (uint32_t)band : height;
  self.window = least(from.height, (int64_t)ceil(self.band * self.ratio) + 2 * self.margin + 2);
  return self;
}

/// Bytes of the rows that are gathered and made.
static double rows_of(const imgfetch_resampler *self) {
  double from = (double)self->from.width * (double)self->window + ALIGNMENT * (double)self->window;
  double made = (double)self->width * self->band + ALIGNMENT * (double)self->band;
  return (from + made) * self->samples * (double)self->sample_bytes;
}

/// Bytes of zimg's tables: six weights or more for each pixel of the longer side, either way.
static double tables_of(const imgfetch_resampler *self) {
  double across = fmax(self->from.width, self->width), down = fmax((double)self->window, self->band);
  return 2 * TAPS * (across + down) * BYTES_OF_WEIGHT;
}

/// Bytes of the lines that zimg keeps.
static double lines_of(const imgfetch_resampler *self) {
  double lines = LEAST_LINES, needed = fmin(2 * TAPS * self->ratio + 2, (double)self->window);
  while (lines < needed) lines *= 2;
  bool has_alpha = self->samples % 2 == 0;
  double pixels = lines * fmax(self->from.width, self->width);
  return pixels * (has_alpha ? BYTES_OF_LINE_WITH_ALPHA : BYTES_OF_LINE) + REST;
}

static uint64_t whole(double bytes) { return bytes < 0x1p62 ? (uint64_t)bytes + 1 : UINT64_MAX / 4; }

imgfetch_resampler_need imgfetch_resampler_needs(
    imgfetch_layout from, imgfetch_region region, uint32_t width, uint32_t height) {
  imgfetch_resampler self = plan(from, region, width, height);
  return (imgfetch_resampler_need){.held = whole(rows_of(&self) + tables_of(&self)), .scratch = whole(lines_of(&self))};
}

static imgfetch_resampler *too_large(imgfetch_resampler *self, imgfetch_trouble *trouble) {
  imgfetch_fail(trouble, IMGFETCH_TOO_LARGE, "scaling it needs more memory than there is for it");
  imgfetch_resampler_close(self);
  return NULL;
}

imgfetch_resampler *imgfetch_resampler_open(
    imgfetch_layout from, imgfetch_region region, uint32_t width, uint32_t height, imgfetch_trouble *trouble) {
  imgfetch_resampler *self = malloc(sizeof *self);
  if (!self) return too_large(NULL, trouble);
  *self = plan(from, region, width, height);
  if (!make(&self->source, self->samples, from.width * self->sample_bytes, (size_t)self->window) ||
      !make(&self->made, self->samples, width * self->sample_bytes, self->band)) {
    return too_large(self, trouble);
  }
  begin_band(self);
  return self;
}

void imgfetch_resampler_allow(imgfetch_resampler *self, uint64_t scratch) { self->scratch = scratch; }

bool imgfetch_resampler_wants(const imgfetch_resampler *self) { return self->next < self->end; }

/// A loop with a known number of samples, so that the compiler does many pixels at once. The width is read once: to the
/// compiler, any byte that is written might be part of it.
#define SPLIT(SAMPLE, SAMPLES)                                                                             \
  for (unsigned plane = 0; plane < (SAMPLES); plane++) {                                                   \
    SAMPLE *restrict to = (SAMPLE *)row_of(&self->source, plane, place);                                   \
    const SAMPLE *restrict from = (const SAMPLE *)row + plane;                                             \
    size_t width = self->from.width;                                                                       \
    for (size_t at = 0; at < width; at++) to[at] = from[at * (SAMPLES)];                                   \
  }

#define JOIN(SAMPLE, SAMPLES)                                                                              \
  {                                                                                                        \
    const SAMPLE *from[SAMPLES];                                                                           \
    SAMPLE *restrict to = (SAMPLE *)row;                                                                   \
    size_t width = self->width;                                                                            \
    for (unsigned plane = 0; plane < (SAMPLES); plane++) {                                                 \
      from[plane] = (const SAMPLE *)row_of(&self->made, plane, place);                                     \
    }                                                                                                      \
    for (size_t at = 0; at < width; at++) {                                                                \
      for (unsigned plane = 0; plane < (SAMPLES); plane++) to[at * (SAMPLES) + plane] = from[plane][at];   \
    }                                                                                                      \
  }

#define FOR_EACH_LAYOUT(DO)                                                                                \
  switch (self->sample_bytes * 8 + self->samples) {                                                        \
    case 9: DO(uint8_t, 1) break;                                                                          \
    case 10: DO(uint8_t, 2) break;                                                                         \
    case 11: DO(uint8_t, 3) break;                                                                         \
    case 12: DO(uint8_t, 4) break;                                                                         \
    case 17: DO(uint16_t, 1) break;                                                                        \
    case 18: DO(uint16_t, 2) break;                                                                        \
    case 19: DO(uint16_t, 3) break;                                                                        \
    default: DO(uint16_t, 4) break;                                                                        \
  }

void imgfetch_resampler_put(imgfetch_resampler *self, const uint8_t *row) {
  int64_t number = self->next++;
  if (number < self->first || number >= self->end) return;
  size_t place = (size_t)self->filled++;
  FOR_EACH_LAYOUT(SPLIT)
}

static void describe(const imgfetch_resampler *self, zimg_image_format *format, uint32_t width, uint32_t height) {
  zimg_image_format_default(format, ZIMG_API_VERSION);
  format->width = width;
  format->height = height;
  format->pixel_type = self->sample_bytes == 2 ? ZIMG_PIXEL_WORD : ZIMG_PIXEL_BYTE;
  format->depth = self->from.bits;
  format->pixel_range = ZIMG_RANGE_FULL;
  bool is_grey = self->samples < 3;
  format->color_family = is_grey ? ZIMG_COLOR_GREY : ZIMG_COLOR_RGB;
  if (!is_grey) format->matrix_coefficients = ZIMG_MATRIX_RGB;
  format->alpha = self->samples % 2 == 0 ? ZIMG_ALPHA_STRAIGHT : ZIMG_ALPHA_NONE;
}

/// The plane of zimg that holds a sample: alpha is always its fourth.
static unsigned plane_of(const imgfetch_resampler *self, unsigned sample) {
  return self->samples % 2 == 0 && sample == self->samples - 1 ? 3 : sample;
}

/// zimg's tables for a band, and which bands they are for.
typedef struct {
  zimg_filter_graph *graph;
  imgfetch_layout from;
  imgfetch_region region;
  uint32_t width, height;
} scaler;

static void free_scaler(scaler *scaler) {
  if (!scaler) return;
  zimg_filter_graph_free(scaler->graph);
  free(scaler);
}

/// The scaler that a band needs, without its graph, which is null.
static scaler wanted(const imgfetch_resampler *self) {
  scaler wanted = {.from = self->from, .region = self->region, .width = self->width, .height = self->made_rows};
  wanted.from.height = (uint32_t)self->filled;
  wanted.region.top += self->made_first * self->ratio - (double)self->first;
  wanted.region.height = self->made_rows * self->ratio;
  return wanted;
}

static bool serves(const scaler *one, const scaler *other) {
  return one->from.width == other->from.width && one->from.height == other->from.height &&
      one->from.model == other->from.model && one->from.bits == other->from.bits && one->width == other->width &&
      one->height == other->height && one->region.left == other->region.left && one->region.top == other->region.top &&
      one->region.width == other->region.width && one->region.height == other->region.height;
}

static scaler *build(const imgfetch_resampler *self, scaler wanted) {
  scaler *built = malloc(sizeof *built);
  if (!built) return NULL;
  *built = wanted;
  zimg_image_format from, to;
  describe(self, &from, wanted.from.width, wanted.from.height);
  describe(self, &to, wanted.width, wanted.height);
  from.active_region.left = wanted.region.left;
  from.active_region.width = wanted.region.width;
  from.active_region.top = wanted.region.top;
  from.active_region.height = wanted.region.height;
  zimg_graph_builder_params parameters;
  zimg_graph_builder_params_default(&parameters, ZIMG_API_VERSION);
  parameters.resample_filter = ZIMG_RESIZE_LANCZOS;
  parameters.filter_param_a = TAPS;
  parameters.cpu_type = ZIMG_CPU_AUTO_64B;
  built->graph = zimg_filter_graph_build(&from, &to, &parameters);
  if (built->graph) return built;
  free(built);
  return NULL;
}

/// The last one that was used. A list often has pictures of one size, and making the tables is a fourth of the
/// work for a small thumbnail.
static _Atomic(scaler *) spare;

/// Tables of more bytes are not kept: nothing accounts for them then.
enum { MOST_SPARED = 1 << 20 };

static scaler *take_scaler(const imgfetch_resampler *self) {
  scaler needed = wanted(self);
  scaler *last = atomic_exchange(&spare, NULL);
  if (last && serves(last, &needed)) return last;
  free_scaler(last);
  return build(self, needed);
}

static void spare_scaler(const imgfetch_resampler *self, scaler *scaler) {
  free_scaler(tables_of(self) <= MOST_SPARED ? atomic_exchange(&spare, scaler) : scaler);
}

static bool process(imgfetch_resampler *self, const zimg_filter_graph *graph, void *scratch) {
  zimg_image_buffer_const from = {.version = ZIMG_API_VERSION};
  zimg_image_buffer to = {.version = ZIMG_API_VERSION};
  for (unsigned sample = 0; sample < self->samples; sample++) {
    unsigned plane = plane_of(self, sample);
    from.plane[plane].data = row_of(&self->source, sample, 0);
    from.plane[plane].stride = (ptrdiff_t)self->source.stride;
    from.plane[plane].mask = ZIMG_BUFFER_MAX;
    to.plane[plane].data = row_of(&self->made, sample, 0);
    to.plane[plane].stride = (ptrdiff_t)self->made.stride;
    to.plane[plane].mask = ZIMG_BUFFER_MAX;
  }
  return zimg_filter_graph_process(graph, &from, &to, scratch, NULL, NULL, NULL, NULL) == ZIMG_ERROR_SUCCESS;
}

static bool make_band(imgfetch_resampler *self, imgfetch_trouble *trouble) {
  scaler *scaler = take_scaler(self);
  size_t size = 0;
  bool is_built = scaler && zimg_filter_graph_get_tmp_size(scaler->graph, &size) == ZIMG_ERROR_SUCCESS;
  void *scratch = is_built && size <= self->scratch ? aligned_alloc(ALIGNMENT, (size / ALIGNMENT + 1) * ALIGNMENT) : NULL;
  bool is_made = scratch && process(self, scaler->graph, scratch);
  free(scratch);
  spare_scaler(self, scaler);
  if (is_made) return true;
  char reason[sizeof trouble->reason] = "";
  bool lacks_memory = zimg_get_last_error(reason, sizeof reason) == ZIMG_ERROR_OUT_OF_MEMORY;
  if (lacks_memory || (is_built && !scratch)) return too_large(NULL, trouble) != NULL;
  return imgfetch_fail(trouble, IMGFETCH_UNSUPPORTED, reason[0] ? reason : "it cannot be scaled so");
}

bool imgfetch_resampler_take(imgfetch_resampler *self, uint8_t *row, imgfetch_trouble *trouble) {
  if (self->made_rows == 0) return imgfetch_fail(trouble, IMGFETCH_UNSUPPORTED, "there are no more rows");
  if (self->taken == 0 && !make_band(self, trouble)) return false;
  size_t place = self->taken++;
  FOR_EACH_LAYOUT(JOIN)
  if (self->taken == self->made_rows) begin_band(self);
  return true;
}

void imgfetch_resampler_close(imgfetch_resampler *self) {
  if (!self) return;
  free(self->source.bytes);
  free(self->made.bytes);
  free(self);
}
