/* SPDX-License-Identifier: MIT */
#ifndef KT_INBAND_COPIED_FILE_H
#define KT_INBAND_COPIED_FILE_H

struct log;
struct output_folder;

/* copied_file() copies the file @name of @from, if it exists; copied_file_of()
 * copies the file open as @in. Both write the new file @name of @to, and at
 * most as many bytes as a kernel's code may have (common/budget.h).
 *
 * Return 0, or -ERROR_SYSTEM with the reason in @log.
 */
int copied_file(const struct output_folder *from, const char *name,
		const struct output_folder *to, const struct log *log);
int copied_file_of(int in, const struct output_folder *to, const char *name,
		   const struct log *log);

#endif
