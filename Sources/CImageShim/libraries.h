// A library that is not installed is named by its package, before the compiler names its header.
#ifndef IMGFETCH_LIBRARIES_H
#define IMGFETCH_LIBRARIES_H

#if !__has_include(<jpeglib.h>)
#error "<jpeglib.h> is missing; on Debian and Ubuntu: apt-get install libjpeg62-turbo-dev (Ubuntu: libjpeg-turbo8-dev)"
#endif

#if !__has_include(<png.h>)
#error "<png.h> is missing; on Debian and Ubuntu: apt-get install libpng-dev"
#endif

#if !__has_include(<gif_lib.h>)
#error "<gif_lib.h> is missing; on Debian and Ubuntu: apt-get install libgif-dev"
#endif

#if !__has_include(<webp/decode.h>)
#error "<webp/decode.h> is missing; on Debian and Ubuntu: apt-get install libwebp-dev"
#endif

#if !__has_include(<zimg.h>)
#error "<zimg.h> is missing; on Debian and Ubuntu: apt-get install libzimg-dev"
#endif

#if !__has_include(<libexif/exif-data.h>)
#error "<libexif/exif-data.h> is missing; on Debian and Ubuntu: apt-get install libexif-dev"
#endif

#if !__has_include(<lcms2.h>)
#error "<lcms2.h> is missing; on Debian and Ubuntu: apt-get install liblcms2-dev"
#endif

#if !__has_include(<libheif/heif.h>)
#error "<libheif/heif.h> is missing; on Debian and Ubuntu: apt-get install libheif-dev"
#endif

#if !__has_include(<jxl/decode.h>)
#error "<jxl/decode.h> is missing; on Debian and Ubuntu: apt-get install libjxl-dev"
#endif

#if !__has_include(<tiffio.h>)
#error "<tiffio.h> is missing; on Debian and Ubuntu: apt-get install libtiff-dev"
#endif

#endif
