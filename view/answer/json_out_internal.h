/* SPDX-License-Identifier: MIT */
#ifndef KT_VIEW_ANSWER_JSON_OUT_INTERNAL_H
#define KT_VIEW_ANSWER_JSON_OUT_INTERNAL_H

#include "report/text/line_buffer.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Writes JSON (RFC 8259) that may be embedded in HTML: names are escaped here
 * and only here, including sequences that would end a script element.
 */
struct json_out {
	struct line_buffer line;
	bool has_item; /* the innermost array or object is not empty */
};

struct json_out json_out_to(FILE *file);

/* Writes all buffered output to the file. */
void json_out_end(struct json_out *json);

/* Begin and end an object ("{}") or an array ("[]"). */
void json_begin(struct json_out *json, const char *brackets);
void json_end(struct json_out *json, const char *brackets);

/* Writes the name of an object's next member, which must be a literal of this
 * program.
 */
void json_key(struct json_out *json, const char *name);

void json_number(struct json_out *json, uint64_t value);
void json_signed(struct json_out *json, int64_t value);

/* Writes a string of any bytes except NUL. */
void json_text(struct json_out *json, const char *text);

/* Write a member with its name. */
void json_member_number(struct json_out *json, const char *name,
			uint64_t value);
void json_member_signed(struct json_out *json, const char *name, int64_t value);
void json_member_text(struct json_out *json, const char *name,
		      const char *text);
/* Writes a value that is JSON already, as another module wrote it. */
void json_member_value(struct json_out *json, const char *name,
		       const char *value);
void json_member_bool(struct json_out *json, const char *name, bool value);

#endif
