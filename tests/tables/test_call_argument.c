/* SPDX-License-Identifier: MIT */
#include "attribution/calls/call_items.h"
#include "attribution/calls/system_calls.h"
#include "tables/calls/call_argument.h"
#include "tests/run_suite.h"

#include <stdlib.h>
#include <string.h>

#define AT_HERE (uint32_t) - 100

/* As strace writes them. */
/* clang-format off */
static const struct {
	const char *name;
	uint64_t arguments[SYSTEM_CALL_ARGUMENTS];
	int64_t result;
	const char *text;
	bool is_arm;
} cases[] = {
	{ "getpid", { 1, 2, 3, 4, 5, 6 }, 123, "getpid() = 123", false },
	{ "close", { UINT32_MAX, 7 }, -9,
	  "close(-1) = -1 EBADF (Bad file descriptor)", false },
	{ "read", { 3, 0x7f00, 4096 }, -512, "read(3, 0x7f00, 4096) = ? (made again)",
	  false },
	{ "openat", { AT_HERE, 0x7f00, 02000000, 0644 }, 3,
	  "openat(AT_FDCWD, 0x7f00, O_RDONLY|O_CLOEXEC) = 3", false },
	{ "openat", { 5, 0x7f00, 01101, 0644 }, 3,
	  "openat(5, 0x7f00, O_WRONLY|O_CREAT|O_TRUNC, 0644) = 3", false },
	{ "open", { 0x7f00, 0 }, 3, "open(0x7f00, O_RDONLY) = 3", false },
	{ "open", { 0x7f00, 020200002, 0600 }, 3,
	  "open(0x7f00, O_RDWR|O_TMPFILE, 0600) = 3", false },
	{ "open", { 0x7f00, 0200000 }, 3,
	  "open(0x7f00, O_RDONLY|O_DIRECTORY) = 3", false },
	{ "open", { 0x7f00, 0200000 }, 3,
	  "open(0x7f00, O_RDONLY|O_DIRECT) = 3", true },
	{ "creat", { 0x7f00, 0 }, 3, "creat(0x7f00, 000) = 3", false },
	{ "mmap", { 0, 8192, 3, 0x22, UINT32_MAX, 0 }, 0x7f0000,
	  "mmap(NULL, 8192, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, "
	  "-1, 0) = 0x7f0000", false },
	{ "mprotect", { 0x1000, 4096, 0 }, 0,
	  "mprotect(0x1000, 4096, PROT_NONE) = 0", false },
	{ "kill", { 12, 9 }, 0, "kill(12, SIGKILL) = 0", false },
	{ "kill", { 12, 0 }, 0, "kill(12, 0) = 0", false },
	{ "lseek", { 3, (uint64_t)-10, 2 }, 90, "lseek(3, -10, SEEK_END) = 90",
	  false },
	{ "access", { 0x7f00, 6 }, 0, "access(0x7f00, R_OK|W_OK) = 0", false },
	{ "access", { 0x7f00, 0 }, 0, "access(0x7f00, F_OK) = 0", false },
	{ "futex", { 0x7f00, 0x80, 2, 0, 0, 0 }, -110,
	  "futex(0x7f00, FUTEX_WAIT_PRIVATE, 2, NULL) = -1 "
	  "ETIMEDOUT (Connection timed out)", false },
	{ "futex", { 0x7f00, 0x189, 2, 0, 7, UINT32_MAX }, 0,
	  "futex(0x7f00, FUTEX_WAIT_BITSET_PRIVATE|FUTEX_CLOCK_REALTIME, 2, NULL, "
	  "0xffffffff) = 0", false },
	{ "futex", { 0x7f00, 0x81, 1, 3, 4, 5 }, 1,
	  "futex(0x7f00, FUTEX_WAKE_PRIVATE, 1) = 1", false },
	{ "socket", { 1, 02000001, 0 }, 4,
	  "socket(AF_UNIX, SOCK_STREAM|SOCK_CLOEXEC, 0) = 4", false },
	{ "clone", { 0x01200011, 0, 0, 0x7f10, 0 }, 77,
	  "clone(child_stack=NULL, flags=CLONE_CHILD_CLEARTID|CLONE_CHILD_SETTID|"
	  "SIGCHLD, child_tidptr=0x7f10) = 77", false },
	{ "clone", { 0x01280011, 0x7f00, 0, 0x7f20, 0x7f10 }, 77,
	  "clone(child_stack=0x7f00, flags=CLONE_SETTLS|CLONE_CHILD_CLEARTID|"
	  "CLONE_CHILD_SETTID|SIGCHLD, tls=0x7f20, child_tidptr=0x7f10) = 77", true },
	{ "fcntl", { 3, 4, 04000 }, 0, "fcntl(3, F_SETFL, O_RDONLY|O_NONBLOCK) = 0",
	  false },
	{ "fcntl", { 3, 3, 7 }, 02001,
	  "fcntl(3, F_GETFL) = 0x401 (flags O_WRONLY|O_APPEND)", false },
	{ "fcntl", { 3, 1, 7 }, 1, "fcntl(3, F_GETFD) = 0x1 (flags FD_CLOEXEC)",
	  false },
	{ "socket", { 2, 1, 6 }, 4, "socket(AF_INET, SOCK_STREAM, IPPROTO_TCP) = 4",
	  false },
	{ "setsockopt", { 4, 6, 1, 0x7f00, 4 }, 0,
	  "setsockopt(4, SOL_TCP, TCP_NODELAY, 0x7f00, 4) = 0", false },
	{ "setsockopt", { 4, 1, 2, 0x7f00, 4 }, 0,
	  "setsockopt(4, SOL_SOCKET, SO_REUSEADDR, 0x7f00, 4) = 0", false },
	{ "setsockopt", { 4, 41, 26, 0x7f00, 4 }, 0,
	  "setsockopt(4, SOL_IPV6, 26, 0x7f00, 4) = 0", false },
	{ "ioctl", { 1, 0x5401, 0x7f00 }, 0, "ioctl(1, TCGETS, 0x7f00) = 0", false },
	{ "ioctl", { 1, 0x12345, 0x7f00 }, 0, "ioctl(1, 0x12345, 0x7f00) = 0",
	  false },
	{ "newfstatat", { 3, 0x7f00, 0x7f08, 0x1000 }, 0,
	  "newfstatat(3, 0x7f00, 0x7f08, AT_EMPTY_PATH) = 0", false },
	{ "clock_nanosleep", { 1, 0, 0x7f00, 0 }, 0,
	  "clock_nanosleep(CLOCK_MONOTONIC, 0, 0x7f00, NULL) = 0", false },
	{ "epoll_ctl", { 4, 1, 5, 0x7f00 }, 0,
	  "epoll_ctl(4, EPOLL_CTL_ADD, 5, 0x7f00) = 0", false },
	{ "never_heard_of", { 1, 0, 0x30 }, -38,
	  "never_heard_of(0x1, 0, 0x30, 0, 0, 0) = -1 ENOSYS "
	  "(Function not implemented)", false },
};
/* clang-format on */

