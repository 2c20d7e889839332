// GIF: its blocks through giflib, its codes by ourselves. A still picture that fills its screen streams; all else
// is composed on a canvas.
#include "libraries.h"

#include "canvas.h"
#include "gif_codes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gif_lib.h>

enum { LONGEST_ROW = 1 << 16 };

typedef struct {
  imgfetch_decoder base;
  GifFileType *gif;
  uint64_t offset;
  /// The bytes that giflib got when it last read.
  size_t got;
  imgfetch_canvas canvas;
  bool is_composed;
  bool is_begun;
  /// The last control block, which describes the picture to come.
  GraphicsControlBlock control;
  /// Colours of the picture being read, and one row of their numbers.
  uint8_t colours[256][4];
  GifPixelType *numbers;
  imgfetch_gif_codes codes;
  /// True if there may be more blocks of the picture.
  bool has_blocks;
} gif_decoder;

static int feed(GifFileType *gif, GifByteType *to, int count) {
  gif_decoder *self = gif->UserData;
  int64_t got = imgfetch_input_read(&self->base.input, self->offset, to, (size_t)count, &self->base.trouble);
  self->got = got < 0 ? 0 : (size_t)got;
  if (got < 0) return 0;
  self->offset += (uint64_t)got;
  return (int)got;
}

static bool fail(gif_decoder *self, int error) {
  if (error == D_GIF_ERR_NOT_ENOUGH_MEM) {
    return imgfetch_fail(&self->base.trouble, IMGFETCH_TOO_LARGE, "it needs more memory than there is for it");
  }
  const char *reason = GifErrorString(error);
  return imgfetch_fail(&self->base.trouble, IMGFETCH_DAMAGED, reason ? reason : "it cannot be decoded");
}

static bool begin_reading(gif_decoder *self) {
  int error = 0;
  self->gif = DGifOpen(self, feed, &error);
  if (!self->gif) return fail(self, error);
  // A frame may be wider than the screen.
  self->numbers = malloc(LONGEST_ROW);
  if (!self->numbers) return imgfetch_fail(&self->base.trouble, IMGFETCH_TOO_LARGE, "there is no memory for a row");
  return true;
}

static bool read_extension(gif_decoder *self) {
  int label;
  GifByteType *block;
  if (DGifGetExtension(self->gif, &label, &block) == GIF_ERROR) return fail(self, self->gif->Error);
  if (label == GRAPHICS_EXT_FUNC_CODE && block && block[0] >= 4) {
    DGifExtensionToGCB(block[0], block + 1, &self->control);
  }
  while (block) {
    if (DGifGetExtensionNext(self->gif, &block) == GIF_ERROR) return fail(self, self->gif->Error);
  }
  return true;
}

/// Notes a block of codes that giflib has read: its bytes follow their number. The file may end within it.
static bool take_block(gif_decoder *self, int result, const GifByteType *found, const uint8_t **block, size_t *length) {
  bool is_cut = result == GIF_ERROR && self->base.options.lacks_end && found && self->got < found[0];
  self->has_blocks = result != GIF_ERROR && found;
  *block = found ? found + 1 : NULL;
  *length = is_cut ? self->got : self->has_blocks ? found[0] : 0;
  return *length > 0;
}

static bool next_block(void *context, const uint8_t **block, size_t *length) {
  gif_decoder *self = context;
  GifByteType *found = NULL;
  return self->has_blocks && take_block(self, DGifGetCodeNext(self->gif, &found), found, block, length);
}

static bool begin_codes(gif_decoder *self) {
  int bits;
  GifByteType *found = NULL;
  const uint8_t *block;
  size_t length;
  int result = DGifGetCode(self->gif, &bits, &found);
  if (!take_block(self, result, found, &block, &length) && result == GIF_ERROR) return fail(self, self->gif->Error);
  if (bits < 1 || bits > 8) {
    return imgfetch_fail(&self->base.trouble, IMGFETCH_DAMAGED, "a frame with codes of a size that cannot be");
  }
  imgfetch_gif_codes_begin(&self->codes, (unsigned)bits);
  self->codes.block = block;
  self->codes.block_left = length;
  return true;
}

