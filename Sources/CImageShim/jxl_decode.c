// JPEG XL through libjxl, still and animated. Its structures have kept their layout since version 0.7; two functions
// lost a parameter with version 0.9.
#include "late.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  int has_container;
  uint32_t width, height, bits, exponent_bits;
  float intensity, least;
  int is_relative;
  float below;
  int uses_profile, has_preview, is_animated;
  int orientation;
  uint32_t colours, extras, alpha_bits, alpha_exponent_bits;
  int is_premultiplied;
  uint32_t preview[2];
  struct {
    uint32_t numerator, denominator, plays;
    int has_timecodes;
  } animation;
  uint8_t room[256];
} jxl_info;

typedef struct {
  uint32_t samples;
  int kind, order;
  size_t align;
} jxl_layout;

typedef struct {
  int space, white;
  double white_place[2];
  int primaries;
  double primary_places[6];
  int transfer;
  double gamma;
  int intent;
  uint8_t room[64];
} jxl_colours;

/// The library's allocator, which keeps each picture within its memory.
typedef struct {
  void *context;
  void *(*allocate)(void *, size_t);
  void (*free)(void *, void *);
} jxl_memory;

enum {
  SUCCESS = 0, FAILURE = 1, WANTS_INPUT = 2, WANTS_ROOM = 5, HAS_INFO = 0x40, HAS_COLOURS = 0x100, HAS_FRAME = 0x400, HAS_IMAGE = 0x1000,
  SAMPLES_OF_8 = 2, SAMPLES_OF_16 = 3, OF_PIXELS = 1, SRGB_WHITE = 1, SRGB_PRIMARIES = 1, SRGB_TRANSFER = 13,
};

static struct {
  bool is_there, has_unused;
  void *(*make)(const jxl_memory *);
  void (*free)(void *);
  int (*subscribe)(void *, int);
  int (*set_input)(void *, const uint8_t *, size_t);
  void (*close_input)(void *);
  int (*process)(void *);
  int (*info)(void *, jxl_info *);
  int (*frame)(void *, void *);
  int (*room)(void *, const jxl_layout *, size_t *);
  int (*set_room)(void *, const jxl_layout *, void *, size_t);
  int (*unpremultiply)(void *, int);
  void *profile_size, *profile, *encoding;
} jxl;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
  static const char *const names[] = {"libjxl.so.0.11", "libjxl.so.0.10", "libjxl.so.0.9", "libjxl.so.0.8", "libjxl.so.0.7", NULL};
  enum { FIRST_WITH_UNUSED = 3 };
#define FIND(name, field) {"JxlDecoder" name, (void **)&jxl.field, false}
  const imgfetch_symbol symbols[] = {
      FIND("Create", make),
      FIND("Destroy", free),
      FIND("SubscribeEvents", subscribe),
      FIND("SetInput", set_input),
      FIND("CloseInput", close_input),
      FIND("ProcessInput", process),
      FIND("GetBasicInfo", info),
      FIND("GetFrameHeader", frame),
      FIND("ImageOutBufferSize", room),
      FIND("SetImageOutBuffer", set_room),
      {"JxlDecoderSetUnpremultiplyAlpha", (void **)&jxl.unpremultiply, true},
      FIND("GetICCProfileSize", profile_size),
      FIND("GetColorAsICCProfile", profile),
      FIND("GetColorAsEncodedProfile", encoding),
  };
#undef FIND
  int found = imgfetch_late_load(names, symbols, sizeof symbols / sizeof *symbols);
  jxl.is_there = found >= 0;
  jxl.has_unused = found >= FIRST_WITH_UNUSED;
}

typedef struct {
  imgfetch_whole_decoder whole;
  void *decoding;
  jxl_memory memory;
  uint64_t left;
  bool was_refused;
  jxl_layout layout;
  bool is_animated;
  double tick;
  bool has_picture;
} jxl_decoder;

enum { HEAD = 16 };