static char *write_call(const struct system_call *call, const char *name,
			bool is_arm)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	fputs(name, out);
	call_arguments_write(call, name, is_arm, out);
	call_result_write(call, name, out);
	fclose(out);
	return text;
}

START_TEST(calls_are_written_as_strace_does)
{
	struct system_call call = {
		.has_enter = true,
		.has_exit = true,
		.result = cases[_i].result,
	};
	char *text;

	for (int i = 0; i < SYSTEM_CALL_ARGUMENTS; i++)
		call.arguments[i] = cases[_i].arguments[i];
	text = write_call(&call, cases[_i].name, cases[_i].is_arm);
	ck_assert_str_eq(text, cases[_i].text);
	free(text);
}
END_TEST

START_TEST(what_was_not_recorded_is_not_made_up)
{
	const struct system_call call = { .result = 0 };
	char *text = write_call(&call, "read", false);

	ck_assert_str_eq(text, "read(...) = ?");
	free(text);
}
END_TEST

START_TEST(the_first_and_the_last_name_are_found)
{
	ck_assert_str_eq(call_signature("accept"), "ddkw");
	ck_assert_str_eq(call_signature("writev"), "ldvu");
	ck_assert_ptr_null(call_signature("zzz"));
	ck_assert_ptr_null(call_signature("?"));
}
END_TEST

