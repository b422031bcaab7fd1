/* SPDX-License-Identifier: MIT */
#ifndef KT_INBAND_COPIED_FILE_H
#define KT_INBAND_COPIED_FILE_H

struct log;

/* Copies the file @from, or that of the descriptor @in, to the new file @to: no
 * more than a kernel's code can be (common/budget.h).
 *
 * Return 0, or -ERROR_SYSTEM with the reason in @log.
 */
int copied_file(const char *from, const char *to, const struct log *log);
int copied_file_of(int in, const char *to, const struct log *log);

#endif
