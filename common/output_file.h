/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_OUTPUT_FILE_H
#define KT_COMMON_OUTPUT_FILE_H

#include <stdbool.h>
#include <stdio.h>

/* The file of an option -o, as a stream: written aside in the same folder and
 * renamed when it is whole (new_file.h), so that nobody takes a part for the whole,
 * and the file that had the name before stays until then.  A program that ends
 * before leaves nothing where the file system knows O_TMPFILE.
 *
 * Devices and pipes are written to as they are: there is no part to hide.
 */
struct output_file;

/* Opens the file that is to be @path.
 *
 * Owner: the caller, to be closed by output_file_close().  Returns NULL with errno,
 * about which regular_file_error() has more.
 */
struct output_file *output_file_open(const char *path);

/* The stream to write to; output_file_close() closes it. */
FILE *output_file_stream(const struct output_file *file);

/* Closes @file (NULL: none), which gets its name if it @is_whole, and is gone if not.
 *
 * Returns whether all was written, and the name given; else errno says why not.
 */
bool output_file_close(struct output_file *file, bool is_whole);

#endif
