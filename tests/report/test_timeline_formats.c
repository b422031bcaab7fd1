/* SPDX-License-Identifier: MIT */
#include "common/bytes.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/recording_data.h"
#include "decoder/recording_open.h"
#include "report/text/duration_text.h"
#include "report/text/name_text.h"
#include "report/text/task_names.h"
#include "report/timeline/span_export.h"
#include "report/timeline/timeline.h"
#include "symbolize/functions/function_table.h"
#include "tests/fixtures/recording.h"
#include "tests/fixtures/scratch_folder.h"
#include "tests/run_suite.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static struct recording_fixture fixture;
static struct recording *recording;
static struct task_names *names;
static struct function_table *functions;

/* The second name of task 7, and a function's. */
#define EVIL_COMM "a\033\",\n\xff"
#define EVIL_FUNCTION "f\033\",\n\xff(<"

enum { READ = 1, EVIL };

static void add_comm(const char *name, int32_t tid, uint64_t time_ns)
{
	const struct fixture_origin origin = { tid, tid, time_ns };
	struct {
		int32_t pid;
		int32_t tid;
		char name[16];
	} body = { tid, tid, "" };

	strncpy(body.name, name, sizeof(body.name) - 1);
	recording_fixture_record(&fixture, PERF_RECORD_COMM, 0, &body,
				 sizeof(body), &origin);
}

static void setup(void)
{
	const char *module;

	recording_fixture_begin(&fixture);
	add_comm("sh", 7, 100);
	add_comm("other", 8, 120);
	add_comm(EVIL_COMM, 7, 200);
	recording = recording_fixture_open(&fixture);
	ck_assert_int_eq(task_names_open(recording, &names), 0);
	functions = function_table_new();
	module = function_table_module(functions, "", 0);
	ck_assert_uint_eq(function_table_add(functions, "vfs_read", 8, module,
					     'k'),
			  READ);
	ck_assert_uint_eq(function_table_add(functions, EVIL_FUNCTION,
					     strlen(EVIL_FUNCTION), module,
					     'u'),
			  EVIL);
	function_table_locate(functions, READ, 0xffffffff81000010);
}

static void teardown(void)
{
	function_table_free(functions);
	task_names_close(names);
	recording_close(recording);
	recording_fixture_end(&fixture);
}

static const struct task tasks[] = {
	{ .index = 0, .tid = 7, .pid = 7 },
	{ .index = 1, .tid = 8, .pid = 8 },
};

static void send(struct step_callback *callback, struct call_step step,
		 int32_t tid)
{
	step.task = &tasks[tid - 7];
	callback->consume(callback, &step);
}

/* Task 7 calls vfs_read(), 8 runs in between, and 7 is renamed. */
static void send_all(struct step_callback *callback)
{
	send(callback,
	     (struct call_step){ .kind = STEP_SWITCH, .time_ns = 150 }, 7);
	send(callback,
	     (struct call_step){ .kind = STEP_ENTER,
				 .time_ns = 199,
				 .function = READ,
				 .how = HOW_SYSTEM_CALL },
	     7);
	send(callback,
	     (struct call_step){ .kind = STEP_ENTER,
				 .time_ns = 200,
				 .function = EVIL,
				 .depth = 1 },
	     8);
	send(callback,
	     (struct call_step){ .kind = STEP_EXIT,
				 .time_ns = 12000000345,
				 .function = READ,
				 .wall_ns = 146,
				 .on_cpu_ns = 100,
				 .late_ns = 4,
				 .unseen = UNSEEN_END | UNSEEN_INSIDE },
	     7);
	send(callback,
	     (struct call_step){ .kind = STEP_GAP,
				 .cpu = 12,
				 .time_ns = UINT64_MAX,
				 .value = UINT64_MAX },
	     8);
}

static const struct time_unit nanoseconds = {
	.is_time = true,
	.name = "ns",
	.suffix = "_ns",
	.note = "",
};

