/* SPDX-License-Identifier: MIT */
#include "collector/events/event_list.h"
#include "collector/records/record_bytes.h"
#include "collector/writer/feature.h"
#include "collector/writer/recording_writer.h"
#include "common/bytes.h"
#include "common/error.h"
#include "common/formats/build_id_cache.h"
#include "common/formats/perf_data.h"
#include "common/log.h"
#include "tests/fixtures/scratch_folder.h"
#include "tests/run_suite.h"

#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

static struct scratch_folder folder;
static struct output_folder output;
static char path[128];
static struct event_list events;
static struct recording_writer *writer;

enum { FEATURE_COUNT = 2, TABLE_SIZE = 16 * FEATURE_COUNT };

static int create(struct recording_writer **new, const struct log *log)
{
	struct feature features[FEATURE_COUNT] = {
		{ .bit = PERF_DATA_FEATURE_HOSTNAME },
		{ .bit = PERF_DATA_FEATURE_EVENT_DESC },
	};
	int error;

	byte_buffer_text(&features[0].content, "first");
	byte_buffer_text(&features[1].content, "last");
	error = recording_writer_create(&output, &events, features,
					FEATURE_COUNT, log, new);
	features_free(features, FEATURE_COUNT);
	return error;
}

/* Two attrs: one event of the first, two of the second. */
static void make_writer(void)
{
	static const size_t specs[] = { 0, 1, 1 };

	folder = scratch_folder_new();
	output = scratch_folder_output(&folder);
	scratch_folder_path(&folder, "data", path, sizeof(path));
	events = event_list_new();
	event_list_add(&events, event_spec_tasks(false));
	event_list_add(&events, event_spec_switches(true));
	for (size_t i = 0; i < 3; i++) {
		struct event *event = array_add(&events.events);

		*event = (struct event){ .fd = -1,
					 .spec = specs[i],
					 .id = 70 + i };
	}
	ck_assert_int_eq(create(&writer, NULL), 0);
}

static void remove_writer(void)
{
	recording_writer_free(writer);
	event_list_free(&events);
	output_folder_close(&output);
	scratch_folder_free(&folder);
}

static struct byte_buffer file(void)
{
	struct byte_buffer bytes = { 0 };

	ck_assert_int_eq(byte_buffer_file(&bytes, path), 0);
	return bytes;
}

static uint64_t word(const struct byte_buffer *bytes, size_t place)
{
	uint64_t value;

	ck_assert_uint_le(place + sizeof(value), bytes->size);
	memcpy(&value, bytes->bytes + place, sizeof(value));
	return value;
}

/* The positions of words in perf.data's header. */
enum {
	HEADER_SIZE = 8,
	ATTR_SIZE = 16,
	ATTRS = 24,
	DATA = 40,
	FEATURES = 72,
};

START_TEST(test_header)
{
	struct byte_buffer bytes = file();
	uint64_t attrs = word(&bytes, ATTRS);

	ck_assert_mem_eq(bytes.bytes, PERF_DATA_MAGIC, 8);
	ck_assert_uint_eq(word(&bytes, HEADER_SIZE), 104);
	ck_assert_uint_eq(word(&bytes, ATTR_SIZE), 144);
	ck_assert_uint_eq(word(&bytes, ATTRS + 8), 2 * 144);
	ck_assert_uint_eq(word(&bytes, DATA) + TABLE_SIZE, bytes.size);
	ck_assert_uint_eq(word(&bytes, DATA + 8), 0);
	/* The second attr's ids. */
	ck_assert_uint_eq(word(&bytes, attrs + 144 + 128 + 8), 16);
	ck_assert_uint_eq(word(&bytes, word(&bytes, attrs + 144 + 128) + 8),
			  72);
	byte_buffer_free(&bytes);
}
END_TEST

/* The first text of a command line's section: count, then length and text. */
static const char *program_in(const struct feature *features, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (features[i].bit == PERF_DATA_FEATURE_CMDLINE)
			return (const char *)features[i].content.bytes + 8;
	ck_abort_msg("no command line");
}

/* Readers identify the recorder's task by its name, even if the program was
 * renamed.
 */
