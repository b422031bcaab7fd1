/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/truth/writer.h"

#include "machine/qemu/glib_part.h"
#include "machine/truth/format.h"

#include <stdio.h>
#include <string.h>

struct writer {
	FILE *file;
	uint64_t last_tsc;
	uint64_t last_to;
	uint64_t last_sp;
};

enum { LONGEST_RECORD = 1 + 4 * 10 };

struct writer *writer_open(const char *dir, unsigned int cpu)
{
	struct truth_header header = { .magic = TRUTH_MAGIC, .cpu = cpu };
	struct writer *writer = g_new0(struct writer, 1);
	char *path = g_strdup_printf("%s/truth.%u", dir, cpu);

	writer->file = fopen(path, "we");
	g_free(path);
	if (!writer->file)
		goto fail;
	setvbuf(writer->file, NULL, _IOFBF, 1 << 20);
	if (fwrite(&header, sizeof(header), 1, writer->file) != 1)
		goto fail;
	return writer;
fail:
	writer_close(writer);
	return NULL;
}

static uint8_t *put_varint(uint8_t *at, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		*at++ = (value & 0x7f) | 0x80;
	*at++ = value;
	return at;
}

static uint8_t *put_difference(uint8_t *at, uint64_t value, uint64_t base)
{
	uint64_t delta = value - base;

	return put_varint(at, (delta << 1) ^ -(delta >> 63));
}

static uint8_t *put_branch(struct writer *writer, uint8_t *at,
			   const struct truth_record *record)
{
	at = put_difference(at, record->from, writer->last_to);
	at = put_difference(at, record->to, record->from);
	writer->last_to = record->to;
	return at;
}

void writer_write(struct writer *writer, const struct truth_record *record)
{
	uint8_t bytes[LONGEST_RECORD];
	uint8_t *at = bytes;

	*at++ = record->tag;
	at = put_varint(at, record->tsc - writer->last_tsc);
	writer->last_tsc = record->tsc;
	if ((record->tag & TRUTH_KIND_MASK) == TRUTH_SWITCH) {
		at = put_varint(at, record->pid);
		at = put_varint(at, record->tgid);
	} else if ((record->tag & TRUTH_KIND_MASK) == TRUTH_INTERRUPTS) {
		at = put_varint(at, record->pid);
	} else {
		at = put_branch(writer, at, record);
	}
	if (record->tag & TRUTH_HAS_SP) {
		at = put_difference(at, record->sp, writer->last_sp);
		writer->last_sp = record->sp;
	}
	fwrite(bytes, 1, at - bytes, writer->file);
}

bool writer_close(struct writer *writer)
{
	bool whole = true;

	if (!writer)
		return true;
	if (writer->file) {
		whole = !ferror(writer->file);
		whole &= !fclose(writer->file);
	}
	g_free(writer);
	return whole;
}