static void *allocate(void *context, size_t size) {
  jxl_decoder *self = context;
  uint8_t *block = size > self->left || size > SIZE_MAX - HEAD ? NULL : malloc(size + HEAD);
  if (!block) {
    self->was_refused = true;
    return NULL;
  }
  memcpy(block, &size, sizeof size);
  self->left -= size;
  return block + HEAD;
}

static void release(void *context, void *address) {
  if (!address) return;
  jxl_decoder *self = context;
  uint8_t *block = (uint8_t *)address - HEAD;
  size_t size;
  memcpy(&size, block, sizeof size);
  self->left += size;
  free(block);
}

static bool fail(jxl_decoder *self, const char *reason) {
  // It only reports that it failed, and has freed its memory by then.
  bool is_memory = self->was_refused;
  return imgfetch_fail(
      &self->whole.base.trouble, is_memory ? IMGFETCH_TOO_LARGE : IMGFETCH_DAMAGED,
      is_memory ? "it needs more memory than there is for it" : reason);
}

static int profile_size(jxl_decoder *self, size_t *size) {
  if (!jxl.has_unused) return ((int (*)(void *, int, size_t *))jxl.profile_size)(self->decoding, OF_PIXELS, size);
  return ((int (*)(void *, const jxl_layout *, int, size_t *))jxl.profile_size)(self->decoding, &self->layout, OF_PIXELS, size);
}

static int profile(jxl_decoder *self, uint8_t *bytes, size_t size) {
  if (!jxl.has_unused) return ((int (*)(void *, int, uint8_t *, size_t))jxl.profile)(self->decoding, OF_PIXELS, bytes, size);
  return ((int (*)(void *, const jxl_layout *, int, uint8_t *, size_t))jxl.profile)(self->decoding, &self->layout, OF_PIXELS, bytes, size);
}

static int encoding(jxl_decoder *self, jxl_colours *colours) {
  if (!jxl.has_unused) return ((int (*)(void *, int, jxl_colours *))jxl.encoding)(self->decoding, OF_PIXELS, colours);
  return ((int (*)(void *, const jxl_layout *, int, jxl_colours *))jxl.encoding)(self->decoding, &self->layout, OF_PIXELS, colours);
}

/// The profile, unless it is that of sRGB, which is what pixels without one are.
static void keep_colours(jxl_decoder *self) {
  jxl_colours colours;
  memset(&colours, 0, sizeof colours);
  if (encoding(self, &colours) == 0 && colours.space <= 1 && colours.white == SRGB_WHITE && colours.transfer == SRGB_TRANSFER &&
      (colours.space == 1 || colours.primaries == SRGB_PRIMARIES)) {
    return;
  }
  size_t size = 0;
  if (profile_size(self, &size) || size == 0 || size > self->whole.base.options.metadata) return;
  uint8_t *bytes = malloc(size);
  if (bytes && profile(self, bytes, size) == 0) imgfetch_keep_profile(&self->whole.base, bytes, size);
  free(bytes);
}

static bool read_info(jxl_decoder *self) {
  imgfetch_decoder *decoder = &self->whole.base;
  jxl_info info;
  memset(&info, 0, sizeof info);
  if (jxl.info(self->decoding, &info)) return fail(self, "it has no header");
  bool is_grey = info.colours == 1, has_alpha = info.alpha_bits > 0;
  // It comes turned as it is shown, and this is the size of that.
  decoder->layout = (imgfetch_layout){
      .width = info.width, .height = info.height, .bits = info.bits > 8 ? 16 : 8,
      .model = is_grey ? (has_alpha ? IMGFETCH_GREY_ALPHA : IMGFETCH_GREY) : has_alpha ? IMGFETCH_RGBA : IMGFETCH_RGB};
  self->layout = (jxl_layout){
      .samples = imgfetch_samples(decoder->layout.model), .kind = info.bits > 8 ? SAMPLES_OF_16 : SAMPLES_OF_8};
  self->is_animated = info.is_animated;
  self->tick = info.is_animated && info.animation.numerator > 0 ? 1000.0 * info.animation.denominator / info.animation.numerator : 0;
  if (has_alpha && info.is_premultiplied && (!jxl.unpremultiply || jxl.unpremultiply(self->decoding, 1))) {
    return imgfetch_fail(&decoder->trouble, IMGFETCH_UNSUPPORTED, "its colours are multiplied by its alpha, which this libjxl does not undo");
  }
  return true;
}

