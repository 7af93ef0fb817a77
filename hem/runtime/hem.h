/* SPDX-License-Identifier: Apache-2.0
 * The player's public API: plain C, no dependency, no allocation. Copy this folder into an engine.
 *
 * This version carries the version query alone; the three verbs (open, reset, step) come with the
 * first garment format. */
#ifndef HEM_RUNTIME_HEM_H
#define HEM_RUNTIME_HEM_H

#ifdef __cplusplus
extern "C" {
#endif

#define HEM_VERSION_MAJOR 0
#define HEM_VERSION_MINOR 1
#define HEM_VERSION_PATCH 0

/* "0.1.0": the version of the library that is linked, to be compared with the header's. Never null.
 */
const char* hem_version(void);

#ifdef __cplusplus
}
#endif

#endif
