/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_TRACE_DAT_HEAD_H
#define KT_DECODER_TRACE_DAT_HEAD_H

#include "common/array.h"
#include "common/bytes.h"
#include "common/file_map.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/tracepoint.h"
#include "decoder/trace_dat/trace_dat_packing.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

/* The position of one CPU's pages in the file. */
struct trace_dat_cpu {
	uint32_t cpu;
	uint64_t offset;
	uint64_t size_bytes;
	bool is_packed; /* in chunks, after the number of chunks */
};

/* The head of a trace.dat: the contents before the pages, which both versions
 * have.
 */
struct trace_dat {
	const struct log *log;
	struct arena *arena; /* owns unpacked data */
	const char *path;
	struct file_map map; /* of the whole file, borrowed */
	uint32_t page_bytes;
	enum trace_dat_packing packing;
	struct tracepoint page;	   /* the fields of a page's header */
	struct array formats;	   /* struct tracepoint */
	struct array cpus;	   /* struct trace_dat_cpu */
	struct text_part kallsyms; /* in the file, or in the arena */
	struct text_part comms;	   /* in the file, or in the arena */
	struct text_part clock;	   /* "local [perf] mono", or one name */
	struct text_part system;   /* "Linux HOST RELEASE MACHINE" */
};

/* The options that exist in both versions. */
enum trace_dat_option {
	TRACE_DAT_DONE = 0,
	TRACE_DAT_BUFFER = 3,
	TRACE_DAT_CLOCK = 4,
	TRACE_DAT_UNAME = 5,
};

/* Read the rest of the head of a file of that version from @reader, which is
 * after the page size. Return 0 or a negative enum error; @reader fails if the
 * file is malformed.
 */
int trace_dat_read_6(struct trace_dat *dat, struct byte_reader *reader);
int trace_dat_read_7(struct trace_dat *dat, struct byte_reader *reader);

/* Reads header_page and header_event. Returns 0 or -ERROR_MEMORY. */
int trace_dat_read_page(struct trace_dat *dat, struct byte_reader *reader);

/* Returns the next @size bytes as text. */
struct text_part trace_dat_text(struct byte_reader *reader, uint64_t size);

#endif
