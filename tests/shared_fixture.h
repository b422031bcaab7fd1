/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_SHARED_FIXTURE_H
#define KT_TESTS_SHARED_FIXTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reference data that is not part of the project, in the folder named by the
 * environment variable KTRACE_SHARED; without it, in ../shared, beside the
 * checkout. Functions that return false print the reason on standard output.
 */

/* Sets @path to the path of file @name in that folder. */
bool shared_path(const char *name, char *path, size_t size);

/* Unpacks recordings/<name>.tar.zst into a temporary folder and sets @path to
 * the recording's path.
 */
bool shared_recording(const char *name, char *path, size_t size);

/* Removes the folder that shared_recording() unpacked. "" is allowed. */
void shared_recording_remove(const char *path);

/* Returns whether this build decodes Intel PT. */
bool shared_has_intel_pt(void);

/* Returns the bytes of a file and their count; NULL if it cannot be read. The
 * caller frees it.
 */
uint8_t *shared_file(const char *path, size_t *size);

#endif
