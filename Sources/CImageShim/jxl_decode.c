// JPEG XL through libjxl, still and animated. Its structures are the same from version 0.7 to 0.11; three functions
// lost a parameter with version 0.9.
#include "libraries.h"

#include "late.h"

#include <jxl/decode.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static struct {
  bool is_there, has_unused;
  __typeof__(&JxlDecoderCreate) make;
  __typeof__(&JxlDecoderDestroy) free;
  __typeof__(&JxlDecoderSubscribeEvents) subscribe;
  __typeof__(&JxlDecoderSetInput) set_input;
  __typeof__(&JxlDecoderCloseInput) close_input;
  __typeof__(&JxlDecoderProcessInput) process;
  __typeof__(&JxlDecoderGetBasicInfo) info;
  __typeof__(&JxlDecoderGetFrameHeader) frame;
  __typeof__(&JxlDecoderImageOutBufferSize) room;
  __typeof__(&JxlDecoderSetImageOutBuffer) set_room;
  __typeof__(&JxlDecoderSetUnpremultiplyAlpha) unpremultiply;
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
  JxlDecoder *decoding;
  /// The library's allocator, which keeps each picture within its memory.
  JxlMemoryManager memory;
  uint64_t left;
  bool was_refused;
  JxlPixelFormat layout;
  bool is_animated;
  double tick;
  bool has_picture;
} jxl_decoder;

enum { HEAD = 16, EVENTS = JXL_DEC_BASIC_INFO | JXL_DEC_COLOR_ENCODING | JXL_DEC_FRAME | JXL_DEC_FULL_IMAGE };

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

// Before version 0.9 these functions take a format too, which they do not use. A header declares one of the two forms.
typedef JxlDecoderStatus (*get_size)(const JxlDecoder *, JxlColorProfileTarget, size_t *);
typedef JxlDecoderStatus (*get_size_0_7)(
    const JxlDecoder *, const JxlPixelFormat *, JxlColorProfileTarget, size_t *);
typedef JxlDecoderStatus (*get_profile)(const JxlDecoder *, JxlColorProfileTarget, uint8_t *, size_t);
typedef JxlDecoderStatus (*get_profile_0_7)(
    const JxlDecoder *, const JxlPixelFormat *, JxlColorProfileTarget, uint8_t *, size_t);
typedef JxlDecoderStatus (*get_encoding)(const JxlDecoder *, JxlColorProfileTarget, JxlColorEncoding *);
typedef JxlDecoderStatus (*get_encoding_0_7)(
    const JxlDecoder *, const JxlPixelFormat *, JxlColorProfileTarget, JxlColorEncoding *);
enum { OF_PIXELS = JXL_COLOR_PROFILE_TARGET_DATA };

static JxlDecoderStatus profile_size(jxl_decoder *self, size_t *size) {
  if (!jxl.has_unused) return ((get_size)jxl.profile_size)(self->decoding, OF_PIXELS, size);
  return ((get_size_0_7)jxl.profile_size)(self->decoding, &self->layout, OF_PIXELS, size);
}

static JxlDecoderStatus profile(jxl_decoder *self, uint8_t *bytes, size_t size) {
  if (!jxl.has_unused) return ((get_profile)jxl.profile)(self->decoding, OF_PIXELS, bytes, size);
  return ((get_profile_0_7)jxl.profile)(self->decoding, &self->layout, OF_PIXELS, bytes, size);
}

static JxlDecoderStatus encoding(jxl_decoder *self, JxlColorEncoding *colours) {
  if (!jxl.has_unused) return ((get_encoding)jxl.encoding)(self->decoding, OF_PIXELS, colours);
  return ((get_encoding_0_7)jxl.encoding)(self->decoding, &self->layout, OF_PIXELS, colours);
}

/// The profile, unless it is that of sRGB, which is what pixels without one are.
static void keep_colours(jxl_decoder *self) {
  JxlColorEncoding colours;
  memset(&colours, 0, sizeof colours);
  if (encoding(self, &colours) == JXL_DEC_SUCCESS && colours.white_point == JXL_WHITE_POINT_D65 &&
      colours.transfer_function == JXL_TRANSFER_FUNCTION_SRGB &&
      (colours.color_space == JXL_COLOR_SPACE_GRAY ||
       (colours.color_space == JXL_COLOR_SPACE_RGB && colours.primaries == JXL_PRIMARIES_SRGB))) {
    return;
  }
  size_t size = 0;
  if (profile_size(self, &size) != JXL_DEC_SUCCESS || size == 0 || size > self->whole.base.options.metadata) return;
  uint8_t *bytes = malloc(size);
  if (bytes && profile(self, bytes, size) == JXL_DEC_SUCCESS) imgfetch_keep_profile(&self->whole.base, bytes, size);
  free(bytes);
}