static char *render(const char *command, const char *format, bool by_process,
		    size_t *size)
{
	const struct timeline_renderer *renderer =
		timeline_renderer_find(command, format);
	char *text = NULL;
	const struct timeline_context context = {
		.functions = functions,
		.names = names,
		.unit = &nanoseconds,
		.by_process = by_process,
		.colors = &colors_none,
		.out = open_memstream(&text, size),
	};
	struct step_callback *callback = renderer->open(&context);

	ck_assert_ptr_nonnull(callback);
	send_all(callback);
	ck_assert_int_eq(renderer->close(callback), 0);
	fclose(context.out);
	return text;
}

#define HEADER \
	"#         time_s cpu   task                 |     duration " \
	"|  function\n"
#define FIELDS \
	"event,time_ns,cpu,pid,tid,comm,depth,function,detail," \
	"wall_ns,on_cpu_ns,begin_unseen,end_unseen,not_all_seen," \
	"early_ns,late_ns,lost_bytes,fiber\n"
#define ZEROS \
	",\"wall_ns\":0,\"on_cpu_ns\":0,\"begin_unseen\":0," \
	"\"end_unseen\":0,\"not_all_seen\":0,\"early_ns\":0," \
	"\"late_ns\":0,\"lost_bytes\":0,\"fiber\":0}"
#define CHROME(phase, pid, tid) \
	"\n{\"ph\":\"" phase "\",\"pid\":" pid ",\"tid\":" tid ","
#define NAMED(what, name) \
	"\"name\":\"" what "_name\",\"args\":{\"name\":\"" name "\"}},"

