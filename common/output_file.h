/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_OUTPUT_FILE_H
#define KT_COMMON_OUTPUT_FILE_H

#include <stdbool.h>
#include <stdio.h>

/* The file of an option -o, as a stream: written under another name or none in
 * the same folder and renamed when it is complete (new_file.h), so that no
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

/* Returns the stream to write to; output_file_close() closes it. */
FILE *output_file_stream(const struct output_file *file);

/* Closes @file (NULL: none). Gives it its name if it @is_whole, otherwise
 * removes it.
 *
 * Returns whether everything was written and the name was given; otherwise
 * errno is set.
 */
bool output_file_close(struct output_file *file, bool is_whole);

#endif
