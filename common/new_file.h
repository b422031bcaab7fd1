/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_NEW_FILE_H
#define KT_COMMON_NEW_FILE_H

#include <stdbool.h>
#include <sys/types.h>

/* A file that becomes visible only when it is finished. Until then it has no
 * name, where the file system supports that, so that nothing is left if the
 * program is killed; otherwise it has a temporary name.
 */
struct new_file {
	int folder;	 /* -1: none */
	char *name;	 /* in the folder */
	char *temporary; /* NULL: the file has no name yet */
	int fd;		 /* -1: none */
};

/* Returns whether @path is a name of the system, such as /dev/stdout. */
bool new_file_is_of_system(const char *path);

/* Returns whether a new file may get the name @path: it must be unused or name
 * a regular file. Devices and pipes must not be replaced, or /dev/null would
 * become a regular file. If not, errno is one for regular_file_error().
 */
bool new_file_may_be(const char *path);

/* Opens a file that will become @path, for reading and writing, with the
 * permissions @mode minus the umask. If @path is a link, its target is
 * replaced. The folder is looked up once, by the rules of trusted_path.h: a link
 * that another user made is refused.
 *
 * Returns whether that succeeded, else with errno, which regular_file_error()
 * explains. The caller must close the file either way.
 */
bool new_file_open(struct new_file *file, const char *path, mode_t mode);

/* Gives the file its name, replacing an existing file. Returns whether that
 * succeeded.
 */
bool new_file_finish(struct new_file *file);

/* Like new_file_finish(), but replaces no file: returns false, with EEXIST, if
 * a file of that name exists.
 */
bool new_file_finish_first(struct new_file *file);

/* Closes the file; an unfinished one is removed. */
void new_file_close(struct new_file *file);

#endif