/* A sample of items, as record --syscall-data writes it. */
struct sample {
	struct call_data head;
	uint8_t bytes[1024];
};

static void add_item(struct sample *sample, uint8_t kind, uint8_t argument,
		     uint32_t info, const void *bytes, size_t size)
{
	const struct call_data_item item = { kind, argument, (uint16_t)size,
					     info };
	uint8_t *to = sample->bytes + sample->head.size;

	memcpy(to, &item, sizeof(item));
	if (size)
		memcpy(to + sizeof(item), bytes, size);
	sample->head.size += sizeof(item) + (size + 7) / 8 * 8;
}

static void add_text(struct sample *sample, uint8_t argument, const char *text)
{
	add_item(sample, CALL_DATA_STRING, argument, 64, text,
		 strlen(text) + 1);
}

static void add_file(struct sample *sample, uint8_t argument, uint16_t flags,
		     uint16_t mode, const char *names, size_t size)
{
	struct {
		struct call_data_file file;
		char names[64];
	} item = { .file = { .inode = 77, .flags = flags, .mode = mode } };

	memcpy(item.names, names, size);
	add_item(sample, CALL_DATA_FILE, argument, 0, &item,
		 sizeof(item.file) + size);
}

static void fill_openat(struct sample *sample)
{
	add_file(sample, 0, CALL_FILE_ROOTED, 0040755, "here\0tmp", 9);
	add_text(sample, 1, "a \"b\"\n\1\0012\xff");
	add_file(sample, CALL_DATA_RESULT, CALL_FILE_ROOTED, 0100644,
		 "a>b\0tmp", 8);
}

static void fill_read(struct sample *sample)
{
	add_file(sample, 0, CALL_FILE_DETACHED, 0010600, "", 1);
	add_item(sample, CALL_DATA_COUNTED, 1, 100, "some of", 7);
}

static void fill_close(struct sample *sample)
{
	add_file(sample, 0, CALL_FILE_ROOTED | CALL_FILE_DELETED, 0100644,
		 "x\0y", 4);
}

/* The first folders are missing. */
static void fill_fsync(struct sample *sample)
{
	add_file(sample, 0, 0, 0100644, "x\0y", 4);
}

static void fill_execve(struct sample *sample)
{
	add_text(sample, 0, "/bin/sh");
	add_item(sample, CALL_DATA_STRINGS, 1, 0, "sh\0\0-c", 7);
}

static void fill_connect(struct sample *sample)
{
	const uint8_t address[16] = { 2, 0, 0x12, 0x67, 127, 0, 0, 1 };
	struct {
		struct call_data_file file;
		struct call_data_socket socket;
	} item = {
		.file = { .inode = 5,
			  .mode = 0140777,
			  .flags = CALL_FILE_SOCKET },
		.socket = { .family = 2,
			    .type = 1,
			    .protocol = 6,
			    .local_port = 4711,
			    .remote_port = 0x5000,
			    .local = { 127, 0, 0, 1 },
			    .remote = { 10, 0, 0, 2 } },
	};

	add_item(sample, CALL_DATA_FILE, 0, 0, &item, sizeof(item));
	add_item(sample, CALL_DATA_COUNTED, 1, 16, address, sizeof(address));
}

