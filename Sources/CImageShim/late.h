// Libraries that are loaded when first needed, or made ready before. None of them is needed to start, and of most only
// the headers to build this.
#ifndef IMGFETCH_LATE_H
#define IMGFETCH_LATE_H

#include "decoder.h"

/// A function of a library, and where its address goes.
typedef struct {
  const char *name;
  void **to;
  /// True if the library serves without the symbol.
  bool is_optional;
} imgfetch_symbol;

/// Loads the first of these libraries that is there (the list ends with null) and finds its functions. The answer is
/// its place in the list, or -1: there is none, or it lacks a function.
int imgfetch_late_load(const char *const *names, const imgfetch_symbol *symbols, size_t count);

/// Finds functions of a further library.
bool imgfetch_late_find(const char *name, const imgfetch_symbol *symbols, size_t count);

/// Says that a library is missing. Always false.
bool imgfetch_late_missing(imgfetch_trouble *trouble, const char *package);

/// The whole input in memory, which is the decoder's until it is closed.
bool imgfetch_late_input(imgfetch_decoder *decoder, const uint8_t **bytes, size_t *length);

/// A picture that a library decodes as a whole. Decoders that have one begin with it.
typedef struct {
  imgfetch_decoder base;
  /// A copy of the input, where it is a file.
  uint8_t *copy;
  uint8_t *pixels;
  uint32_t rows_given;
} imgfetch_whole_decoder;

/// Makes room for the picture of the decoder's layout. `extra` is the number of bytes a pixel that
/// the library takes besides.
bool imgfetch_whole_make(imgfetch_whole_decoder *decoder, unsigned extra);
bool imgfetch_whole_read(imgfetch_decoder *decoder, uint8_t *row);
bool imgfetch_whole_finish(imgfetch_decoder *decoder);
void imgfetch_whole_close(imgfetch_whole_decoder *decoder);

#endif
