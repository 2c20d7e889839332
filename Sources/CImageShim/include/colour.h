// Colour profiles through Little CMS, which is loaded when a picture first needs it, or is made ready before: there is
// no archive of it that could be linked in.
#ifndef IMGFETCH_COLOUR_H
#define IMGFETCH_COLOUR_H

#include "codecs.h"

typedef struct imgfetch_colours imgfetch_colours;

/// Loads the library, for a process that will not be able to.
void imgfetch_colours_prepare(void);

/// Makes ready to turn rows of this layout, whose colours are those of `profile`, into sRGB: RGB, or RGBA where there
/// is alpha, with as many bits. Null where that cannot be: `IMGFETCH_UNSUPPORTED` if the library is missing,
/// `IMGFETCH_DAMAGED` if the profile is not one for such pixels.
imgfetch_colours *_Nullable imgfetch_colours_open(
    const uint8_t *_Nonnull profile, size_t length, imgfetch_layout layout, imgfetch_trouble *_Nonnull trouble);

void imgfetch_colours_convert(
    const imgfetch_colours *_Nonnull colours, const uint8_t *_Nonnull from, uint8_t *_Nonnull to, size_t width);

void imgfetch_colours_close(imgfetch_colours *_Nullable colours);

#endif
