/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_RECORD_LINE_H
#define KT_REPORT_RECORD_LINE_H

#include "report/text/record_writer.h"

#include <stdbool.h>

/* How a record_writer lays out the fields of CSV and JSON. */

/* Writes what stands before the value of field @name; in a header that is all.
 *
 * Returns whether the value is to follow.
 */
bool record_line_field(struct record_writer *writer, const char *name);

/* Writes a text as a value, in quotes where the format wants them. */
void record_line_string(struct record_writer *writer, const char *text);

#endif
