#include "canvas.h"

#include <stdlib.h>
#include <string.h>

bool imgfetch_canvas_open(imgfetch_canvas *canvas, imgfetch_decoder *decoder) {
  uint64_t bytes = imgfetch_area(decoder->layout.width, decoder->layout.height, 4);
  // Three times: a frame may ask to be taken away again, and may have to be decoded as a whole before it is laid.
  if (bytes > decoder->options.memory / 3 || !(canvas->pixels = calloc(1, bytes))) {
    return imgfetch_fail(&decoder->trouble, IMGFETCH_TOO_LARGE, "its canvas needs more memory than there is for it");
  }
  decoder->held = 3 * bytes;
  canvas->width = decoder->layout.width;
  canvas->height = decoder->layout.height;
  return true;
}

static size_t line(const imgfetch_canvas *canvas) { return (size_t)canvas->width * 4; }

uint8_t *imgfetch_canvas_row(imgfetch_canvas *canvas, uint32_t row) {
  return canvas->pixels + (canvas->y + row) * line(canvas) + (size_t)canvas->x * 4;
}

static void dispose(imgfetch_canvas *canvas) {
  for (uint32_t row = 0; row < canvas->frame_height; row++) {
    uint8_t *place = imgfetch_canvas_row(canvas, row);
    if (canvas->disposal == IMGFETCH_CLEAR) {
      memset(place, 0, (size_t)canvas->frame_width * 4);
    } else if (canvas->disposal == IMGFETCH_RESTORE) {
      memcpy(place, canvas->below + (place - canvas->pixels), (size_t)canvas->frame_width * 4);
    }
  }
}

bool imgfetch_canvas_begin(
    imgfetch_canvas *canvas, imgfetch_trouble *trouble, uint32_t x, uint32_t y, uint32_t width, uint32_t height,
    int disposal) {
  dispose(canvas);
  if (width > canvas->width || height > canvas->height || x > canvas->width - width || y > canvas->height - height) {
    return imgfetch_fail(trouble, IMGFETCH_DAMAGED, "a frame lies outside of the image");
  }
  size_t bytes = line(canvas) * canvas->height;
  if (disposal == IMGFETCH_RESTORE) {
    if (!canvas->below && !(canvas->below = malloc(bytes))) {
      return imgfetch_fail(trouble, IMGFETCH_TOO_LARGE, "its canvas needs more memory than there is for it");
    }
    memcpy(canvas->below, canvas->pixels, bytes);
  }
  canvas->x = x;
  canvas->y = y;
  canvas->frame_width = width;
  canvas->frame_height = height;
  canvas->disposal = disposal;
  canvas->row_given = 0;
  return true;
}

void imgfetch_canvas_blend(uint8_t *below, const uint8_t *above) {
  unsigned alpha = above[3], beneath = below[3];
  if (alpha == 255 || beneath == 0) {
    memcpy(below, above, 4);
  } else if (alpha > 0) {
    // Both weights in 255ths of 255ths, so that the division comes last.
    unsigned shown = alpha * 255, seen = beneath * (255 - alpha), both = shown + seen;
    for (int at = 0; at < 3; at++) {
      below[at] = (uint8_t)((above[at] * shown + below[at] * seen + both / 2) / both);
    }
    below[3] = (uint8_t)((both + 127) / 255);
  }
}

void imgfetch_canvas_give(imgfetch_canvas *canvas, uint8_t *row) {
  if (canvas->row_given < canvas->height) {
    memcpy(row, canvas->pixels + canvas->row_given++ * line(canvas), line(canvas));
  }
}

void imgfetch_canvas_close(imgfetch_canvas *canvas) {
  free(canvas->pixels);
  free(canvas->below);
}