/* clang-format off */
static const struct {
	const char *command;
	const char *format;
	bool by_process;
	const char *expected;
} cases[] = {
	{ "timeline", "text", false,
	  HEADER
	  "     0.000000199   0)  sh-7                 | "
	  "------ runs now ------\n"
	  "     0.000000199   0)  sh-7                 | "
	  "<     146 ns |  vfs_read();  /* system_call */"
	  "  /* 100 ns on CPU, not all seen */\n"
	  "     0.000000200   0)  other-8              | "
	  "             |    f\\x1b\",\\x0a\\xff(<() {  [u]\n"
	  "18446744073.709551615  12)  other-8              | "
	  "====== gap: overflow, 18446744073709551615 bytes of trace lost "
	  "======\n" },
	{ "timeline", "raw", false,
	  "E ffffffff81000010 199 7\n"
	  "E 0000000000000000 200 8\n"
	  "X ffffffff81000010 12000000345 7\n" },
	{ "timeline", "csv", true,
	  FIELDS
	  "switch,150,0,7,7,sh,0,,,0,0,0,0,0,0,0,0,0\n"
	  "enter,199,0,7,7,sh,0,7k:vfs_read,system_call,"
	  "0,0,0,0,0,0,0,0,0\n"
	  "enter,200,0,8,8,other,1,\"8u:f\\x1b\"\",\n\\xff(<\",call,"
	  "0,0,0,0,0,0,0,0,0\n"
	  "exit,12000000345,0,7,7,\"a\\x1b\"\",\n\\xff\",0,7k:vfs_read,call,"
	  "146,100,0,1,1,0,4,0,0\n"
	  "gap,18446744073709551615,12,8,8,other,0,,overflow,"
	  "0,0,0,0,0,0,0,18446744073709551615,0\n" },
	{ "export", "json", false,
	  "[\n{\"event\":\"switch\",\"time_ns\":150,\"cpu\":0,\"pid\":7,"
	  "\"tid\":7,\"comm\":\"sh\",\"depth\":0,\"function\":\"\","
	  "\"detail\":\"\"" ZEROS ",\n"
	  "{\"event\":\"enter\",\"time_ns\":199,\"cpu\":0,\"pid\":7,"
	  "\"tid\":7,\"comm\":\"sh\",\"depth\":0,\"function\":\"vfs_read\","
	  "\"detail\":\"system_call\"" ZEROS ",\n"
	  "{\"event\":\"enter\",\"time_ns\":200,\"cpu\":0,\"pid\":8,"
	  "\"tid\":8,\"comm\":\"other\",\"depth\":1,"
	  "\"function\":\"f\\u001b\\\",\\u000a\\\\xff(<\","
	  "\"detail\":\"call\"" ZEROS ",\n"
	  "{\"event\":\"exit\",\"time_ns\":12000000345,\"cpu\":0,\"pid\":7,"
	  "\"tid\":7,\"comm\":\"a\\u001b\\\",\\u000a\\\\xff\",\"depth\":0,"
	  "\"function\":\"vfs_read\",\"detail\":\"call\",\"wall_ns\":146,"
	  "\"on_cpu_ns\":100,\"begin_unseen\":0,\"end_unseen\":1,"
	  "\"not_all_seen\":1,\"early_ns\":0,\"late_ns\":4,"
	  "\"lost_bytes\":0,\"fiber\":0},\n"
	  "{\"event\":\"gap\",\"time_ns\":18446744073709551615,\"cpu\":12,"
	  "\"pid\":8,\"tid\":8,\"comm\":\"other\",\"depth\":0,"
	  "\"function\":\"\",\"detail\":\"overflow\",\"wall_ns\":0,"
	  "\"on_cpu_ns\":0,\"begin_unseen\":0,\"end_unseen\":0,"
	  "\"not_all_seen\":0,\"early_ns\":0,\"late_ns\":0,"
	  "\"lost_bytes\":18446744073709551615,\"fiber\":0}\n]\n" },
	{ "export", "chrome", false,
	  "{\"displayTimeUnit\":\"ns\",\"traceEvents\":["
	  CHROME("M", "4194305", "0") NAMED("thread", "CPU 0")
	  CHROME("M", "4194305", "0") NAMED("process", "CPUs")
	  CHROME("B", "4194305", "0")
	  "\"ts\":0.150,\"cat\":\"task\",\"name\":\"sh-7\"},"
	  CHROME("M", "7", "7") NAMED("thread", "sh")
	  CHROME("M", "7", "7") NAMED("process", "sh")
	  CHROME("B", "7", "7")
	  "\"ts\":0.199,\"cat\":\"system_call\",\"name\":\"vfs_read\"},"
	  CHROME("M", "8", "8") NAMED("thread", "other")
	  CHROME("M", "8", "8") NAMED("process", "other")
	  CHROME("B", "8", "8") "\"ts\":0.200,\"cat\":\"call\","
	  "\"name\":\"f\\u001b\\\",\\u000a\\\\xff(<\"},"
	  CHROME("E", "7", "7") "\"ts\":12000000.345,"
	  "\"name\":\"vfs_read\"},"
	  CHROME("M", "4194306", "12") NAMED("thread", "CPU 12 trace")
	  CHROME("M", "4194306", "12") NAMED("process", "trace of CPUs")
	  CHROME("B", "4194306", "12") "\"ts\":18446744073709551.615,"
	  "\"cat\":\"gap\",\"name\":\"gap: overflow\",\"args\":{"
	  "\"lost_bytes\":18446744073709551615,"
	  "\"offset\":0}},"
	  CHROME("E", "4194305", "0") "\"ts\":18446744073709551.615,"
	  "\"name\":\"sh-7\"},"
	  CHROME("E", "4194306", "12") "\"ts\":18446744073709551.615,"
	  "\"name\":\"gap: overflow\",\"args\":{"
	  "\"lost_bytes\":18446744073709551615,"
	  "\"offset\":0}}\n]}\n" },
};
/* clang-format on */

START_TEST(each_format_is_valid_whatever_the_names)
{
	size_t size;
	char *text = render(cases[_i].command, cases[_i].format,
			    cases[_i].by_process, &size);

	ck_assert_str_eq(text, cases[_i].expected);
	free(text);
}
END_TEST