static bool read_info(jxl_decoder *self) {
  imgfetch_decoder *decoder = &self->whole.base;
  JxlBasicInfo info;
  memset(&info, 0, sizeof info);
  if (jxl.info(self->decoding, &info)) return fail(self, "it has no header");
  bool is_grey = info.num_color_channels == 1, has_alpha = info.alpha_bits > 0, is_wide = info.bits_per_sample > 8;
  // It comes turned as it is shown, and this is the size of that.
  decoder->layout = (imgfetch_layout){
      .width = info.xsize, .height = info.ysize, .bits = is_wide ? 16 : 8,
      .model = is_grey ? (has_alpha ? IMGFETCH_GREY_ALPHA : IMGFETCH_GREY) : has_alpha ? IMGFETCH_RGBA : IMGFETCH_RGB};
  self->layout = (JxlPixelFormat){
      .num_channels = imgfetch_samples(decoder->layout.model), .data_type = is_wide ? JXL_TYPE_UINT16 : JXL_TYPE_UINT8};
  self->is_animated = info.have_animation;
  const JxlAnimationHeader *animation = &info.animation;
  bool has_times = info.have_animation && animation->tps_numerator > 0;
  self->tick = has_times ? 1000.0 * animation->tps_denominator / animation->tps_numerator : 0;
  if (has_alpha && info.alpha_premultiplied && (!jxl.unpremultiply || jxl.unpremultiply(self->decoding, JXL_TRUE))) {
    return imgfetch_fail(
        &decoder->trouble, IMGFETCH_UNSUPPORTED,
        "its colours are multiplied by its alpha, which this libjxl does not undo");
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
  self->memory = (JxlMemoryManager){.opaque = self, .alloc = allocate, .free = release};
  self->decoding = jxl.make(&self->memory);
  if (!self->decoding || jxl.subscribe(self->decoding, EVENTS) || jxl.set_input(self->decoding, bytes, length)) {
    return imgfetch_fail(&decoder->trouble, IMGFETCH_TOO_LARGE, "there is no memory for a decoder");
  }
  jxl.close_input(self->decoding);
  for (;;) {
    JxlDecoderStatus event = jxl.process(self->decoding);
    if (event == JXL_DEC_BASIC_INFO) {
      if (!read_info(self)) return false;
    } else if (event == JXL_DEC_COLOR_ENCODING) {
      keep_colours(self);
      break;
    } else {
      return fail(self, event == JXL_DEC_NEED_MORE_INPUT ? "it breaks off" : "its header cannot be read");
    }
  }
  return imgfetch_whole_make(&self->whole, 0);
}

static int next_jxl(imgfetch_decoder *decoder, uint32_t *milliseconds) {
  jxl_decoder *self = (jxl_decoder *)decoder;
  const imgfetch_layout *layout = &decoder->layout;
  size_t size = (size_t)layout->width * layout->height * self->layout.num_channels * layout->bits / 8;
  JxlFrameHeader frame;
  for (;;) {
    JxlDecoderStatus event = jxl.process(self->decoding);
    switch (event) {
      case JXL_DEC_FRAME:
        memset(&frame, 0, sizeof frame);
        if (jxl.frame(self->decoding, &frame) == JXL_DEC_SUCCESS) {
          double shown = frame.duration * self->tick;
          *milliseconds = shown < 1e9 ? (uint32_t)(shown + 0.5) : 0;
        }
        break;
      case JXL_DEC_NEED_IMAGE_OUT_BUFFER: {
        size_t room = 0;
        if (jxl.room(self->decoding, &self->layout, &room) || room != size ||
            jxl.set_room(self->decoding, &self->layout, self->whole.pixels, size)) {
          fail(self, "its picture is not of the size that it tells");
          return -1;
        }
        break;
      }
      case JXL_DEC_FULL_IMAGE:
        self->has_picture = true;
        self->whole.rows_given = 0;
        return 1;
      case JXL_DEC_SUCCESS:
        if (self->has_picture) return 0;
        fail(self, "it has no picture");
        return -1;
      default:
        fail(self, event == JXL_DEC_NEED_MORE_INPUT ? "it breaks off" : "its data cannot be decoded");
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
