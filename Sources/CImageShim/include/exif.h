// Exif blocks through libexif, which is loaded when a block is first read, or is made ready before.
#ifndef IMGFETCH_EXIF_H
#define IMGFETCH_EXIF_H

#include "codecs.h"

typedef struct imgfetch_exif imgfetch_exif;

/// Loads the library, for a process that will not be able to.
void imgfetch_exif_prepare(void);

/// The directories of a block.
enum { IMGFETCH_EXIF_IMAGE, IMGFETCH_EXIF_CAMERA, IMGFETCH_EXIF_POSITION };

/// Reads a block, from its byte order mark on. Null, `IMGFETCH_UNSUPPORTED`, if the library is missing.
imgfetch_exif *_Nullable imgfetch_exif_open(
    const uint8_t *_Nonnull block, size_t length, imgfetch_trouble *_Nonnull trouble);

/// The text of a tag, ended by NUL and cut off at `size`. False if there is none.
bool imgfetch_exif_text(
    const imgfetch_exif *_Nonnull exif, int directory, uint16_t tag, char *_Nonnull text, size_t size);

/// The number at `index` of a tag's. False if there is none, or it is a fraction over 0.
bool imgfetch_exif_number(
    const imgfetch_exif *_Nonnull exif, int directory, uint16_t tag, uint32_t index, double *_Nonnull number);

void imgfetch_exif_close(imgfetch_exif *_Nullable exif);

#endif