/* A calls B, which has no visible calls; then A sleeps. */
START_TEST(a_leaf_has_one_line_and_a_caller_two)
{
	static const struct call_step steps[] = {
		{ .kind = STEP_SWITCH, .time_ns = 5 },
		{ .kind = STEP_STATE, .time_ns = 6, .detail = CPU_OFF },
		{ .kind = STEP_SWITCH, .time_ns = 7 },
		{ .kind = STEP_ENTER, .time_ns = 10, .function = READ },
		{ .kind = STEP_ENTER,
		  .time_ns = 20,
		  .function = EVIL,
		  .depth = 1 },
		{ .kind = STEP_EXIT,
		  .time_ns = 1290,
		  .function = EVIL,
		  .depth = 1,
		  .wall_ns = 1270,
		  .on_cpu_ns = 1270 },
		{ .kind = STEP_STATE, .time_ns = 1300, .detail = CPU_OFF },
		{ .kind = STEP_STATE, .time_ns = 1400, .detail = CPU_FILTERED },
		{ .kind = STEP_EXIT,
		  .time_ns = 2000000010,
		  .function = READ,
		  .wall_ns = 2000000000,
		  .on_cpu_ns = 1290 },
	};
	char *text = NULL;
	size_t size;
	const struct timeline_context context = {
		.functions = functions,
		.names = names,
		.unit = &nanoseconds,
		.colors = &colors_none,
		.out = open_memstream(&text, &size),
	};
	struct step_callback *callback = timeline_text.open(&context);

	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++)
		send(callback, steps[i], 8);
	ck_assert_int_eq(timeline_text.close(callback), 0);
	fclose(context.out);
	ck_assert_str_eq(text, HEADER
			 "     0.000000010   0)  other-8              | "
			 "------ runs now ------\n"
			 "     0.000000010   0)  other-8              | "
			 "             |  vfs_read() {\n"
			 "     0.000000020   0)  other-8              | "
			 "     1.27 us |    f\\x1b\",\\x0a\\xff(<();  [u]\n"
			 "     0.000001300   0)  other-8              | "
			 "------ trace pauses: off ------\n"
			 "     2.000000010   0)  other-8              | "
			 "      2.00 s |  } /* vfs_read, 1.29 us on CPU */\n");
	free(text);
}
END_TEST

/* Returns the packets inside the single compressed packet of an export: a field
 * with a two-byte length, and in it field 50, likewise.
 */
static uint8_t *unpacked(const char *bytes, size_t size, size_t *raw_size)
{
	enum { HEAD = 1 + 2 + 2 + 2, MOST = 1 << 16 };
	uint8_t *raw = malloc(MOST);
	uLongf length = MOST;

	ck_assert_int_eq(bytes[0], 1 << 3 | 2);
	ck_assert_mem_eq(bytes + 3, "\x92\x03", 2);
	ck_assert_int_eq(uncompress(raw, &length, (const Bytef *)bytes + HEAD,
				    size - HEAD),
			 Z_OK);
	*raw_size = length;
	return raw;
}

START_TEST(perfetto_has_each_name_once_and_as_utf8)
{
	static const char name[] = "f\033\",\n\\xff(<";
	size_t size;
	char *packed = render("export", "perfetto", false, &size);
	uint8_t *bytes = unpacked(packed, size, &size);
	const uint8_t *found = memmem(bytes, size, name, strlen(name));

	ck_assert_ptr_nonnull(found);
	ck_assert_int_eq(found[-1], sizeof(name) - 1);
	found++;
	ck_assert_ptr_null(memmem(found, size - (size_t)(found - bytes), name,
				  strlen(name)));
	free(bytes);
	free(packed);
}
END_TEST