START_TEST(test_the_program_has_its_tasks_name)
{
	char record[] = "record";
	char *words[] = { record, NULL };
	struct feature features[FEATURES_OF_SYSTEM];
	size_t count;

	ck_assert_int_eq(prctl(PR_SET_NAME, "a-tracer-of-ours"), 0);
	count = features_of_system(features, NULL, 1, words, &events);
	ck_assert_str_eq(program_in(features, count), "a-tracer-of-our");
	features_free(features, count);
	/* A given name replaces the process's. */
	count = features_of_system(features, "library", 1, words, &events);
	ck_assert_str_eq(program_in(features, count), "library");
	features_free(features, count);
}
END_TEST

/* The table of build ids as perf's write_buildid() writes it: u32 type, u16 misc,
 * u16 size, i32 process, 20 bytes of the id, its size, padding, the name.
 */
START_TEST(test_the_kernels_build_id_is_recorded)
{
	enum { ENTRY = 100, ID = 12, NAME = 36 };
	const struct elf_build_id id = elf_build_id_of_kernel();
	struct feature features[FEATURES_OF_SYSTEM];
	char *words[] = { NULL };
	size_t count = features_of_system(features, NULL, 0, words, &events);
	bool has_table = false;

	for (size_t i = 0; i < count; i++) {
		const struct byte_buffer *content = &features[i].content;

		if (features[i].bit != PERF_DATA_FEATURE_BUILD_ID)
			continue;
		has_table = true;
		ck_assert_uint_eq(content->size, ENTRY);
		ck_assert_mem_eq(content->bytes + ID, id.bytes,
				 sizeof(id.bytes));
		ck_assert_uint_eq(content->bytes[ID + sizeof(id.bytes)],
				  id.size);
		ck_assert_str_eq((const char *)content->bytes + NAME,
				 "[kernel.kallsyms]");
	}
	if (!id.size)
		puts("skipped: the kernel's build id: no /sys/kernel/notes");
	ck_assert_int_eq(has_table, id.size > 0);
	features_free(features, count);
}
END_TEST

static int add_bytes_from(const char *text, uint64_t start)
{
	struct ring_bytes trace = {
		.part = { { (void *)(uintptr_t)text, strlen(text) } },
		.size = strlen(text),
		.start = start,
	};

	return recording_writer_add_trace(writer, 3, 5, -1, &trace);
}

static int add_bytes(const char *text)
{
	return add_bytes_from(text, 0);
}

static void add_trace(const char *text)
{
	ck_assert_int_eq(add_bytes(text), 0);
}

/* The table of features must follow the records at every instant. */
static void check_features(const struct byte_buffer *bytes)
{
	uint64_t table = word(bytes, DATA) + word(bytes, DATA + 8);

	ck_assert_str_eq((char *)bytes->bytes + word(bytes, table), "first");
	ck_assert_uint_eq(word(bytes, table + 8), 6);
	ck_assert_str_eq((char *)bytes->bytes + word(bytes, table + 16),
			 "last");
	ck_assert_uint_eq(word(bytes, FEATURES) &
				  ~(1 << PERF_DATA_FEATURE_AUXTRACE),
			  1 << PERF_DATA_FEATURE_HOSTNAME |
				  1 << PERF_DATA_FEATURE_EVENT_DESC);
}

/* An event of the first attr on a CPU that came online: the header refers to
 * the ids and attrs again, all of which are then among the records.
 */
START_TEST(test_events_may_be_added)
{
	struct event *event = array_add(&events.events);
	struct byte_buffer bytes = file();
	uint64_t old_attrs = word(&bytes, ATTRS);
	uint64_t attrs;

	byte_buffer_free(&bytes);
	*event = (struct event){ .fd = -1, .spec = 0, .id = 90 };
	ck_assert_int_eq(recording_writer_add_events(writer, &events), 0);
	bytes = file();
	ck_assert_uint_eq(word(&bytes, ATTRS), old_attrs);
	byte_buffer_free(&bytes);
	ck_assert_int_eq(recording_writer_end_round(writer), 0);
	bytes = file();
	attrs = word(&bytes, ATTRS);
	ck_assert_uint_gt(attrs, word(&bytes, DATA));
	ck_assert_uint_eq(word(&bytes, ATTRS + 8), 2 * 144);
	ck_assert_uint_eq(word(&bytes, attrs + 128 + 8), 16);
	ck_assert_uint_eq(word(&bytes, word(&bytes, attrs + 128)), 70);
	ck_assert_uint_eq(word(&bytes, word(&bytes, attrs + 128) + 8), 90);
	ck_assert_uint_eq(word(&bytes, word(&bytes, attrs + 144 + 128) + 8),
			  72);
	/* The attributes are the body of a record of their size. */
	ck_assert_uint_eq(word(&bytes, attrs - 8),
			  PERF_DATA_FINISHED_INIT | (uint64_t)(8 + 2 * 144)
							    << 48);
	check_features(&bytes);
	byte_buffer_free(&bytes);
}
END_TEST

