/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_FILES_OUTPUT_FILE_H
#define KT_COMMON_FILES_OUTPUT_FILE_H

#include <stdbool.h>
#include <stdio.h>
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

/* Returns whether a new file may get the name @path: it must be unused or name
 * a regular file. Replacing devices and pipes would make /dev/null a regular
 * file. If it returns false, regular_file_error() explains errno.
 */
bool new_file_may_be(const char *path);

/* Opens a file that will become @path, for reading and writing, with the
 * permissions @mode minus the umask. If @path is a link, its target is
 * replaced. The folder is looked up once, by the rules of trusted_path_open():
 * a link that another user made is refused.
 *
 * Returns whether that succeeded; if not, regular_file_error() explains errno.
 * The caller must close the file either way.
 */
bool new_file_open(struct new_file *file, const char *path, mode_t mode);

/* Gives the file its name, replacing an existing file. Returns whether that
 * succeeded.
 */
bool new_file_finish(struct new_file *file);

/* Like new_file_finish(), but replaces no file: returns false, with EEXIST, if
 * a file of that name exists. On file systems without RENAME_NOREPLACE a file
 * that is made at the same moment may still be replaced.
 */
bool new_file_finish_first(struct new_file *file);

/* Closes the file; an unfinished one is removed. */
void new_file_close(struct new_file *file);

/* The file of an option -o, as a stream: written under another name or none in
 * the same folder and renamed when it is complete (struct new_file), so that no
 * reader sees a partial file, and an existing file of that name remains until
 * then. A program that ends early leaves nothing behind if the file system
 * supports O_TMPFILE.
 *
 * Devices and pipes are written to directly: they have no partial content to
 * hide.
 */
struct output_file;

/* Opens the file that will become @path.
 *
 * Owner: the caller, to be closed by output_file_close(). Returns NULL with
 * errno, which regular_file_error() explains.
 */
struct output_file *output_file_open(const char *path);

/* Like output_file_open(), but compresses the stream with gzip. fileno(3) fails
 * for this stream.
 */
struct output_file *output_file_open_gzip(const char *path);

/* Returns the stream to write to; output_file_close() closes it. */
FILE *output_file_stream(const struct output_file *file);

/* Closes @file; NULL is allowed. Gives the file its name if it @is_whole;
 * otherwise removes the file.
 *
 * Returns whether everything was written and the name was given; otherwise
 * errno is set.
 */
bool output_file_close(struct output_file *file, bool is_whole);

#endif
