/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_TEMPORARY_FOLDER_H
#define KT_COMMON_TEMPORARY_FOLDER_H

struct log;

/* A folder in $TMPDIR, or else /var/tmp, for as long as a process uses it. */
struct temporary_folder {
	char *path; /* NULL: none */
	int lock;
};

/* Makes one, and removes those that processes left which were killed.
 * Returns 0 or -ERROR_SYSTEM, said to @log.
 */
int temporary_folder_make(struct temporary_folder *folder,
			  const struct log *log);

/* Removes it with all that is in it.  One that is all zero is none. */
void temporary_folder_remove(struct temporary_folder *folder);

#endif