/// giflib keeps a note of every picture; one at a time is enough.
static bool read_description(gif_decoder *self) {
  GifFreeSavedImages(self->gif);
  self->gif->SavedImages = NULL;
  self->gif->ImageCount = 0;
  if (DGifGetImageDesc(self->gif) == GIF_ERROR) return fail(self, self->gif->Error);
  if (self->gif->Image.Width < LONGEST_ROW) return begin_codes(self);
  return imgfetch_fail(&self->base.trouble, IMGFETCH_DAMAGED, "a frame that is too wide");
}

/// Reads on to the next picture's description: 1, or 0 at the end, or -1.
static int seek_picture(gif_decoder *self) {
  self->control = (GraphicsControlBlock){.TransparentColor = NO_TRANSPARENT_COLOR};
  // Codes behind that of a picture's last pixel show nothing.
  const uint8_t *block;
  size_t length;
  while (next_block(self, &block, &length)) {
  }
  for (;;) {
    GifRecordType kind;
    if (DGifGetRecordType(self->gif, &kind) == GIF_ERROR) {
      if (self->base.options.lacks_end && self->gif->Error == D_GIF_ERR_READ_FAILED) return 0;
      // A zero between blocks, which the inspection accepts, and nothing else.
      if (self->gif->Error == D_GIF_ERR_WRONG_RECORD) continue;
      fail(self, self->gif->Error);
      return -1;
    }
    switch (kind) {
      case EXTENSION_RECORD_TYPE:
        if (!read_extension(self)) return -1;
        break;
      case IMAGE_DESC_RECORD_TYPE: return read_description(self) ? 1 : -1;
      case TERMINATE_RECORD_TYPE: return 0;
      default: break;
    }
  }
}

/// The colours of the picture to come. A number that the table does not have is black, as browsers show it.
static void read_colours(gif_decoder *self) {
  const ColorMapObject *map = self->gif->Image.ColorMap ? self->gif->Image.ColorMap : self->gif->SColorMap;
  for (int number = 0; number < 256; number++) {
    uint8_t *colour = self->colours[number];
    bool is_there = map && number < map->ColorCount;
    colour[0] = is_there ? map->Colors[number].Red : 0;
    colour[1] = is_there ? map->Colors[number].Green : 0;
    colour[2] = is_there ? map->Colors[number].Blue : 0;
    colour[3] = number == self->control.TransparentColor ? 0 : 255;
  }
}

/// True if the only picture can be read row by row: it fills the screen and comes from the top down.
static bool streams(const gif_decoder *self) {
  const GifImageDesc *picture = &self->gif->Image;
  return self->base.options.frames <= 1 && !picture->Interlace && picture->Left == 0 && picture->Top == 0 &&
      (uint32_t)picture->Width == self->base.layout.width && (uint32_t)picture->Height == self->base.layout.height;
}

static uint32_t larger(int one, int other) { return (uint32_t)(one > other ? one : other); }

static bool open_gif(imgfetch_decoder *decoder) {
  gif_decoder *self = (gif_decoder *)decoder;
  if (!begin_reading(self)) return false;
  int found = seek_picture(self);
  if (found < 0) return false;
  if (found == 0) return imgfetch_fail(&decoder->trouble, IMGFETCH_DAMAGED, "it ends without an image");
  // The first picture enlarges the screen, as in browsers.
  const GifImageDesc *picture = &self->gif->Image;
  decoder->layout.width = larger(self->gif->SWidth, picture->Left + picture->Width);
  decoder->layout.height = larger(self->gif->SHeight, picture->Top + picture->Height);
  decoder->layout.bits = 8;
  self->is_composed = !streams(self);
  bool is_opaque = !self->is_composed && self->control.TransparentColor == NO_TRANSPARENT_COLOR;
  decoder->layout.model = is_opaque ? IMGFETCH_RGB : IMGFETCH_RGBA;
  return !self->is_composed || imgfetch_canvas_open(&self->canvas, decoder);
}

static bool read_numbers(gif_decoder *self) {
  const char *reason =
      imgfetch_gif_codes_read(&self->codes, next_block, self, self->numbers, (size_t)self->gif->Image.Width);
  return !reason || imgfetch_fail(&self->base.trouble, IMGFETCH_DAMAGED, reason);
}

