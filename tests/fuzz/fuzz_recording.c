/* SPDX-License-Identifier: MIT */
#include "cmd/dump/dump_stages.h"
#include "cmd/pipeline/session.h"
#include "decoder/recording/recording.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/recording/all_writers.h"
#include "tests/fuzz/recording/large_blocks.h"
#include "tests/fuzz/recording/memory_files.h"
#include "tests/fuzz/recording/record_mutator.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct writer_choice read_choice(const struct packed_files *files)
{
	const struct packed_file *file = packed_files_find(files, "options");
	struct writer_choice choice = { 0 };

	if (file)
		memcpy(&choice, file->bytes,
		       file->size < sizeof(choice) ? file->size :
						     sizeof(choice));
	return choice;
}

/* Narrows the session as selected by @choice. */
static void narrow(struct session *session, const struct writer_choice *choice,
		   uint32_t *cpu)
{
	const struct recording_info *info = recording_info(session->recording);
	uint64_t part = (info->last_time_ns - info->first_time_ns) / 8;

	session->decodes_all = true;
	if (choice->since)
		session->window.since_ns =
			info->first_time_ns + choice->since % 8 * part;
	if (choice->until)
		session->window.until_ns =
			info->last_time_ns - choice->until % 8 * part;
	*cpu = choice->cpu - 1u;
	if (choice->cpu) {
		session->filter.cpus = cpu;
		session->filter.cpu_count = 1;
	}
}

/* Each decodes once more: one of them is enough for an input. */
static const struct {
	dump_stage *stage;
	bool is_second; /* by the second engine */
} dumps[] = {
	{ dump_records, false }, { dump_packets, false },
	{ dump_events, false },	 { dump_blocks, false },
	{ dump_events, true },	 { dump_blocks, true },
};
enum { DUMPS = sizeof(dumps) / sizeof(*dumps) };

static void dump_one(struct session *session,
		     const struct writer_choice *choice)
{
	size_t index = choice->dump % DUMPS;
	struct dump dump = { session, UINT64_MAX };

	if (dumps[index].is_second)
		session->engine = engine_second(session->recording);
	dumps[index].stage(&dump);
}

static ssize_t forget(void *cookie, const char *bytes, size_t size)
{
	(void)cookie;
	(void)bytes;
	return (ssize_t)size;
}

/* Returns a stream that discards its output without system calls. */
static FILE *open_nowhere(void)
{
	FILE *out = fopencookie(NULL, "w",
				(cookie_io_functions_t){ .write = forget });

	if (!out)
		abort();
	return out;
}

static void read_all(const struct packed_files *files)
{
	const struct writer_choice choice = read_choice(files);
	const struct report_options options = {
		.input = MEMORY_FOLDER,
		.capture = open_nowhere(),
		.symfs = MEMORY_FOLDER,
		.top = UINT64_MAX,
		.jobs = 1,
	};
	struct session session;
	uint32_t cpu;

	if (!session_open(&session, &options)) {
		narrow(&session, &choice, &cpu);
		all_writers_run(&session, &choice);
		dump_one(&session, &choice);
	}
	session_close(&session);
	fclose(options.capture);
}

/* Options that save most of the time under AddressSanitizer: a small
 * quarantine, no allocation stacks, and no filling of allocated memory, which
 * finds nothing by itself. Leaks are checked when inputs are replayed. Memory
 * is not returned to the kernel between inputs, as it is allocated again at
 * once.
 */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "quarantine_size_mb=2:thread_local_quarantine_size_kb=64:"
	       "malloc_context_size=0:max_malloc_fill_size=0:"
	       "allocator_release_to_os_interval_ms=-1";
}

/* Processes a recording or a snapshot completely, from an input's files in
 * memory through records, decoding, steps and attribution to all outputs.
 */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct packed_files files;

	packed_files_read(&files, bytes, size);
	memory_files_set(&files);
	read_all(&files);
	memory_files_set(NULL);
	return 0;
}

/* libFuzzer's own changes, which replay.c does without. */
#ifdef FUZZING
int LLVMFuzzerInitialize(int *argc, char ***argv);
size_t LLVMFuzzerMutate(uint8_t *bytes, size_t size, size_t room);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t room,
			       unsigned int seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *first, size_t first_size,
				 const uint8_t *second, size_t second_size,
				 uint8_t *out, size_t room, unsigned int seed);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	large_blocks_init();
	return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t room,
			       unsigned int seed)
{
	return record_mutator_run(bytes, size, room, seed, LLVMFuzzerMutate);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *first, size_t first_size,
				 const uint8_t *second, size_t second_size,
				 uint8_t *out, size_t room, unsigned int seed)
{
	return record_mutator_cross(first, first_size, second, second_size, out,
				    room, seed);
}
#endif
