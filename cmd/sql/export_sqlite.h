/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_EXPORT_SQLITE_H
#define KT_CMD_EXPORT_SQLITE_H

struct report_options;

/* Writes the whole recording to the SQLite database options->output.
 *
 * Returns the program's exit code.
 */
int export_sqlite(const struct report_options *options);

#endif
