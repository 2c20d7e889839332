// GIF through giflib. Each picture is written whole, with colours of its own: larger than it could be, but right in
// every reader, and it needs no look at the pictures before and after.
#include "libraries.h"

#include "encoder.h"

#include <stdlib.h>
#include <string.h>

#include <gif_lib.h>

/// The alpha below which a pixel counts as none: GIF knows no half transparency.
enum { LEAST_ALPHA = 128 };

typedef struct {
  imgfetch_encoder base;
  GifFileType *gif;
  uint32_t milliseconds;
  uint32_t row;
  /// The picture: its visible pixels by channel, the visibility of all pixels, and in the end the numbers of colours.
  GifByteType *red, *green, *blue, *numbers, *is_visible;
  size_t visible;
} gif_encoder;

static int take(GifFileType *gif, const GifByteType *bytes, int count) {
  gif_encoder *self = gif->UserData;
  return imgfetch_encoder_append(&self->base, bytes, (size_t)count) ? count : 0;
}

static bool fail(gif_encoder *self, const char *reason) {
  return imgfetch_fail(&self->base.trouble, IMGFETCH_UNSUPPORTED, reason);
}

static size_t pixels(const gif_encoder *self) {
  return (size_t)self->base.layout.width * self->base.layout.height;
}

static bool write_loops(gif_encoder *self) {
  // The number says how often it is played again.
  int again = self->base.options.plays == 0 ? 0 : self->base.options.plays - 1;
  if (again > 65535) again = 65535;
  uint8_t block[3] = {1, (uint8_t)(again & 255), (uint8_t)(again >> 8)};
  return EGifPutExtensionLeader(self->gif, APPLICATION_EXT_FUNC_CODE) != GIF_ERROR &&
      EGifPutExtensionBlock(self->gif, 11, "NETSCAPE2.0") != GIF_ERROR &&
      EGifPutExtensionBlock(self->gif, 3, block) != GIF_ERROR && EGifPutExtensionTrailer(self->gif) != GIF_ERROR;
}

static bool open_gif(imgfetch_encoder *encoder) {
  gif_encoder *self = (gif_encoder *)encoder;
  const imgfetch_layout *layout = &encoder->layout;
  if (layout->width > 65535 || layout->height > 65535) return fail(self, "its sides can have 65535 pixels at most");
  GifByteType **planes[] = {&self->red, &self->green, &self->blue, &self->numbers, &self->is_visible};
  for (int at = 0; at < 5; at++) {
    if (!(*planes[at] = malloc(pixels(self)))) {
      return imgfetch_fail(&encoder->trouble, IMGFETCH_TOO_LARGE, "there is no memory for the picture");
    }
  }
  int error;
  self->gif = EGifOpen(self, take, &error);
  if (!self->gif) return fail(self, "giflib cannot begin");
  EGifSetGifVersion(self->gif, true);
  if (EGifPutScreenDesc(self->gif, (int)layout->width, (int)layout->height, 8, 0, NULL) == GIF_ERROR) {
    return fail(self, "its header cannot be written");
  }
  bool is_repeated = encoder->options.is_animated && (encoder->options.plays == 0 || encoder->options.plays > 1);
  return !is_repeated || write_loops(self) || fail(self, "its header cannot be written");
}

static bool begin_gif(imgfetch_encoder *encoder, uint32_t milliseconds) {
  gif_encoder *self = (gif_encoder *)encoder;
  self->milliseconds = milliseconds;
  self->row = 0;
  self->visible = 0;
  return true;
}

/// Numbers for the colours if there are no more than `most`, in the order in which they come: how many, or 0.
static unsigned number_exactly(gif_encoder *self, GifColorType *colours, unsigned most) {
  // Open addressing over four times as many places as there can be colours.
  enum { PLACES = 1024 };
  uint32_t keys[PLACES];
  uint8_t values[PLACES];
  memset(keys, 0xFF, sizeof keys);
  unsigned count = 0;
  for (size_t at = 0; at < self->visible; at++) {
    uint32_t key = (uint32_t)self->red[at] << 16 | (uint32_t)self->green[at] << 8 | self->blue[at];
    unsigned place = key * 2654435761u >> 22;
    while (keys[place] != key && keys[place] != UINT32_MAX) place = (place + 1) % PLACES;
    if (keys[place] == UINT32_MAX) {
      if (count == most) return 0;
      keys[place] = key;
      values[place] = (uint8_t)count;
      colours[count++] = (GifColorType){self->red[at], self->green[at], self->blue[at]};
    }
    self->numbers[at] = values[place];
  }
  return count;
}