static char *contents(const struct scratch_folder *folder, const char *name,
		      size_t *size)
{
	struct byte_buffer bytes = { 0 };
	char path[128];

	scratch_folder_path(folder, name, path, sizeof(path));
	ck_assert_int_eq(byte_buffer_file(&bytes, path), 0);
	*size = bytes.size;
	byte_buffer_zeros(&bytes, 1);
	return (char *)bytes.bytes;
}

static bool has(const char *bytes, size_t size, const void *part,
		size_t part_size)
{
	return memmem(bytes, size, part, part_size);
}

/* Task 7 makes a system call that starts before the function on CPU 0 and is
 * known when it has ended.
 */
static void send_call(struct track_callback *callback, const char *name)
{
	const struct side_track track = { .kind = SPAN_CALLS,
					  .task = &tasks[0] };
	const struct span_note notes[] = {
		{ .name = NOTE_ARGUMENTS, .text = "3" },
		{ .name = NOTE_RESULT, .text = "-1", .number = UINT64_MAX },
	};
	const struct span span = {
		.time_ns = 160,
		.name = name,
		.number = READ,
		.category = "syscall",
		.notes = notes,
		.note_count = 2,
	};

	callback->begin(callback, &track, &span);
	callback->end(callback, &track, 300);
}

START_TEST(ctf_is_a_folder_of_streams_by_cpu)
{
	static const char gap[] = "gap: overflow\0\xff\xff\xff\xff\xff";
	static const char entry[] = "\xa0\0\0\0\0\0\0\0\7\0\0\0\7\0\0\0"
				    "3";
	struct scratch_folder scratch = scratch_folder_new();
	struct output_folder folder = scratch_folder_output(&scratch);
	const struct timeline_context context = {
		.functions = functions,
		.names = names,
		.unit = &nanoseconds,
		.colors = &colors_none,
		.folder = &folder,
		.epoch_ns = 77,
	};
	struct step_callback *callback = export_ctf.open(&context);
	size_t size;
	char *bytes;

	send_all(callback);
	send_call(export_ctf.side_tracks(callback), "re\"ad");
	ck_assert_int_eq(export_ctf.close(callback), 0);
	bytes = contents(&scratch, "metadata", &size);
	ck_assert_mem_eq(bytes, "/* CTF 1.8 */\n", 14);
	ck_assert(strstr(bytes, "offset = 77;"));
	ck_assert(
		strstr(bytes, "{ name = \"syscall_entry_re\\\"ad\"; id = 25"));
	free(bytes);
	bytes = contents(&scratch, "cpu0", &size);
	ck_assert_mem_eq(bytes, "\xc1\x1f\xfc\xc1", 4);
	ck_assert(has(bytes, size, "vfs_read", 9));
	free(bytes);
	bytes = contents(&scratch, "cpu0_kernel", &size);
	ck_assert(has(bytes, size, entry, sizeof(entry)));
	free(bytes);
	bytes = contents(&scratch, "cpu12", &size);
	ck_assert(has(bytes, size, gap, sizeof(gap) - 1));
	free(bytes);
	output_folder_close(&folder);
	scratch_folder_free(&scratch);
}
END_TEST

/* trace-cmd skips events whose name is no identifier. */
START_TEST(trace_dat_names_unknown_calls)
{
	char *text;
	size_t size;
	const struct timeline_renderer *renderer =
		timeline_renderer_find("export", "trace.dat");
	const struct timeline_context context = {
		.functions = functions,
		.names = names,
		.unit = &nanoseconds,
		.colors = &colors_none,
		.out = open_memstream(&text, &size),
	};
	struct step_callback *callback = renderer->open(&context);

	send_all(callback);
	send_call(renderer->side_tracks(callback), "?");
	ck_assert_int_eq(renderer->close(callback), 0);
	fclose(context.out);
	ck_assert(has(text, size, "name: sys_exit_unknown\n", 23));
	free(text);
}
END_TEST