/// Rows and columns beyond the screen are read, and shown nowhere.
static bool lay_row(gif_decoder *self, uint32_t row) {
  if (!read_numbers(self)) return false;
  if (row >= self->canvas.frame_height) return true;
  uint8_t *to = imgfetch_canvas_row(&self->canvas, row);
  for (uint32_t at = 0; at < self->canvas.frame_width; at++, to += 4) {
    const uint8_t *colour = self->colours[self->numbers[at]];
    if (colour[3]) memcpy(to, colour, 4);
  }
  return true;
}

static uint32_t smaller(uint32_t one, uint32_t other) { return one < other ? one : other; }

static bool lay(gif_decoder *self) {
  const GifImageDesc *picture = &self->gif->Image;
  // Disposal 4 is no value of the format, but older writers meant 3 by it.
  int disposal = self->control.DisposalMode == DISPOSE_BACKGROUND ? IMGFETCH_CLEAR
      : self->control.DisposalMode == DISPOSE_PREVIOUS || self->control.DisposalMode == 4 ? IMGFETCH_RESTORE
                                                                                          : IMGFETCH_LEAVE;
  uint32_t height = (uint32_t)picture->Height;
  uint32_t left = smaller((uint32_t)picture->Left, self->canvas.width);
  uint32_t top = smaller((uint32_t)picture->Top, self->canvas.height);
  if (!imgfetch_canvas_begin(
          &self->canvas, &self->base.trouble, left, top, smaller((uint32_t)picture->Width, self->canvas.width - left),
          smaller(height, self->canvas.height - top), disposal)) {
    return false;
  }
  static const uint32_t first[4] = {0, 4, 2, 1}, step[4] = {8, 8, 4, 2};
  for (int pass = 0; pass < (picture->Interlace ? 4 : 1); pass++) {
    uint32_t row = picture->Interlace ? first[pass] : 0;
    for (; row < height; row += picture->Interlace ? step[pass] : 1) {
      if (!lay_row(self, row)) return false;
    }
  }
  return true;
}

static int next_gif(imgfetch_decoder *decoder, uint32_t *milliseconds) {
  gif_decoder *self = (gif_decoder *)decoder;
  // The first picture was found when the file was opened.
  if (self->is_begun) {
    // Behind the only picture there may be bytes of any kind.
    int found = self->base.options.frames > 1 ? seek_picture(self) : 0;
    if (found <= 0) return found;
  }
  self->is_begun = true;
  read_colours(self);
  *milliseconds = (uint32_t)self->control.DelayTime * 10;
  return !self->is_composed || lay(self) ? 1 : -1;
}

static bool read_gif(imgfetch_decoder *decoder, uint8_t *row) {
  gif_decoder *self = (gif_decoder *)decoder;
  if (self->is_composed) {
    imgfetch_canvas_give(&self->canvas, row);
    return true;
  }
  if (!read_numbers(self)) return false;
  unsigned samples = imgfetch_samples(decoder->layout.model);
  for (uint32_t at = 0; at < decoder->layout.width; at++, row += samples) {
    memcpy(row, self->colours[self->numbers[at]], samples);
    if (samples == 4 && row[3] == 0) memset(row, 0, 4);
  }
  return true;
}

static bool finish_gif(imgfetch_decoder *decoder) { return true; }

static bool decode_whole_gif(imgfetch_decoder *decoder) {
  gif_decoder *self = (gif_decoder *)decoder;
  if (!begin_reading(self)) return false;
  int found;
  while ((found = seek_picture(self)) > 0) {
    for (int row = 0; row < self->gif->Image.Height; row++) {
      if (!read_numbers(self)) return false;
    }
    if (self->base.options.frames <= 1) return true;
  }
  return found == 0;
}

static void close_gif(imgfetch_decoder *decoder) {
  gif_decoder *self = (gif_decoder *)decoder;
  if (self->gif) DGifCloseFile(self->gif, NULL);
  imgfetch_canvas_close(&self->canvas);
  free(self->numbers);
}

static void version_gif(char *text, size_t size) { snprintf(text, size, "giflib " TEXT(GIFLIB_MAJOR) "." TEXT(GIFLIB_MINOR) "." TEXT(GIFLIB_RELEASE)); }

const imgfetch_decoder_kind imgfetch_gif_decoding = {
    .size = sizeof(gif_decoder),
    .open = open_gif,
    .next = next_gif,
    .read = read_gif,
    .finish = finish_gif,
    .decode_all = decode_whole_gif,
    .close = close_gif,
    .version = version_gif,
};
