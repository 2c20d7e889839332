// The canvas of an animation, on which frames are laid as GIF and PNG say: RGBA, unpremultiplied, of 8 bits.
#ifndef IMGFETCH_CANVAS_H
#define IMGFETCH_CANVAS_H

#include "decoder.h"

/// The treatment of a frame's place before the next one is laid.
enum { IMGFETCH_LEAVE = 0, IMGFETCH_CLEAR, IMGFETCH_RESTORE };

typedef struct {
  uint32_t width;
  uint32_t height;
  uint8_t *pixels;
  /// The pixels below a frame that is taken away again; as large as the canvas, made when first needed.
  uint8_t *below;
  /// The frame that lies on top, and what becomes of it.
  uint32_t x, y, frame_width, frame_height;
  int disposal;
  uint32_t row_given;
} imgfetch_canvas;

/// An empty canvas. False, with the trouble noted, where that is more than the decoder may hold.
bool imgfetch_canvas_open(imgfetch_canvas *canvas, imgfetch_decoder *decoder);

/// Disposes of the frame before and makes ready for the next. The frame must lie within the canvas.
bool imgfetch_canvas_begin(
    imgfetch_canvas *canvas, imgfetch_trouble *trouble, uint32_t x, uint32_t y, uint32_t width, uint32_t height,
    int disposal);

/// The place for a row of the frame.
uint8_t *imgfetch_canvas_row(imgfetch_canvas *canvas, uint32_t row);

/// Lays one pixel over another: "over" of Porter and Duff, with unpremultiplied colours, rounded.
void imgfetch_canvas_blend(uint8_t *below, const uint8_t *above);

/// The next row of the whole, from the top down.
void imgfetch_canvas_give(imgfetch_canvas *canvas, uint8_t *row);

void imgfetch_canvas_close(imgfetch_canvas *canvas);

#endif
