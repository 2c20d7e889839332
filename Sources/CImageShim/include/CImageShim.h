// The C functions that images need: a search that the C library does with vector instructions, and the image libraries.
#ifndef IMGFETCH_IMAGE_SHIM_H
#define IMGFETCH_IMAGE_SHIM_H

#include <stddef.h>
#include <stdint.h>

#include "average.h"
#include "codecs.h"
#include "colour.h"
#include "coming.h"
#include "exif.h"
#include "pixels.h"
#include "resample.h"

/// The place of the first 0xFF that is not followed by 0x00, as with marks in a JPEG's coded data. A 0xFF as the last
/// byte counts, since the next one is unknown. Returns `length` if there is none.
size_t imgfetch_find_mark(const uint8_t *_Nullable bytes, size_t length);

#endif
