#include "libraries.h"

#include "colour.h"

#include <dlfcn.h>
#include <lcms2.h>
#include <pthread.h>
#include <stdlib.h>

#include "trouble.h"

static struct {
  pthread_once_t once;
  bool is_there;
  __typeof__(&cmsOpenProfileFromMem) open_profile;
  __typeof__(&cmsCreate_sRGBProfile) make_srgb;
  __typeof__(&cmsGetColorSpace) colour_space;
  __typeof__(&cmsCreateTransform) make_transform;
  __typeof__(&cmsDoTransform) transform;
  __typeof__(&cmsDeleteTransform) free_transform;
  __typeof__(&cmsCloseProfile) close_profile;
} library = {.once = PTHREAD_ONCE_INIT};

static void load(void) {
  void *handle = dlopen("liblcms2.so.2", RTLD_LAZY | RTLD_LOCAL);
  if (!handle) return;
  library.open_profile = dlsym(handle, "cmsOpenProfileFromMem");
  library.make_srgb = dlsym(handle, "cmsCreate_sRGBProfile");
  library.colour_space = dlsym(handle, "cmsGetColorSpace");
  library.make_transform = dlsym(handle, "cmsCreateTransform");
  library.transform = dlsym(handle, "cmsDoTransform");
  library.free_transform = dlsym(handle, "cmsDeleteTransform");
  library.close_profile = dlsym(handle, "cmsCloseProfile");
  library.is_there = library.open_profile && library.make_srgb && library.colour_space && library.make_transform &&
      library.transform && library.free_transform && library.close_profile;
}

struct imgfetch_colours {
  cmsHTRANSFORM transform;
};

static cmsUInt32Number format(cmsUInt32Number space, unsigned channels, bool has_alpha, uint8_t bits) {
  return COLORSPACE_SH(space) | CHANNELS_SH(channels) | EXTRA_SH(has_alpha ? 1 : 0) | BYTES_SH(bits / 8);
}

static cmsHTRANSFORM make_transform(cmsHPROFILE from, cmsHPROFILE to, imgfetch_layout layout) {
  bool is_grey = layout.model == IMGFETCH_GREY || layout.model == IMGFETCH_GREY_ALPHA;
  bool is_ink = layout.model == IMGFETCH_CMYK;
  bool has_alpha = layout.model == IMGFETCH_GREY_ALPHA || layout.model == IMGFETCH_RGBA;
  cmsColorSpaceSignature wanted = is_grey ? cmsSigGrayData : is_ink ? cmsSigCmykData : cmsSigRgbData;
  if (library.colour_space(from) != wanted) return NULL;
  cmsUInt32Number space = is_grey ? PT_GRAY : is_ink ? PT_CMYK : PT_RGB;
  unsigned channels = is_grey ? 1 : is_ink ? 4 : 3;
  return library.make_transform(
      from, format(space, channels, has_alpha, layout.bits), to, format(PT_RGB, 3, has_alpha, layout.bits),
      INTENT_PERCEPTUAL, has_alpha ? cmsFLAGS_COPY_ALPHA : 0);
}

void imgfetch_colours_prepare(void) { pthread_once(&library.once, load); }

imgfetch_colours *imgfetch_colours_open(
    const uint8_t *profile, size_t length, imgfetch_layout layout, imgfetch_trouble *trouble) {
  imgfetch_colours_prepare();
  if (!library.is_there) {
    imgfetch_fail(
        trouble, IMGFETCH_NO_LIBRARY, "Little CMS for its colours (Debian: liblcms2-2)");
    return NULL;
  }
  cmsHPROFILE from = library.open_profile(profile, (cmsUInt32Number)length), to = library.make_srgb();
  cmsHTRANSFORM transform = from && to ? make_transform(from, to, layout) : NULL;
  if (from) library.close_profile(from);
  if (to) library.close_profile(to);
  imgfetch_colours *colours = transform ? malloc(sizeof *colours) : NULL;
  if (colours) {
    colours->transform = transform;
  } else {
    if (transform) library.free_transform(transform);
    imgfetch_fail(trouble, IMGFETCH_DAMAGED, "its colour profile is not one for such pixels");
  }
  return colours;
}

void imgfetch_colours_convert(const imgfetch_colours *colours, const uint8_t *from, uint8_t *to, size_t width) {
  library.transform(colours->transform, from, to, (cmsUInt32Number)width);
}

void imgfetch_colours_close(imgfetch_colours *colours) {
  if (!colours) return;
  library.free_transform(colours->transform);
  free(colours);
}
