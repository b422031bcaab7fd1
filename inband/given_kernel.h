/* SPDX-License-Identifier: MIT */
#ifndef KT_INBAND_GIVEN_KERNEL_H
#define KT_INBAND_GIVEN_KERNEL_H

#include "serve/serve_message.h"

struct byte_buffer;
struct kernel_copy;
struct log;
struct output_folder;

/* Uses the kernel's code and names received from a service, for programs that
 * may not read them: writes @files to @folder in the format of
 * kernel_copy_make(), and reads @copy and @formats from there. The caller frees
 * both in any case.
 *
 * Returns 0, or a negative enum error with the reason in @log.
 */
int given_kernel_take(const int files[SERVE_FILES],
		      const struct output_folder *folder,
		      struct kernel_copy *copy, struct byte_buffer *formats,
		      const struct log *log);

#endif