static bool open_jxl(imgfetch_decoder *decoder) {
  jxl_decoder *self = (jxl_decoder *)decoder;
  const uint8_t *bytes;
  size_t length;
  pthread_once(&once, load);
  if (!jxl.is_there) return imgfetch_late_missing(&decoder->trouble, "libjxl (Debian: libjxl0.7 or libjxl0.11)");
  if (!imgfetch_late_input(decoder, &bytes, &length)) return false;
  self->left = decoder->options.memory;
  self->memory = (jxl_memory){.context = self, .allocate = allocate, .free = release};
  self->decoding = jxl.make(&self->memory);
  if (!self->decoding || jxl.subscribe(self->decoding, HAS_INFO | HAS_COLOURS | HAS_FRAME | HAS_IMAGE) ||
      jxl.set_input(self->decoding, bytes, length)) {
    return imgfetch_fail(&decoder->trouble, IMGFETCH_TOO_LARGE, "there is no memory for a decoder");
  }
  jxl.close_input(self->decoding);
  for (;;) {
    int event = jxl.process(self->decoding);
    if (event == HAS_INFO) {
      if (!read_info(self)) return false;
    } else if (event == HAS_COLOURS) {
      keep_colours(self);
      break;
    } else {
      return fail(self, event == WANTS_INPUT ? "it breaks off" : "its header cannot be read");
    }
  }
  return imgfetch_whole_make(&self->whole, 0);
}

static int next_jxl(imgfetch_decoder *decoder, uint32_t *milliseconds) {
  jxl_decoder *self = (jxl_decoder *)decoder;
  size_t size = (size_t)decoder->layout.width * decoder->layout.height * self->layout.samples * decoder->layout.bits / 8;
  uint32_t frame[256];
  for (;;) {
    int event = jxl.process(self->decoding);
    switch (event) {
      case HAS_FRAME:
        memset(frame, 0, sizeof frame);
        // A duration is the first thing that a frame's header has.
        if (jxl.frame(self->decoding, frame) == 0) {
          double shown = frame[0] * self->tick;
          *milliseconds = shown < 1e9 ? (uint32_t)(shown + 0.5) : 0;
        }
        break;
      case WANTS_ROOM: {
        size_t room = 0;
        if (jxl.room(self->decoding, &self->layout, &room) || room != size ||
            jxl.set_room(self->decoding, &self->layout, self->whole.pixels, size)) {
          fail(self, "its picture is not of the size that it tells");
          return -1;
        }
        break;
      }
      case HAS_IMAGE:
        self->has_picture = true;
        self->whole.rows_given = 0;
        return 1;
      case SUCCESS:
        if (self->has_picture) return 0;
        fail(self, "it has no picture");
        return -1;
      default:
        fail(self, event == WANTS_INPUT ? "it breaks off" : "its data cannot be decoded");
        return -1;
    }
  }
}

static void close_jxl(imgfetch_decoder *decoder) {
  jxl_decoder *self = (jxl_decoder *)decoder;
  if (self->decoding) jxl.free(self->decoding);
  imgfetch_whole_close(&self->whole);
}

extern const imgfetch_sample imgfetch_jxl_sample;

const imgfetch_decoder_kind imgfetch_jxl_decoding = {
    .size = sizeof(jxl_decoder),
    .open = open_jxl,
    .next = next_jxl,
    .read = imgfetch_whole_read,
    .finish = imgfetch_whole_finish,
    .decode_all = imgfetch_decode_rows,
    .close = close_jxl,
    .sample = &imgfetch_jxl_sample,
};
