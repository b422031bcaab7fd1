/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_VIEW_FILE_H
#define KT_CMD_VIEW_FILE_H

struct report_options;

/* Writes the page of the recording selected by @options to the file @path,
 * self-contained. Returns the exit code.
 */
int write_view_file(const struct report_options *options, const char *path);

#endif
