#pragma once
/// The version string of the simdjson library.
#ifdef __cplusplus
extern "C" {
#endif
const char *csj_version(void);
#ifdef __cplusplus
}
#endif
