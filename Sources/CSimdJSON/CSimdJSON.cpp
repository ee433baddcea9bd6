#include "CSimdJSON.h"
#include <simdjson.h>
#define CSJ_TEXT(x) #x
#define CSJ_EXPANDED(x) CSJ_TEXT(x)
extern "C" const char *csj_version(void) { return CSJ_EXPANDED(SIMDJSON_VERSION); }
