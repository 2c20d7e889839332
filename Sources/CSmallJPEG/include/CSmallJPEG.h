// Sequential JPEGs at a fourth or an eighth of their size, several times as fast as the library: thumbnails take
// 1.6 times as long without.
//
// This is a decoder of our own for bytes of strangers, so it runs in the sandbox's helpers only (`small_jpeg` in the
// options of CImageShim), and a build with IMGFETCH_NO_SMALL_JPEG=1 in the environment is one without it. It may go
// when libjpeg-turbo decodes scaled pictures without the coefficients that they do not show.
#ifndef IMGFETCH_JPEG_SMALL_H
#define IMGFETCH_JPEG_SMALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#if !__has_include(<jpeglib.h>)
#error "<jpeglib.h> is missing; on Debian and Ubuntu: apt-get install libjpeg62-turbo-dev (Ubuntu: libjpeg-turbo8-dev)"
#endif
#include <jpeglib.h>

typedef struct imgfetch_small_jpeg imgfetch_small_jpeg;

/// Begins to decode a file whose header `jpeg` has read, at the size and to the colours that were chosen there. `coded`
/// are the `length` bytes behind the header; `jpeg` and they must live as long as this. Null where it is not of the
/// kind that this is for, and where there is no memory: the library can do it too.
imgfetch_small_jpeg *imgfetch_small_jpeg_open(
    const struct jpeg_decompress_struct *jpeg, const uint8_t *coded, size_t length);

/// The next row of `output_width` pixels, of which `output_height` come. Returns false if anything is invalid, which
/// the library then diagnoses. The last row confirms that the file ends as it should.
bool imgfetch_small_jpeg_read(imgfetch_small_jpeg *small, uint8_t *row);

/// Begins to make the picture at an eighth of its size of blocks that the library decodes for a
/// larger one. Null as above.
imgfetch_small_jpeg *imgfetch_small_jpeg_beside(const struct jpeg_decompress_struct *jpeg);

/// The blocks of the next unit, as the library's entropy decoder leaves them.
void imgfetch_small_jpeg_add(imgfetch_small_jpeg *small, const JBLOCKROW *blocks);

/// The size of the picture that the blocks have made; 0 as long as some are missing.
JDIMENSION imgfetch_small_jpeg_width(const imgfetch_small_jpeg *small);
JDIMENSION imgfetch_small_jpeg_height(const imgfetch_small_jpeg *small);

/// One of its rows.
void imgfetch_small_jpeg_row(const imgfetch_small_jpeg *small, JDIMENSION number, uint8_t *row);

void imgfetch_small_jpeg_close(imgfetch_small_jpeg *small);

#endif
