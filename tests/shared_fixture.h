/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_SHARED_FIXTURE_H
#define KT_TESTS_SHARED_FIXTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reference data that is not part of the project, in the folder that the
 * environment variable KTRACE_SHARED names; without it, in ../shared, beside
 * the checkout.  Each of these says why on standard output when it returns
 * false.
 */

/* Puts the path of file @name there into @path. */
bool shared_path(const char *name, char *path, size_t size);

/* Unpacks recordings/<name>.tar.zst into a temporary folder and puts the
 * recording's path into @path.
 */
bool shared_recording(const char *name, char *path, size_t size);

/* Removes what shared_recording() unpacked.  "" is allowed. */
void shared_recording_remove(const char *path);

/* Returns whether this build decodes Intel PT. */
bool shared_has_intel_pt(void);

/* Returns the bytes of a file and their count, to be freed; NULL if it cannot
 * be read.
 */
uint8_t *shared_file(const char *path, size_t *size);

#endif
