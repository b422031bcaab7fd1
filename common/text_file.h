/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_TEXT_FILE_H
#define KT_COMMON_TEXT_FILE_H

#include <stdio.h>

struct log;

/* Makes the file @path, or writes it anew, with what @write writes, to whom @ctx is
 * passed.  Returns 0, or -ERROR_SYSTEM when the log says why.
 */
int text_file_write(const char *path, void (*write)(FILE *out, const void *ctx),
		    const void *ctx, const struct log *log);

#endif