static void fill_nanosleep(struct sample *sample)
{
	const uint64_t time[2] = { 1, 500 };

	add_item(sample, CALL_DATA_BYTES, 0, 16, time, sizeof(time));
}

/* Half of the structure is missing. */
static void fill_stat(struct sample *sample)
{
	const uint8_t half[72] = { [24] = 0xa4, [25] = 0x81, [48] = 9 };

	add_text(sample, 0, "x");
	add_item(sample, CALL_DATA_BYTES, 1, 144, half, sizeof(half));
}

static void fill_rename(struct sample *sample)
{
	add_text(sample, 1, "to");
}

static const struct {
	const char *name;
	uint64_t arguments[SYSTEM_CALL_ARGUMENTS];
	int64_t result;
	void (*fill)(struct sample *sample);
	const char *text;
} data_cases[] = {
	{ "openat",
	  { AT_HERE, 0x7f00, 0 },
	  3,
	  fill_openat,
	  "openat(AT_FDCWD</tmp/here>, \"a \\\"b\\\"\\n\\1\\0012\\377\", O_RDONLY) "
	  "= 3</tmp/a\\76b>" },
	{ "read",
	  { 4, 0x7f00, 100 },
	  100,
	  fill_read,
	  "read(4<pipe:[77]>, \"some of\"..., 100) = 100" },
	{ "close", { 5 }, 0, fill_close, "close(5</y/x>(deleted)) = 0" },
	{ "fsync", { 5 }, 0, fill_fsync, "fsync(5<.../y/x>) = 0" },
	{ "execve",
	  { 0x7f00, 0x7f08, 0x7f10 },
	  0,
	  fill_execve,
	  "execve(\"/bin/sh\", [\"sh\", \"\", \"-c\", ...], 0x7f10) = 0" },
	{ "connect",
	  { 6, 0x7f00, 16 },
	  0,
	  fill_connect,
	  "connect(6<TCP:[127.0.0.1:4711->10.0.0.2:80]>, {sa_family=AF_INET, "
	  "sin_port=htons(4711), sin_addr=inet_addr(\"127.0.0.1\")}, 16) = 0" },
	{ "nanosleep",
	  { 0x7f00, 0 },
	  0,
	  fill_nanosleep,
	  "nanosleep({tv_sec=1, tv_nsec=500}, NULL) = 0" },
	{ "stat",
	  { 0x7f00, 0x7f08 },
	  0,
	  fill_stat,
	  "stat(\"x\", {st_mode=S_IFREG|0644, st_size=9, ...}) = 0" },
	/* A text that could not be read is an address. */
	{ "rename",
	  { 0x7f00, 0x7f08 },
	  0,
	  fill_rename,
	  "rename(0x7f00, \"to\") = 0" },
};

START_TEST(what_arguments_refer_to_is_written_as_strace_does)
{
	struct call_items items = { .bytes = { 0 } };
	struct system_call call = {
		.has_enter = true,
		.has_exit = true,
		.result = data_cases[_i].result,
		.items = &items,
	};
	struct sample sample = { .head = { .size = 0 } };
	char *text;

	for (int i = 0; i < SYSTEM_CALL_ARGUMENTS; i++)
		call.arguments[i] = data_cases[_i].arguments[i];
	data_cases[_i].fill(&sample);
	ck_assert_int_eq(call_items_add(&items, &sample.head,
					(const uint8_t *)&sample,
					sizeof(sample)),
			 0);
	text = write_call(&call, data_cases[_i].name, false);
	ck_assert_str_eq(text, data_cases[_i].text);
	free(text);
	call_items_free(&items);
}
END_TEST

SUITE("call_argument")
{
	TEST_EACH(calls_are_written_as_strace_does, cases);
	TEST_EACH(what_arguments_refer_to_is_written_as_strace_does,
		  data_cases);
	TEST(what_was_not_recorded_is_not_made_up);
	TEST(the_first_and_the_last_name_are_found);
}
