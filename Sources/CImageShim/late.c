#include "late.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool find(void *handle, const imgfetch_symbol *symbols, size_t count) {
  for (size_t at = 0; at < count; at++) {
    *symbols[at].to = dlsym(handle, symbols[at].name);
    if (!*symbols[at].to && !symbols[at].is_optional) return false;
  }
  return true;
}

int imgfetch_late_load(const char *const *names, const imgfetch_symbol *symbols, size_t count) {
  for (int at = 0; names[at]; at++) {
    // All at once: nothing is found any more when the process has been shut in.
    void *handle = dlopen(names[at], RTLD_NOW | RTLD_LOCAL);
    if (!handle) continue;
    return find(handle, symbols, count) ? at : -1;
  }
  return -1;
}

bool imgfetch_late_find(const char *name, const imgfetch_symbol *symbols, size_t count) {
  void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  return handle && find(handle, symbols, count);
}

bool imgfetch_late_missing(imgfetch_trouble *trouble, const char *package) {
  return imgfetch_fail(trouble, IMGFETCH_NO_LIBRARY, package);
}

bool imgfetch_late_input(imgfetch_decoder *decoder, const uint8_t **bytes, size_t *length) {
  imgfetch_whole_decoder *self = (imgfetch_whole_decoder *)decoder;
  *length = (size_t)decoder->input.length;
  if (decoder->input.bytes) {
    *bytes = decoder->input.bytes + decoder->input.start;
    return true;
  }
  if (decoder->input.length > decoder->options.memory || !(self->copy = malloc(*length ? *length : 1))) {
    return imgfetch_fail(&decoder->trouble, IMGFETCH_TOO_LARGE, "it needs more memory than there is for it");
  }
  *bytes = self->copy;
  int64_t got = imgfetch_input_read(&decoder->input, 0, self->copy, *length, &decoder->trouble);
  return got == (int64_t)*length || imgfetch_fail(&decoder->trouble, IMGFETCH_DAMAGED, "it breaks off");
}

bool imgfetch_whole_make(imgfetch_whole_decoder *self, unsigned extra) {
  imgfetch_decoder *decoder = &self->base;
  const imgfetch_layout *layout = &decoder->layout;
  if (!imgfetch_has_told_size(decoder)) return false;
  unsigned each = imgfetch_samples(layout->model) * layout->bits / 8;
  uint64_t bytes = imgfetch_area(layout->width, layout->height, each);
  uint64_t held = imgfetch_area(layout->width, layout->height, each + extra);
  if (bytes == 0 || held > decoder->options.memory || !(self->pixels = malloc(bytes))) {
    return imgfetch_fail(&decoder->trouble, IMGFETCH_TOO_LARGE, "its pixels need more memory than there is for them");
  }
  decoder->held = held;
  return true;
}

bool imgfetch_whole_read(imgfetch_decoder *decoder, uint8_t *row) {
  imgfetch_whole_decoder *self = (imgfetch_whole_decoder *)decoder;
  if (self->rows_given >= decoder->layout.height) {
    return imgfetch_fail(&decoder->trouble, IMGFETCH_DAMAGED, "it has no more rows");
  }
  size_t length = (size_t)decoder->layout.width * imgfetch_samples(decoder->layout.model) * decoder->layout.bits / 8;
  memcpy(row, self->pixels + self->rows_given++ * length, length);
  return true;
}

bool imgfetch_whole_finish(imgfetch_decoder *decoder) { return true; }

void imgfetch_whole_close(imgfetch_whole_decoder *self) {
  free(self->copy);
  free(self->pixels);
}
