/* SPDX-License-Identifier: MIT */
/* Version 6: the parts follow each other. */
#include "common/error.h"
#include "decoder/recording/tracepoint_format.h"
#include "decoder/trace_dat/trace_dat_head.h"

#include <string.h>

/* "options  ", "latency  ", "flyrecord", with their NULs. */
enum { KIND_BYTES = 10 };

static void read_option(struct trace_dat *dat, uint16_t option,
			struct text_part value)
{
	if (option == TRACE_DAT_CLOCK)
		dat->clock = value;
	else if (option == TRACE_DAT_UNAME)
		dat->system = value;
}

static void read_options(struct trace_dat *dat, struct byte_reader *reader)
{
	uint16_t option;

	while ((option = byte_reader_u16(reader)) != TRACE_DAT_DONE)
		read_option(dat, option,
			    trace_dat_text(reader, byte_reader_u32(reader)));
}

static int read_cpus(struct trace_dat *dat, struct byte_reader *reader,
		     uint32_t count)
{
	for (uint32_t i = 0; i < count && !reader->failed; i++) {
		struct trace_dat_cpu *cpu = array_add(&dat->cpus);

		if (!cpu)
			return -ERROR_MEMORY;
		cpu->cpu = i;
		cpu->offset = byte_reader_u64(reader);
		cpu->size_bytes = byte_reader_u64(reader);
	}
	return 0;
}

/* A text file, "latency", has no function graph. */
static int read_data(struct trace_dat *dat, struct byte_reader *reader)
{
	uint32_t cpus = byte_reader_u32(reader);
	const char *kind = (const char *)byte_reader_bytes(reader, KIND_BYTES);

	if (kind && !memcmp(kind, "options", 7)) {
		read_options(dat, reader);
		kind = (const char *)byte_reader_bytes(reader, KIND_BYTES);
	}
	if (!kind || memcmp(kind, "flyrecord", KIND_BYTES) != 0) {
		reader->failed = true;
		return 0;
	}
	return read_cpus(dat, reader, cpus);
}

int trace_dat_read_6(struct trace_dat *dat, struct byte_reader *reader)
{
	int error = trace_dat_read_page(dat, reader);

	if (!error)
		error = tracing_formats_read(reader, "ftrace", dat->arena,
					     &dat->formats);
	if (!error)
		error = tracing_systems_read(reader, dat->arena, &dat->formats);
	if (error)
		return error;
	dat->kallsyms = trace_dat_text(reader, byte_reader_u32(reader));
	/* the formats of trace_printk */
	trace_dat_text(reader, byte_reader_u32(reader));
	dat->comms = trace_dat_text(reader, byte_reader_u64(reader));
	return read_data(dat, reader);
}
