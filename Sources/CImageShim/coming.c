#include "coming_kind.h"

#include <stdlib.h>
#include <string.h>

static const imgfetch_coming_kind *kind_of(int format) {
  switch (format) {
    case IMGFETCH_JPEG: return &imgfetch_coming_jpeg;
    case IMGFETCH_PNG: return &imgfetch_coming_png;
    case IMGFETCH_WEBP: return &imgfetch_coming_webp;
    case IMGFETCH_GIF: return &imgfetch_coming_gif;
    default: return NULL;
  }
}

imgfetch_coming *imgfetch_coming_open(int format, const imgfetch_decode_options *options, imgfetch_trouble *trouble) {
  const imgfetch_coming_kind *kind = kind_of(format);
  if (!kind) {
    imgfetch_fail(trouble, IMGFETCH_UNSUPPORTED, "it is shown when it is whole");
    return NULL;
  }
  imgfetch_coming *coming = calloc(1, kind->size);
  if (!coming) {
    imgfetch_fail(trouble, IMGFETCH_TOO_LARGE, "there is no memory for a decoder");
    return NULL;
  }
  coming->kind = kind;
  coming->options = *options;
  return coming;
}

static bool keep(imgfetch_coming *coming, const uint8_t *bytes, size_t length) {
  if (coming->options.memory < length || coming->length > coming->options.memory - length) {
    return imgfetch_fail(&coming->trouble, IMGFETCH_TOO_LARGE, "it is shown when it is whole");
  }
  if (coming->room - coming->length < length) {
    size_t room = (coming->length + length) * 2;
    uint8_t *grown = realloc(coming->bytes, room);
    if (!grown) return imgfetch_fail(&coming->trouble, IMGFETCH_TOO_LARGE, "there is no memory for its bytes");
    coming->bytes = grown;
    coming->room = room;
  }
  memcpy(coming->bytes + coming->length, bytes, length);
  coming->length += length;
  return true;
}

bool imgfetch_coming_feed(
    imgfetch_coming *coming, const uint8_t *bytes, size_t length, imgfetch_coming_state *state, imgfetch_trouble *trouble) {
  bool is_fine = coming->trouble.kind == IMGFETCH_FINE && keep(coming, bytes, length) && coming->kind->take(coming);
  if (!is_fine) *trouble = coming->trouble;
  *state = coming->state;
  return is_fine;
}

bool imgfetch_coming_look(
    imgfetch_coming *coming, imgfetch_layout *layout, const uint8_t **pixels, imgfetch_trouble *trouble) {
  bool is_fine = coming->pixels && (!coming->kind->look || coming->kind->look(coming));
  if (!is_fine) {
    imgfetch_fail(&coming->trouble, IMGFETCH_DAMAGED, "there is nothing of it yet");
    *trouble = coming->trouble;
  }
  *layout = coming->layout;
  *pixels = coming->pixels;
  return is_fine;
}

const uint8_t *imgfetch_coming_profile(const imgfetch_coming *coming, size_t *length) {
  *length = coming->profile_length;
  return coming->profile;
}

bool imgfetch_coming_make(imgfetch_coming *coming, uint32_t width, uint32_t height) {
  uint64_t bytes = imgfetch_area(width, height, 4);
  if (bytes == 0 || bytes > coming->options.memory || !(coming->pixels = calloc(1, bytes))) {
    return imgfetch_fail(&coming->trouble, IMGFETCH_TOO_LARGE, "it is shown when it is whole");
  }
  coming->layout = (imgfetch_layout){.width = width, .height = height, .model = IMGFETCH_RGBA, .bits = 8};
  coming->state.height = height;
  return true;
}

uint8_t *imgfetch_coming_row(imgfetch_coming *coming, uint32_t row) {
  return coming->pixels + (size_t)row * coming->layout.width * 4;
}

void imgfetch_coming_close(imgfetch_coming *coming) {
  if (!coming) return;
  coming->kind->close(coming);
  free(coming->bytes);
  free(coming->pixels);
  free(coming->profile);
  free(coming);
}
