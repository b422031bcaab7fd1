/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_NEW_FILE_H
#define KT_COMMON_NEW_FILE_H

#include <stdbool.h>
#include <sys/types.h>

/* A file that others see when it is finished, and not before: without a name
 * where the file system has that, so that nothing is left if the program is
 * ended, else with another one.
 */
struct new_file {
	char *path;
	char *temporary; /* NULL: the file has no name yet */
	int fd;		 /* -1: none */
};

/* Returns whether a new file may have the name @path: it is free, or that of a
 * regular file.  Devices and pipes are not to be replaced: /dev/null would be a
 * file from then on.  If not, errno is one for regular_file_error().
 */
bool new_file_may_be(const char *path);

/* Opens a file that is to be @path, to be read and written, with the permissions
 * @mode that the umask leaves.  Where @path is a link, the file to which it leads is
 * replaced.
 *
 * Returns whether it could, else with errno, about which regular_file_error() says
 * more; close it either way.
 */
bool new_file_open(struct new_file *file, const char *path, mode_t mode);

/* Gives the file its name, in place of one that had it.  Returns whether it
 * could.
 */
bool new_file_finish(struct new_file *file);

/* Like new_file_finish(), but replaces no file: returns false, with EEXIST, if there
 * is one of that name.
 */
bool new_file_finish_first(struct new_file *file);

/* Closes the file, which is gone if it was not finished. */
void new_file_close(struct new_file *file);

#endif
