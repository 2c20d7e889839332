// Images that are still coming: what there is of a picture, before its last byte is there.
#ifndef IMGFETCH_COMING_H
#define IMGFETCH_COMING_H

#include "codecs.h"

/// A decoder that is given bytes as they come. It knows JPEG, PNG, WebP and GIF, and of an animation the first picture.
typedef struct imgfetch_coming imgfetch_coming;

/// The amount of the picture that has come.
typedef struct {
  /// 0: nothing. Else the scan or pass that is coming, from 1 on; all before it are there.
  uint32_t pass;
  /// The rows that have come, and the number of all. Both are 0 before the first.
  uint32_t rows;
  uint32_t height;
} imgfetch_coming_state;

/// Null where there is no such decoder for the format, or no memory. `options.memory` bounds bytes and pixels each.
imgfetch_coming *_Nullable imgfetch_coming_open(
    int format, const imgfetch_decode_options *_Nonnull options, imgfetch_trouble *_Nonnull trouble);

/// Takes the next bytes. False if they are broken, or the image is one that cannot be shown before it is whole.
/// Nothing can follow then.
bool imgfetch_coming_feed(
    imgfetch_coming *_Nonnull coming, const uint8_t *_Nonnull bytes, size_t length, imgfetch_coming_state *_Nonnull state,
    imgfetch_trouble *_Nonnull trouble);

/// Makes a picture of the pixels that have come. It stays in `pixels` until the next call: rows of RGBA with 8 bits,
/// transparent where nothing has come.
bool imgfetch_coming_look(
    imgfetch_coming *_Nonnull coming, imgfetch_layout *_Nonnull layout, const uint8_t *_Nullable *_Nonnull pixels,
    imgfetch_trouble *_Nonnull trouble);

/// The colour profile, once there is a picture; null where there is none. Owned by the decoder.
const uint8_t *_Nullable imgfetch_coming_profile(const imgfetch_coming *_Nonnull coming, size_t *_Nonnull length);

void imgfetch_coming_close(imgfetch_coming *_Nullable coming);

#endif
