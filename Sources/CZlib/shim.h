#if !__has_include(<zlib.h>)
#error "<zlib.h> is missing; on Debian and Ubuntu: apt-get install zlib1g-dev"
#endif
#include <zlib.h>
