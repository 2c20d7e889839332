// SVG through librsvg, drawn by cairo at the size that the inspection found. It is given bytes and no
// address, so it opens no file.
//
// What is called is declared here: the headers of librsvg come with thirty packages, and its structures do not change.
#include "late.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  double x, y, width, height;
} rectangle;

typedef struct {
  uint32_t domain;
  int code;
  char *message;
} glib_error;

enum { ARGB = 0, LONGEST_SIDE = 32767 };

static struct {
  bool is_there;
  void *(*make)(const uint8_t *, size_t, glib_error **);
  void (*set_dpi)(void *, double);
  int (*draw)(void *, void *, const rectangle *, glib_error **);
  void (*free_object)(void *);
  void (*free_error)(glib_error *);
  void *(*make_surface)(unsigned char *, int, int, int, int);
  int (*surface_status)(void *);
  void (*flush)(void *);
  void (*free_surface)(void *);
  void *(*make_context)(void *);
  int (*status)(void *);
  void (*free_context)(void *);
} rsvg;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
  static const char *const names[] = {"librsvg-2.so.2", NULL};
#define FIND(name, field) {name, (void **)&rsvg.field, false}
  const imgfetch_symbol of_rsvg[] = {
      FIND("rsvg_handle_new_from_data", make), FIND("rsvg_handle_set_dpi", set_dpi),
      FIND("rsvg_handle_render_document", draw)};
  const imgfetch_symbol of_cairo[] = {
      FIND("cairo_image_surface_create_for_data", make_surface), FIND("cairo_surface_status", surface_status),
      FIND("cairo_surface_flush", flush), FIND("cairo_surface_destroy", free_surface), FIND("cairo_create", make_context),
      FIND("cairo_status", status), FIND("cairo_destroy", free_context)};
  const imgfetch_symbol of_objects[] = {FIND("g_object_unref", free_object)}, of_glib[] = {FIND("g_error_free", free_error)};
#undef FIND
  // The others are libraries of the first one, and are there with it.
  rsvg.is_there = imgfetch_late_load(names, of_rsvg, sizeof of_rsvg / sizeof *of_rsvg) >= 0 &&
      imgfetch_late_find("libcairo.so.2", of_cairo, sizeof of_cairo / sizeof *of_cairo) &&
      imgfetch_late_find("libgobject-2.0.so.0", of_objects, 1) && imgfetch_late_find("libglib-2.0.so.0", of_glib, 1);
}

typedef struct {
  imgfetch_whole_decoder whole;
  void *handle;
  bool is_begun;
} svg_decoder;

static bool fail(svg_decoder *self, glib_error *error) {
  imgfetch_fail(&self->whole.base.trouble, IMGFETCH_DAMAGED, error && error->message ? error->message : "it cannot be drawn");
  if (error) rsvg.free_error(error);
  return false;
}

static bool open_svg(imgfetch_decoder *decoder) {
  svg_decoder *self = (svg_decoder *)decoder;
  const uint8_t *bytes;
  size_t length;
  pthread_once(&once, load);
  if (!rsvg.is_there) return imgfetch_late_missing(&decoder->trouble, "librsvg (Debian: librsvg2-2)");
  if (!imgfetch_late_input(decoder, &bytes, &length)) return false;
  if (decoder->options.width > LONGEST_SIDE || decoder->options.height > LONGEST_SIDE) {
    return imgfetch_fail(&decoder->trouble, IMGFETCH_UNSUPPORTED, "cairo draws sides of 32767 pixels at most");
  }
  decoder->layout = (imgfetch_layout){
      .width = decoder->options.width, .height = decoder->options.height, .model = IMGFETCH_RGBA, .bits = 8};
  glib_error *error = NULL;
  self->handle = rsvg.make(bytes, length, &error);
  if (!self->handle) return fail(self, error);
  rsvg.set_dpi(self->handle, 96);
  return imgfetch_whole_make(&self->whole, 4);
}

/// Converts pixels of blue, green and red that are multiplied by alpha.
static void mend(uint8_t *pixels, size_t count) {
  for (size_t at = 0; at < count; at++, pixels += 4) {
    uint32_t pixel;
    memcpy(&pixel, pixels, 4);
    uint32_t alpha = pixel >> 24;
    for (int part = 0; part < 3; part++) {
      uint32_t value = pixel >> (16 - 8 * part) & 255;
      if (alpha > 0 && alpha < 255) value = (value * 255 + alpha / 2) / alpha;
      pixels[part] = (uint8_t)(value > 255 ? 255 : value);
    }
    pixels[3] = (uint8_t)alpha;
  }
}

static int next_svg(imgfetch_decoder *decoder, uint32_t *milliseconds) {
  svg_decoder *self = (svg_decoder *)decoder;
  if (self->is_begun) return 0;
  self->is_begun = true;
  const imgfetch_layout *layout = &decoder->layout;
  size_t pixels = (size_t)layout->width * layout->height;
  memset(self->whole.pixels, 0, pixels * 4);
  void *surface = rsvg.make_surface(
      self->whole.pixels, ARGB, (int)layout->width, (int)layout->height, (int)layout->width * 4);
  void *context = rsvg.make_context(surface);
  rectangle place = {.width = layout->width, .height = layout->height};
  glib_error *error = NULL;
  bool is_fine = rsvg.surface_status(surface) == 0 && rsvg.draw(self->handle, context, &place, &error) &&
      rsvg.status(context) == 0;
  if (!is_fine) fail(self, error);
  rsvg.free_context(context);
  rsvg.flush(surface);
  rsvg.free_surface(surface);
  if (is_fine) mend(self->whole.pixels, pixels);
  return is_fine ? 1 : -1;
}

static void close_svg(imgfetch_decoder *decoder) {
  svg_decoder *self = (svg_decoder *)decoder;
  if (self->handle) rsvg.free_object(self->handle);
  imgfetch_whole_close(&self->whole);
}

/// Filters are computed by a pool of threads, one for each core unless this says otherwise.
static void prepare_svg(void) { setenv("RAYON_NUM_THREADS", "1", 1); }

extern const imgfetch_sample imgfetch_svg_sample;

const imgfetch_decoder_kind imgfetch_svg_decoding = {
    .size = sizeof(svg_decoder),
    .open = open_svg,
    .next = next_svg,
    .read = imgfetch_whole_read,
    .finish = imgfetch_whole_finish,
    .decode_all = imgfetch_decode_rows,
    .close = close_svg,
    .sample = &imgfetch_svg_sample,
    .prepare = prepare_svg,
};
