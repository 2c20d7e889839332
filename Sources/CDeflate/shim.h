#if !__has_include(<libdeflate.h>)
#error "<libdeflate.h> is missing; on Debian and Ubuntu: apt-get install libdeflate-dev"
#endif
#include <libdeflate.h>
