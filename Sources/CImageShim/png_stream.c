#include "png_stream.h"

#include <string.h>

enum { WHOLE, MENDED, HEAD, SHARED, DATA, OVER };

static const uint8_t signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};

static uint32_t big32(const uint8_t *at) {
  return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static void put32(uint8_t *at, uint32_t value) {
  at[0] = (uint8_t)(value >> 24);
  at[1] = (uint8_t)(value >> 16);
  at[2] = (uint8_t)(value >> 8);
  at[3] = (uint8_t)value;
}

/// A chunk's head: its length; false at the end of the file.
static bool head_at(
    const imgfetch_input *input, imgfetch_trouble *trouble, uint64_t place, uint32_t *length, uint8_t *name) {
  uint8_t head[8];
  if (imgfetch_input_read(input, place, head, 8, trouble) < 8) return false;
  *length = big32(head);
  memcpy(name, head + 4, 4);
  return true;
}

static bool is(const uint8_t *name, const char *other) { return memcmp(name, other, 4) == 0; }

bool imgfetch_png_find(
    const imgfetch_input *input, imgfetch_trouble *trouble, const char *wanted, uint64_t *content, uint32_t *length) {
  uint64_t at = sizeof signature;
  uint8_t name[4];
  while (head_at(input, trouble, at, length, name) && !is(name, "IEND")) {
    *content = at + 8;
    if (is(name, wanted)) return true;
    at += 12 + (uint64_t)*length;
  }
  return false;
}

const char *imgfetch_png_fault(const char *warning) {
  static const char place[] = "IDAT: ";
  if (strncmp(warning, place, sizeof place - 1) != 0) return NULL;
  const char *fault = warning + sizeof place - 1;
  return strcmp(fault, "Extra compressed data") == 0 || strcmp(fault, "Too much image data") == 0 ? NULL : fault;
}

void imgfetch_png_allow_window(png_structp png) { png_set_option(png, PNG_MAXIMUM_INFLATE_WINDOW, PNG_OPTION_ON); }

void imgfetch_png_whole(imgfetch_png_stream *stream, const imgfetch_input *input, imgfetch_trouble *trouble) {
  memset(stream, 0, sizeof *stream);
  stream->input = input;
  stream->trouble = trouble;
  stream->phase = WHOLE;
  stream->left = input->length;
}

void imgfetch_png_mended(imgfetch_png_stream *stream, const imgfetch_input *input, imgfetch_trouble *trouble) {
  imgfetch_png_whole(stream, input, trouble);
  stream->phase = MENDED;
  stream->left = 0;
  uint64_t at = sizeof signature;
  uint32_t length;
  uint8_t name[4];
  while (head_at(input, trouble, at, &length, name) && !is(name, "IEND") && length + 8ull <= input->length - at) {
    uint64_t rest = input->length - at - 8 - length;
    stream->missing_sum = rest < 4 && is(name, "IDAT") ? 4 - (uint32_t)rest : 0;
    at = rest < 4 ? input->length : at + 12 + length;
    if (is(name, "IDAT")) stream->left = at;
  }
}

int imgfetch_png_next_frame(
    imgfetch_png_stream *stream, const imgfetch_input *input, imgfetch_trouble *trouble, uint64_t *place,
    imgfetch_png_frame *frame) {
  uint64_t at = *place ? *place : sizeof signature;
  uint32_t length;
  uint8_t name[4];
  while (head_at(input, trouble, at, &length, name) && !is(name, "IEND")) {
    uint64_t next = at + 12 + length;
    if (is(name, "fcTL") && length == 26) {
      uint8_t control[26];
      memset(stream, 0, sizeof *stream);
      if (imgfetch_input_read(input, at + 8, control, 26, trouble) < 26 ||
          imgfetch_input_read(input, 16, stream->header, 13, trouble) < 13) {
        return trouble->kind == IMGFETCH_FINE ? 0 : -1;
      }
      frame->width = big32(control + 4);
      frame->height = big32(control + 8);
      frame->x = big32(control + 12);
      frame->y = big32(control + 16);
      uint32_t part = (uint32_t)control[20] << 8 | control[21], whole = (uint32_t)control[22] << 8 | control[23];
      frame->milliseconds = part * 1000 / (whole ? whole : 100);
      frame->disposal = control[24];
      frame->is_blended = control[25] == 1;
      stream->input = input;
      stream->trouble = trouble;
      stream->phase = HEAD;
      stream->chunk = next;
      memcpy(stream->header, control + 4, 8);
      *place = next;
      return 1;
    }
    at = next;
  }
  *place = at;
  return trouble->kind == IMGFETCH_FINE ? 0 : -1;
}

static void make(imgfetch_png_stream *stream, size_t length) {
  stream->made_length = length;
  stream->made_read = 0;
}

/// Sums are left 0: the inspection has checked those of the file, and libpng is told to pass over these.
static void make_head(imgfetch_png_stream *stream) {
  memcpy(stream->made, signature, 8);
  put32(stream->made + 8, 13);
  memcpy(stream->made + 12, "IHDR", 4);
  memcpy(stream->made + 16, stream->header, 13);
  put32(stream->made + 29, 0);
  make(stream, 33);
}

static void make_end(imgfetch_png_stream *stream) {
  memset(stream->made, 0, stream->missing_sum);
  memcpy(stream->made + stream->missing_sum, "\0\0\0\0IEND\xAE\x42\x60\x82", 12);
  make(stream, stream->missing_sum + 12);
  stream->phase = OVER;
}

/// The bytes of the file behind the head of the chunk that is looked at, which is there.
static uint64_t rest_behind_head(const imgfetch_png_stream *stream) {
  return stream->input->length - stream->chunk - 8;
}

/// Finds the next piece after one has ended. The palette and the other chunks before the data are shared by all frames.
static bool advance(imgfetch_png_stream *stream) {
  uint32_t length;
  uint8_t name[4];
  switch (stream->phase) {
    case MENDED: make_end(stream); return true;
    case HEAD:
      make_head(stream);
      stream->from = 33;
      stream->phase = SHARED;
      return true;
    case SHARED:
      if (!head_at(stream->input, stream->trouble, stream->from, &length, name)) return false;
      if (is(name, "IDAT") || is(name, "IEND")) {
        stream->phase = DATA;
      } else if (is(name, "PLTE") || is(name, "tRNS")) {
        stream->left = 12 + (uint64_t)length;
      } else {
        stream->from += 12 + (uint64_t)length;
      }
      return true;
    case DATA:
      if (!head_at(stream->input, stream->trouble, stream->chunk, &length, name)) {
        // The inspection accepts an animation that only lacks its end.
        if (stream->trouble->kind != IMGFETCH_FINE) return false;
        make_end(stream);
      } else if (is(name, "fcTL") || is(name, "IEND") || (length > 0 && rest_behind_head(stream) == 0)) {
        make_end(stream);
      } else if (is(name, "IDAT") || (is(name, "fdAT") && length >= 4)) {
        uint32_t number = is(name, "fdAT") ? 4 : 0;
        put32(stream->made, length - number);
        memcpy(stream->made + 4, "IDAT", 4);
        make(stream, 8);
        stream->from = stream->chunk + 8 + number;
        // The chunk's own sum goes along: it is wrong for data of a frame, and ignored. The last one may be missing.
        uint64_t rest = rest_behind_head(stream);
        if (rest >= length && rest - length < 4) stream->missing_sum = 4 - (uint32_t)(rest - length);
        stream->left = (uint64_t)length - number + 4 - stream->missing_sum;
      }
      stream->chunk += 12 + (uint64_t)length;
      return true;
    default: return false;
  }
}

bool imgfetch_png_read(imgfetch_png_stream *stream, uint8_t *to, size_t count) {
  while (count > 0) {
    if (stream->made_read < stream->made_length) {
      size_t step = stream->made_length - stream->made_read;
      if (step > count) step = count;
      memcpy(to, stream->made + stream->made_read, step);
      stream->made_read += step;
      to += step;
      count -= step;
    } else if (stream->left > 0) {
      size_t step = stream->left < count ? (size_t)stream->left : count;
      int64_t got = imgfetch_input_read(stream->input, stream->from, to, step, stream->trouble);
      if (got <= 0) return false;
      stream->from += (uint64_t)got;
      stream->left -= (uint64_t)got;
      to += got;
      count -= (size_t)got;
    } else if (!advance(stream)) {
      return false;
    }
  }
  return true;
}