START_TEST(test_trace)
{
	struct byte_buffer bytes;
	uint64_t data;

	add_trace("twelve bytes");
	add_trace("8 bytes.");
	ck_assert_int_eq(recording_writer_end_round(writer), 0);
	bytes = file();
	data = word(&bytes, DATA);
	/* The table was here before: FINISHED_ROUND, of its size. */
	ck_assert_uint_eq(word(&bytes, data),
			  PERF_DATA_FINISHED_ROUND | (uint64_t)TABLE_SIZE
							     << 48);
	data += TABLE_SIZE;
	ck_assert_uint_eq(word(&bytes, data + 8), 16); /* padded */
	ck_assert_uint_eq(word(&bytes, data + 16), 0);
	ck_assert_mem_eq(bytes.bytes + data + 48, "twelve bytes\0\0\0\0", 16);
	data += 48 + 16;
	ck_assert_uint_eq(word(&bytes, data + 8), 8);
	ck_assert_uint_eq(word(&bytes, data + 16), 12); /* without padding */
	ck_assert_uint_eq(word(&bytes, DATA + 8), TABLE_SIZE + 64 + 56);
	ck_assert_uint_eq(recording_writer_trace_bytes(writer), 20);
	check_features(&bytes);
	byte_buffer_free(&bytes);
}
END_TEST

#if defined(__x86_64__)
START_TEST(the_reference_of_trace_is_the_tsc)
{
	uint64_t before = __rdtsc();
	struct byte_buffer bytes;
	uint64_t data;

	add_trace("8 bytes.");
	add_trace("8 bytes.");
	ck_assert_int_eq(recording_writer_end_round(writer), 0);
	bytes = file();
	data = word(&bytes, DATA) + TABLE_SIZE;
	ck_assert_uint_ge(word(&bytes, data + 24), before);
	ck_assert_uint_gt(word(&bytes, data + 56 + 24),
			  word(&bytes, data + 24));
	ck_assert_uint_lt(word(&bytes, data + 56 + 24), __rdtsc());
	byte_buffer_free(&bytes);
}
END_TEST
#endif

START_TEST(test_trace_that_began_before)
{
	struct byte_buffer bytes;

	ck_assert_int_eq(recording_writer_begin_trace(writer, 3, 1 << 20), 0);
	add_trace("twelve bytes");
	add_trace("8 bytes.");
	ck_assert_int_eq(recording_writer_end_round(writer), 0);
	bytes = file();

	uint64_t data = word(&bytes, DATA) + TABLE_SIZE;

	ck_assert_uint_eq(word(&bytes, data + 16), 1 << 20);
	ck_assert_uint_eq(word(&bytes, data + 48 + 16 + 16), (1 << 20) + 12);
	byte_buffer_free(&bytes);
}
END_TEST

/* The file of a killed recorder: the header covers the earlier rounds. */
START_TEST(test_overwritten_trace)
{
	struct byte_buffer bytes;

	add_trace("twelve bytes");
	ck_assert_int_eq(add_bytes_from("8 bytes.", 1 << 20), 0);
	ck_assert_int_eq(recording_writer_end_round(writer), 0);
	bytes = file();

	uint64_t data = word(&bytes, DATA) + TABLE_SIZE;

	ck_assert_uint_eq(word(&bytes, data + 16), 0);
	ck_assert_uint_eq(word(&bytes, data + 48 + 16 + 16), 1 << 20);
	byte_buffer_free(&bytes);
}
END_TEST

START_TEST(test_rounds)
{
	struct byte_buffer bytes;

	add_trace("8 bytes.");
	bytes = file();
	ck_assert_uint_eq(word(&bytes, DATA + 8), 0);
	check_features(&bytes);
	byte_buffer_free(&bytes);
	recording_writer_end_round(writer);
	recording_writer_end_round(writer);
	add_trace("8 bytes.");
	bytes = file();
	ck_assert_uint_eq(word(&bytes, DATA + 8), TABLE_SIZE + 56);
	check_features(&bytes);
	byte_buffer_free(&bytes);
}
END_TEST