static unsigned number_nearly(gif_encoder *self, GifColorType *colours, unsigned most) {
  int count = (int)most;
  // giflib takes a picture of width times height; which is which makes no difference to it.
  if (GifQuantizeBuffer(
          (unsigned)self->visible, 1, &count, self->red, self->green, self->blue, self->numbers, colours) ==
      GIF_ERROR) {
    return 0;
  }
  return (unsigned)count;
}

/// Moves the numbers of the visible pixels to their places, from the last on, since they stand close together.
static void spread(gif_encoder *self, GifByteType nothing) {
  size_t from = self->visible;
  for (size_t at = pixels(self); at-- > 0;) {
    self->numbers[at] = self->is_visible[at] ? self->numbers[--from] : nothing;
  }
}

static bool put_picture(gif_encoder *self, ColorMapObject *map, int nothing) {
  const imgfetch_layout *layout = &self->base.layout;
  GraphicsControlBlock control = {
      // Pixels that the next picture does not cover must be gone by then.
      .DisposalMode = nothing != NO_TRANSPARENT_COLOR ? DISPOSE_BACKGROUND : DISPOSE_DO_NOT,
      .DelayTime = (int)((self->milliseconds + 5) / 10),
      .TransparentColor = nothing,
  };
  if (control.DelayTime > 65535) control.DelayTime = 65535;
  GifByteType block[4];
  bool needs_control = self->base.options.is_animated || nothing != NO_TRANSPARENT_COLOR;
  if (needs_control &&
      (EGifGCBToExtension(&control, block) != 4 ||
       EGifPutExtension(self->gif, GRAPHICS_EXT_FUNC_CODE, 4, block) == GIF_ERROR)) {
    return false;
  }
  if (EGifPutImageDesc(self->gif, 0, 0, (int)layout->width, (int)layout->height, false, map) == GIF_ERROR) return false;
  for (uint32_t row = 0; row < layout->height; row++) {
    GifByteType *line = self->numbers + (size_t)row * layout->width;
    if (EGifPutLine(self->gif, line, (int)layout->width) == GIF_ERROR) return false;
  }
  return true;
}

static bool end_picture(gif_encoder *self) {
  GifColorType colours[256] = {0};
  bool is_opaque = self->visible == pixels(self);
  unsigned most = is_opaque ? 256 : 255;
  unsigned count = number_exactly(self, colours, most);
  if (count == 0 && self->visible > 0) count = number_nearly(self, colours, most);
  if (count == 0 && self->visible > 0) return fail(self, "its colours cannot be reduced to 256");
  int nothing = is_opaque ? NO_TRANSPARENT_COLOR : (int)count;
  spread(self, (GifByteType)count);
  unsigned size = 2;
  while (size < count + !is_opaque) size *= 2;
  ColorMapObject *map = GifMakeMapObject((int)size, colours);
  if (!map) return imgfetch_fail(&self->base.trouble, IMGFETCH_TOO_LARGE, "there is no memory for its colours");
  bool is_put = put_picture(self, map, nothing);
  GifFreeMapObject(map);
  return is_put || fail(self, "a picture cannot be written");
}

static bool write_gif(imgfetch_encoder *encoder, const uint8_t *row) {
  gif_encoder *self = (gif_encoder *)encoder;
  if (self->row >= encoder->layout.height) return true;
  GifByteType *is_visible = self->is_visible + (size_t)self->row++ * encoder->layout.width;
  for (uint32_t at = 0; at < encoder->layout.width; at++, row += 4) {
    is_visible[at] = row[3] >= LEAST_ALPHA;
    if (!is_visible[at]) continue;
    self->red[self->visible] = row[0];
    self->green[self->visible] = row[1];
    self->blue[self->visible++] = row[2];
  }
  return self->row < encoder->layout.height || end_picture(self);
}

static bool finish_gif(imgfetch_encoder *encoder) {
  gif_encoder *self = (gif_encoder *)encoder;
  GifFileType *gif = self->gif;
  self->gif = NULL;
  return EGifCloseFile(gif, NULL) != GIF_ERROR || fail(self, "its end cannot be written");
}

static void close_gif(imgfetch_encoder *encoder) {
  gif_encoder *self = (gif_encoder *)encoder;
  if (self->gif) EGifCloseFile(self->gif, NULL);
  free(self->red);
  free(self->green);
  free(self->blue);
  free(self->numbers);
  free(self->is_visible);
}

const imgfetch_encoder_kind imgfetch_gif_encoding = {
    .size = sizeof(gif_encoder),
    .open = open_gif,
    .begin = begin_gif,
    .write = write_gif,
    .finish = finish_gif,
    .close = close_gif,
};
