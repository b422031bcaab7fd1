/* SPDX-License-Identifier: MIT */
#ifndef KT_INBAND_GIVEN_KERNEL_H
#define KT_INBAND_GIVEN_KERNEL_H

#include "serve/serve_message.h"

struct byte_buffer;
struct kernel_copy;
struct log;
struct output_folder;

/* The kernel as a service gave it, in place of what we may not read: puts @files
 * into @folder, as kernel_copy_make() would, and reads @copy of it and
 * @formats, which both are the caller's to free in any case.
 *
 * Returns 0, or a negative enum error with the reason in @log.
 */
int given_kernel_take(const int files[SERVE_FILES],
		      const struct output_folder *folder,
		      struct kernel_copy *copy, struct byte_buffer *formats,
		      const struct log *log);

#endif