START_TEST(test_finish)
{
	struct byte_buffer bytes;
	uint64_t table;
	uint64_t index;

	add_trace("8 bytes.");
	ck_assert_int_eq(recording_writer_finish(writer), 0);
	bytes = file();
	check_features(&bytes);
	ck_assert_uint_ne(
		word(&bytes, FEATURES) & 1 << PERF_DATA_FEATURE_AUXTRACE, 0);
	table = word(&bytes, DATA) + word(&bytes, DATA + 8);
	/* The index: one entry, where the AUXTRACE record is. */
	index = word(&bytes, table + TABLE_SIZE);
	ck_assert_uint_eq(word(&bytes, index), 1);
	ck_assert_uint_eq(word(&bytes, index + 8),
			  word(&bytes, DATA) + TABLE_SIZE);
	ck_assert_uint_eq(index + 24, bytes.size);
	byte_buffer_free(&bytes);
}
END_TEST

/* A full disk: the file ends with the last whole record. */
START_TEST(test_no_space)
{
	struct rlimit limit = { .rlim_cur = 2048, .rlim_max = 2048 };
	struct byte_buffer records = { 0 };
	struct byte_buffer bytes;
	int error = 0;

	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	record_end(&records,
		   record_begin(&records, PERF_DATA_FINISHED_INIT, 0));
	byte_buffer_zeros(&records, 400);
	for (int i = 0; i < 8 && !error; i++)
		error = recording_writer_add(writer, &records);
	ck_assert_int_eq(error, -ERROR_SYSTEM);
	ck_assert_int_eq(recording_writer_add(writer, &records), -ERROR_SYSTEM);
	bytes = file();
	ck_assert_uint_gt(word(&bytes, DATA + 8), records.size);
	ck_assert_uint_eq((word(&bytes, DATA + 8) - TABLE_SIZE) % records.size,
			  0);
	check_features(&bytes);
	byte_buffer_free(&bytes);
	byte_buffer_free(&records);
}
END_TEST

/* Counts the errors that name the file. */
static void count_errors(void *ctx, enum log_level level, const char *name,
			 uint64_t offset, const char *text)
{
	int *errors = ctx;

	(void)offset;
	*errors += level == LOG_ERROR && !strcmp(name, path) &&
		   strstr(text, "cannot write");
}

/* Makes a whole recording whose file may have @most bytes. The limit also
 * applies to the file that the suite logs its checks in, hence there are no
 * checks meanwhile.
 */
static int record_within(size_t most, const struct log *log)
{
	const struct rlimit limit = { most, RLIM_INFINITY };
	const struct rlimit none = { RLIM_INFINITY, RLIM_INFINITY };
	int error;

	setrlimit(RLIMIT_FSIZE, &limit);
	error = create(&writer, log);
	if (!error)
		error = add_bytes("twelve bytes");
	if (!error)
		error = recording_writer_finish(writer);
	setrlimit(RLIMIT_FSIZE, &none);
	return error;
}

/* Lets each write fail in turn: one error message is logged, which names the
 * file; none if the room is just enough.
 */
START_TEST(test_each_write_may_fail)
{
	int errors = 0;
	const struct log log = { .write = count_errors, .ctx = &errors };
	int error = -1;
	size_t most = 0;

	signal(SIGXFSZ, SIG_IGN);
	for (; error; most++) {
		recording_writer_free(writer);
		writer = NULL;
		ck_assert_int_eq(unlink(path), 0);
		errors = 0;
		error = record_within(most, &log);
		ck_assert_int_eq(errors, error ? 1 : 0);
	}
	ck_assert_uint_gt(most, 400);
}
END_TEST

START_TEST(test_cannot_create)
{
	struct recording_writer *other;

	/* An existing file is never overwritten. */
	ck_assert_int_eq(create(&other, NULL), -ERROR_SYSTEM);
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(rmdir(folder.path), 0);
	ck_assert_int_eq(create(&other, NULL), -ERROR_SYSTEM);
}
END_TEST

SUITE("recording_writer")
{
	APART();
	FIXTURE(make_writer, remove_writer);
	TEST(test_header);
	TEST(test_the_program_has_its_tasks_name);
	TEST(test_the_kernels_build_id_is_recorded);
	TEST(test_events_may_be_added);
	TEST(test_trace);
	TEST(test_trace_that_began_before);
#if defined(__x86_64__)
	TEST(the_reference_of_trace_is_the_tsc);
#endif
	TEST(test_overwritten_trace);
	TEST(test_rounds);
	TEST(test_finish);
	TEST(test_no_space);
	TEST(test_each_write_may_fail);
	TEST(test_cannot_create);
}