/* Our reader finds interrupts and system calls by the architecture's names. */
START_TEST(trace_dat_names_the_machine)
{
	static const char options[] = "options  \0\5\0\x17\0\0\0"
				      "Linux box 6.12 aarch64\0\0\0"
				      "flyrecord";
	char *text;
	size_t size;
	const struct recording_info info = {
		.hostname = "box",
		.os_release = "6.12",
		.arch = "aarch64",
	};
	const struct timeline_context context = {
		.functions = functions,
		.names = names,
		.unit = &nanoseconds,
		.colors = &colors_none,
		.info = &info,
		.out = open_memstream(&text, &size),
	};
	const struct timeline_renderer *renderer =
		timeline_renderer_find("export", "trace.dat");
	struct step_callback *callback = renderer->open(&context);

	send_all(callback);
	ck_assert_int_eq(renderer->close(callback), 0);
	fclose(context.out);
	ck_assert(has(text, size, options, sizeof(options)));
	free(text);
}
END_TEST

/* The size of calls nested @levels deep. */
static size_t size_of_depth(const char *command, const char *format,
			    uint32_t levels, char **text)
{
	size_t size;
	const struct timeline_renderer *renderer =
		timeline_renderer_find(command, format);
	const struct timeline_context context = {
		.functions = functions,
		.names = names,
		.unit = &nanoseconds,
		.colors = &colors_none,
		.out = open_memstream(text, &size),
	};
	struct step_callback *callback = renderer->open(&context);

	for (uint32_t i = 0; i < levels; i++)
		send(callback,
		     (struct call_step){ .kind = STEP_ENTER,
					 .time_ns = 1000 + i,
					 .function = READ,
					 .depth = i },
		     7);
	for (uint32_t i = levels; i-- > 0;)
		send(callback,
		     (struct call_step){ .kind = STEP_EXIT,
					 .time_ns = 1000 + 2 * levels - i,
					 .function = READ,
					 .depth = i },
		     7);
	ck_assert_int_eq(renderer->close(callback), 0);
	fclose(context.out);
	return size;
}

START_TEST(output_is_linear_in_the_depth)
{
	enum { LEVELS = 3000 };
	char *text;
	size_t once = size_of_depth(cases[_i].command, cases[_i].format, LEVELS,
				    &text);
	size_t twice;

	free(text);
	twice = size_of_depth(cases[_i].command, cases[_i].format, 2 * LEVELS,
			      &text);
	free(text);
	ck_assert_uint_le(twice, once * 9 / 4);
}
END_TEST

/* Indented by 2 a level, 64 of them. */
#define INDENT_8 "                "
#define INDENT_64 \
	INDENT_8 INDENT_8 INDENT_8 INDENT_8 INDENT_8 INDENT_8 INDENT_8 INDENT_8

START_TEST(depth_beyond_the_indentation_is_a_number)
{
	static const char *const expected[] = {
		"|  " INDENT_64 "vfs_read() {\n",
		"|  " INDENT_64 "[65] vfs_read() {\n",
		"|  " INDENT_64 "[99] vfs_read();\n",
		"|  " INDENT_64 "[65] } /* vfs_read */\n",
	};
	char *text;

	size_of_depth("timeline", "text", 100, &text);
	for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++)
		ck_assert_msg(strstr(text, expected[i]), "%zu: %s", i, text);
	free(text);
}
END_TEST

SUITE("timeline_formats")
{
	FIXTURE(setup, teardown);
	TEST_EACH(each_format_is_valid_whatever_the_names, cases);
	TEST(a_leaf_has_one_line_and_a_caller_two);
	TEST(perfetto_has_each_name_once_and_as_utf8);
	TEST(ctf_is_a_folder_of_streams_by_cpu);
	TEST(trace_dat_names_unknown_calls);
	TEST(trace_dat_names_the_machine);
	TEST_EACH(output_is_linear_in_the_depth, cases);
	TEST(depth_beyond_the_indentation_is_a_number);
}
