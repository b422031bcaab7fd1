/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_TRACEPOINT_H
#define KT_DECODER_TRACEPOINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The layout of a tracepoint's records, from its format file as stored in the
 * recording (/sys/kernel/tracing/events/<system>/<name>/format).
 */
struct tracepoint_field {
	const char *name;
	uint32_t offset;
	uint32_t size;
	bool is_signed;
	bool is_dynamic; /* __data_loc: its bytes are elsewhere */
};

struct tracepoint {
	const char *system;
	const char *name;
	uint32_t id;
	const struct tracepoint_field *fields;
	size_t field_count;
};

/* Returns the field called @name, or NULL. Call it once, not for every record.
 */
const struct tracepoint_field *
tracepoint_field(const struct tracepoint *tracepoint, const char *name);

/* Reads an integer field of a sample's @raw bytes, sign-extended if signed.
 *
 * Returns 0 if the field is NULL or not in @raw.
 */
int64_t tracepoint_number(const struct tracepoint_field *field,
			  const uint8_t *raw, size_t raw_size);

/* Copies a text field (char array or __data_loc) into @text, cut to @size
 * with its NUL. Returns @text, "" if the field is NULL or not in @raw.
 */
const char *tracepoint_text(const struct tracepoint_field *field,
			    const uint8_t *raw, size_t raw_size, char *text,
			    size_t size);

#endif
