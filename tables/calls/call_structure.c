/* SPDX-License-Identifier: MIT */
#include "tables/calls/call_value_internal.h"

#include "attribution/calls/call_items.h"
#include "common/bytes.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>

/* Writes the structures that arguments point to (call_value_internal.h), in the
 * format of strace 6.1. Their layout is that of 64-bit programs (include/uapi);
 * they end where the recorded bytes end.
 */

/* Writes a byte of a string. Control characters and bytes above ASCII are octal
 * numbers, with as few digits as possible: all three if @next is a digit.
 */
static void write_byte(FILE *out, uint8_t byte, uint8_t next)
{
	static const char escaped[] = "\t\n\v\f\r";
	static const char letters[] = "tnvfr";
	const char *found = byte ? strchr(escaped, byte) : NULL;

	if (found)
		fprintf(out, "\\%c", letters[found - escaped]);
	else if (byte == '"' || byte == '\\')
		fprintf(out, "\\%c", byte);
	else if (byte >= ' ' && byte < 0x7f)
		fputc(byte, out);
	else
		fprintf(out, isdigit(next) ? "\\%03o" : "\\%o", byte);
}

static void write_text(FILE *out, const uint8_t *bytes, size_t size,
		       bool is_cut)
{
	fputc('"', out);
	for (size_t i = 0; i < size; i++)
		write_byte(out, bytes[i], i + 1 < size ? bytes[i + 1] : 0);
	fputs(is_cut ? "\"..." : "\"", out);
}

static void write_string(FILE *out, const struct call_item *item)
{
	write_text(out, item->bytes, item->size - 1, item->size >= item->info);
}

/* Writes a list of texts. It ends with dots if not all of it was recorded. */
static void write_strings(FILE *out, const struct call_item *item)
{
	const char *separator = "";

	fputc('[', out);
	for (size_t at = 0; at < item->size;) {
		size_t length = strlen((const char *)item->bytes + at);

		fputs(separator, out);
		write_text(out, item->bytes + at, length, length >= 127);
		separator = ", ";
		at += length + 1;
	}
	fprintf(out, "%s]", item->info ? "" : separator[0] ? ", ..." : "...");
}

static void write_buffer(FILE *out, const struct call_item *item)
{
	write_text(out, item->bytes, item->size, item->size < item->info);
}

static void write_socket_path(FILE *out, struct byte_reader *reader)
{
	size_t size = byte_reader_left(reader);
	const uint8_t *path = byte_reader_bytes(reader, size);

	if (!size)
		return;
	fputs(", sun_path=", out);
	if (!*path) {
		/* An abstract name. */
		fputc('@', out);
		write_text(out, path + 1, size - 1, false);
		return;
	}
	write_text(out, path, strnlen((const char *)path, size), false);
}

static void write_ipv4(FILE *out, struct byte_reader *reader)
{
	char text[INET6_ADDRSTRLEN] = "?";
	uint16_t port = byte_reader_u16(reader);
	const uint8_t *address = byte_reader_bytes(reader, 4);

	if (address)
		inet_ntop(AF_INET, address, text, sizeof(text));
	fprintf(out, ", sin_port=htons(%u), sin_addr=inet_addr(\"%s\")",
		ntohs(port), text);
}

static void write_ipv6(FILE *out, struct byte_reader *reader)
{
	char text[INET6_ADDRSTRLEN] = "?";
	uint16_t port = byte_reader_u16(reader);
	uint32_t flow = byte_reader_u32(reader);
	const uint8_t *address = byte_reader_bytes(reader, 16);

	if (address)
		inet_ntop(AF_INET6, address, text, sizeof(text));
	fprintf(out,
		", sin6_port=htons(%u), sin6_flowinfo=htonl(%" PRIu32
		"), inet_pton(AF_INET6, \"%s\", &sin6_addr), "
		"sin6_scope_id=%" PRIu32,
		ntohs(port), ntohl(flow), text, byte_reader_u32(reader));
}

static void write_sockaddr(FILE *out, struct byte_reader *reader)
{
	uint16_t family = byte_reader_u16(reader);

	fputs("{sa_family=", out);
	call_value_write(out, CALL_FAMILY, family, false);
	if (family == AF_UNIX)
		write_socket_path(out, reader);
	else if (family == AF_INET)
		write_ipv4(out, reader);
	else if (family == AF_INET6)
		write_ipv6(out, reader);
	else if (byte_reader_left(reader))
		fputs(", ...", out);
	fputc('}', out);
}

static void write_times(FILE *out, struct byte_reader *reader, const char *part)
{
	int64_t seconds = (int64_t)byte_reader_u64(reader);

	fprintf(out, "{tv_sec=%" PRId64 ", tv_%s=%" PRId64 "}", seconds, part,
		(int64_t)byte_reader_u64(reader));
}

static void write_timespecs(FILE *out, struct byte_reader *reader)
{
	enum { NOW = (1 << 30) - 1, OMIT = (1 << 30) - 2 };

	for (int i = 0; i < 2; i++) {
		struct byte_reader ahead = *reader;
		uint64_t part;

		byte_reader_u64(&ahead);
		part = byte_reader_u64(&ahead);
		fputs(i ? ", " : "[", out);
		if (part == NOW || part == OMIT) {
			fputs(part == NOW ? "UTIME_NOW" : "UTIME_OMIT", out);
			*reader = ahead;
		} else {
			write_times(out, reader, "nsec");
		}
	}
	fputc(']', out);
}

static void write_timer(FILE *out, struct byte_reader *reader, const char *part)
{
	fputs("{it_interval=", out);
	write_times(out, reader, part);
	fputs(", it_value=", out);
	write_times(out, reader, part);
	fputc('}', out);
}

static void write_device(FILE *out, uint64_t device)
{
	fprintf(out, "makedev(0x%" PRIx64 ", 0x%" PRIx64 ")",
		(device >> 8 & 0xfff) | (device >> 32 & ~UINT64_C(0xfff)),
		(device & 0xff) | (device >> 12 & ~UINT64_C(0xff)));
}

/* Writes struct stat: that of x86's asm/stat.h, or of asm-generic/stat.h on
 * arm64.
 */
static void write_stat(FILE *out, struct byte_reader *reader, bool is_arm)
{
	enum { TYPE = 0170000, CHARACTERS = 0020000, BLOCKS = 0060000 };
	uint32_t mode;
	uint64_t device;

	byte_reader_bytes(reader, is_arm ? 16 : 24);
	mode = byte_reader_u32(reader);
	byte_reader_bytes(reader, 12);
	device = byte_reader_u64(reader);
	if (is_arm)
		byte_reader_u64(reader);
	fputs("{st_mode=", out);
	call_file_mode_write(out, mode);
	if ((mode & TYPE) == CHARACTERS || (mode & TYPE) == BLOCKS) {
		fputs(", st_rdev=", out);
		write_device(out, device);
	} else {
		fprintf(out, ", st_size=%" PRId64,
			(int64_t)byte_reader_u64(reader));
	}
	fputs(", ...}", out);
}

static void write_statx(FILE *out, struct byte_reader *reader)
{
	uint32_t mask = byte_reader_u32(reader);
	uint64_t attributes;
	uint16_t mode;

	byte_reader_u32(reader);
	attributes = byte_reader_u64(reader);
	byte_reader_bytes(reader, 12);
	mode = byte_reader_u16(reader);
	byte_reader_bytes(reader, 10);
	fprintf(out,
		"{stx_mask=0x%" PRIx32 ", stx_attributes=0x%" PRIx64
		", stx_mode=",
		mask, attributes);
	call_file_mode_write(out, mode);
	fprintf(out, ", stx_size=%" PRIu64 ", ...}", byte_reader_u64(reader));
}

/* An element of a list. */
struct element {
	struct byte_reader reader;
	const struct call_items *items;
	uint8_t argument;
	uint32_t place; /* offset in the list, in bytes */
};

typedef void write_element(FILE *out, struct element *element);

/* Writes a list in brackets: @write writes each complete element, of @unit
 * bytes.
 */
static void write_list(FILE *out, const struct call_item *item, size_t unit,
		       write_element *write, const struct call_items *items)
{
	struct element element = { .items = items, .argument = item->argument };
	const char *separator = "";

	fputc('[', out);
	for (size_t at = 0; at + unit <= item->size; at += unit) {
		element.reader = byte_reader_of(item->bytes + at, unit);
		element.place = (uint32_t)at;
		fputs(separator, out);
		write(out, &element);
		separator = ", ";
	}
	fputs(item->size < item->info ? ", ...]" : "]", out);
}

/* Writes the file between angle brackets. Angle brackets in its name are
 * written as octal escapes.
 */
static void write_file(FILE *out, const struct call_item *item)
{
	char text[1024];
	const char *name = call_file_text(item, text, sizeof(text));

	fputc('<', out);
	for (size_t i = 0; name[i]; i++) {
		/* The arrow in the name of a connection is written as "->". */
		bool is_arrow = name[i] == '>' && i && name[i - 1] == '-';

		if ((name[i] == '>' && !is_arrow) || name[i] == '<')
			fprintf(out, "\\%o", name[i]);
		else
			write_byte(out, (uint8_t)name[i], (uint8_t)name[i + 1]);
	}
	fputs(call_file_is_deleted(item) ? ">(deleted)" : ">", out);
}

static void write_file_at(FILE *out, const struct call_items *items,
			  uint8_t argument, uint32_t place)
{
	struct call_item item;

	if (call_items_file_at(items, argument, place, &item))
		write_file(out, &item);
}

static void write_pollfd(FILE *out, struct element *element)
{
	struct byte_reader *reader = &element->reader;

	fprintf(out, "{fd=%" PRId32, (int32_t)byte_reader_u32(reader));
	write_file_at(out, element->items, element->argument, element->place);
	fputs(", events=", out);
	call_poll_events_write(out, byte_reader_u16(reader));
	fputc('}', out);
}

enum { POLLFD_BYTES = 8, IOVEC_BYTES = 16, EPOLL_BYTES = 12 };

/* Writes the descriptors that have returned events. */
static void write_revents(FILE *out, const struct call_item *item)
{
	const char *separator = "";

	for (size_t at = 0; at + POLLFD_BYTES <= item->size;
	     at += POLLFD_BYTES) {
		struct byte_reader reader =
			byte_reader_of(item->bytes + at, POLLFD_BYTES);
		int32_t fd = (int32_t)byte_reader_u32(&reader);
		uint16_t revents;

		byte_reader_u16(&reader);
		revents = byte_reader_u16(&reader);
		if (!revents)
			continue;
		fprintf(out, "%s{fd=%" PRId32 ", revents=", separator, fd);
		call_poll_events_write(out, revents);
		fputc('}', out);
		separator = ", ";
	}
}

void call_poll_result_write(FILE *out, const struct call_items *items,
			    int64_t result)
{
	struct call_item item;

	if (!call_items_data(items, 0, &item))
		return;
	if (!result) {
		fputs(" (Timeout)", out);
		return;
	}
	fputs(" ([", out);
	write_revents(out, &item);
	fputs("])", out);
}

static void write_epoll_event(FILE *out, struct byte_reader *reader,
			      bool is_arm)
{
	uint32_t events = byte_reader_u32(reader);
	uint64_t data;

	if (is_arm)
		byte_reader_u32(reader);
	data = byte_reader_u64(reader);
	fputs("{events=", out);
	call_epoll_events_write(out, events);
	fprintf(out, ", data={u32=%" PRIu32 ", u64=%" PRIu64 "}}",
		(uint32_t)data, data);
}

static void write_epoll_of_x86(FILE *out, struct element *element)
{
	write_epoll_event(out, &element->reader, false);
}

static void write_epoll_of_arm(FILE *out, struct element *element)
{
	write_epoll_event(out, &element->reader, true);
}

static void write_iovec(FILE *out, struct element *element)
{
	uint64_t base = byte_reader_u64(&element->reader);

	fprintf(out, "{iov_base=0x%" PRIx64 ", iov_len=%" PRIu64 "}", base,
		byte_reader_u64(&element->reader));
}

static void write_signal_name(FILE *out, int number)
{
	const char *name = sigabbrev_np(number);

	if (name)
		fputs(name, out);
	else if (number == 32)
		fputs("RTMIN", out);
	else
		fprintf(out, "RT_%d", number - 32);
}

/* Writes a set of signals. One with more than MANY is written as "~[...]", with
 * those that are not in it.
 */
static void write_signals(FILE *out, uint64_t set)
{
	enum { MANY = 42 };
	bool is_inverse = __builtin_popcountll(set) > MANY;
	const char *separator = "";

	fputs(is_inverse ? "~[" : "[", out);
	if (is_inverse)
		set = ~set;
	for (int i = 0; i < 64; i++) {
		if (!(set >> i & 1))
			continue;
		fputs(separator, out);
		write_signal_name(out, i + 1);
		separator = " ";
	}
	fputc(']', out);
}

static void write_sigaction(FILE *out, struct byte_reader *reader)
{
	static const char *const handlers[] = { "SIG_DFL", "SIG_IGN" };
	uint64_t handler = byte_reader_u64(reader);
	uint64_t flags = byte_reader_u64(reader);
	uint64_t restorer = byte_reader_u64(reader);

	fputs("{sa_handler=", out);
	if (handler < 2)
		fputs(handlers[handler], out);
	else
		fprintf(out, "0x%" PRIx64, handler);
	fputs(", sa_mask=", out);
	write_signals(out, byte_reader_u64(reader));
	fputs(", sa_flags=", out);
	call_action_flags_write(out, flags);
	if (flags & 0x04000000)
		fprintf(out, ", sa_restorer=0x%" PRIx64, restorer);
	fputc('}', out);
}

static void write_status(FILE *out, int status)
{
	if (WIFEXITED(status)) {
		fprintf(out, "[{WIFEXITED(s) && WEXITSTATUS(s) == %d}]",
			WEXITSTATUS(status));
	} else if (WIFSIGNALED(status)) {
		fputs("[{WIFSIGNALED(s) && WTERMSIG(s) == ", out);
		call_signal_write(out, WTERMSIG(status));
		fputs(WCOREDUMP(status) ? " && WCOREDUMP(s)}]" : "}]", out);
	} else if (WIFSTOPPED(status)) {
		fputs("[{WIFSTOPPED(s) && WSTOPSIG(s) == ", out);
		call_signal_write(out, WSTOPSIG(status));
		fputs("}]", out);
	} else {
		fprintf(out, "[0x%x]", (unsigned int)status);
	}
}

static void write_limit(FILE *out, uint64_t limit)
{
	if (limit == UINT64_MAX)
		fputs("RLIM64_INFINITY", out);
	else if (limit > 1024 && !(limit % 1024))
		fprintf(out, "%" PRIu64 "*1024", limit / 1024);
	else
		fprintf(out, "%" PRIu64, limit);
}

static void write_limits(FILE *out, struct byte_reader *reader)
{
	fputs("{rlim_cur=", out);
	write_limit(out, byte_reader_u64(reader));
	fputs(", rlim_max=", out);
	write_limit(out, byte_reader_u64(reader));
	fputc('}', out);
}

static void write_utsname(FILE *out, struct byte_reader *reader)
{
	enum { NAME_BYTES = 65 };
	static const char *const names[] = { "{sysname=", ", nodename=" };

	for (size_t i = 0; i < 2; i++) {
		const uint8_t *name = byte_reader_bytes(reader, NAME_BYTES);

		if (!name)
			break;
		fputs(names[i], out);
		write_text(out, name, strnlen((const char *)name, NAME_BYTES),
			   false);
	}
	fputs(", ...}", out);
}

/* Writes struct user_msghdr. */
static void write_message(FILE *out, struct byte_reader *reader)
{
	uint64_t name = byte_reader_u64(reader);
	uint32_t name_size = (uint32_t)byte_reader_u64(reader);
	uint64_t vectors = byte_reader_u64(reader);
	uint64_t count = byte_reader_u64(reader);

	fputs("{msg_name=", out);
	call_value_write(out, CALL_POINTER, name, false);
	fprintf(out,
		", msg_namelen=%" PRIu32 ", msg_iov=0x%" PRIx64
		", msg_iovlen=%" PRIu64,
		name_size, vectors, count);
	byte_reader_u64(reader);
	fprintf(out, ", msg_controllen=%" PRIu64 "}", byte_reader_u64(reader));
}

static void write_descriptors(FILE *out, struct byte_reader *reader,
			      const struct call_items *items, uint8_t argument)
{
	for (uint32_t i = 0; i < 2; i++) {
		fprintf(out, "%s%" PRId32, i ? ", " : "[",
			(int32_t)byte_reader_u32(reader));
		write_file_at(out, items, argument, i * 4);
	}
	fputc(']', out);
}

/* Writes struct clone_args of linux/sched.h. */
static void write_clone_args(FILE *out, struct byte_reader *reader)
{
	uint64_t flags = byte_reader_u64(reader);
	uint64_t signal;
	uint64_t stack;

	byte_reader_bytes(reader, 24);
	signal = byte_reader_u64(reader);
	stack = byte_reader_u64(reader);
	fputs("{flags=", out);
	call_value_write(out, CALL_CLONE_FLAGS, flags & ~UINT64_C(0xff), false);
	fputs(", exit_signal=", out);
	call_signal_write(out, (int)signal);
	fprintf(out, ", stack=0x%" PRIx64 ", stack_size=0x%" PRIx64 ", ...}",
		stack, byte_reader_u64(reader));
}

static void write_open_how(FILE *out, struct byte_reader *reader, bool is_arm)
{
	uint64_t flags = byte_reader_u64(reader);

	byte_reader_u64(reader);
	fputs("{flags=", out);
	call_value_write(out, CALL_OPEN_FLAGS, flags, is_arm);
	fprintf(out, ", resolve=0x%" PRIx64 "}", byte_reader_u64(reader));
}

/* Writes a recorded string, list of strings or buffer. Returns false if @item
 * is of another kind.
 */
static bool write_memory(FILE *out, const struct call_item *item)
{
	switch (item->kind) {
	case CALL_DATA_STRING:
		write_string(out, item);
		return true;
	case CALL_DATA_STRINGS:
		write_strings(out, item);
		return true;
	case CALL_DATA_COUNTED:
	case CALL_DATA_MEASURED:
		write_buffer(out, item);
		return true;
	case CALL_DATA_NONE:
	case CALL_DATA_BYTES:
	case CALL_DATA_FILE:
	case CALL_DATA_FILE_AT:
	case CALL_DATA_KINDS:
		break;
	}
	return false;
}

/* Writes the size that the kernel stored for the socket address in the previous
 * argument. Returns false if that address was not recorded.
 */
static bool write_size(FILE *out, const struct call_items *items,
		       uint8_t number)
{
	struct call_item item;

	if (!number || !call_items_data(items, number - 1, &item) ||
	    item.kind != CALL_DATA_MEASURED)
		return false;
	fprintf(out, "[%" PRIu32 "]", item.info);
	return true;
}

bool call_structure_write(FILE *out, char letter,
			  const struct call_items *items, uint8_t number,
			  bool is_arm)
{
	struct call_item item;
	struct byte_reader reader;

	if (letter == CALL_SOCKADDR_SIZE)
		return write_size(out, items, number);
	if (!call_items_data(items, number, &item))
		return false;
	reader = byte_reader_of(item.bytes, item.size);
	switch (letter) {
	case CALL_POINTER:
		return write_memory(out, &item);
	case CALL_SOCKADDR:
		write_sockaddr(out, &reader);
		return true;
	case CALL_TIMESPEC:
		write_times(out, &reader, "nsec");
		return true;
	case CALL_TIMESPECS:
		write_timespecs(out, &reader);
		return true;
	case CALL_ITIMERSPEC:
		write_timer(out, &reader, "nsec");
		return true;
	case CALL_ITIMERVAL:
		write_timer(out, &reader, "usec");
		return true;
	case CALL_STAT:
		write_stat(out, &reader, is_arm);
		return true;
	case CALL_STATX:
		write_statx(out, &reader);
		return true;
	case CALL_POLLFDS:
		write_list(out, &item, POLLFD_BYTES, write_pollfd, items);
		return true;
	case CALL_EPOLL_EVENT:
		write_epoll_event(out, &reader, is_arm);
		return true;
	case CALL_EPOLL_EVENTS:
		write_list(out, &item, is_arm ? EPOLL_BYTES + 4 : EPOLL_BYTES,
			   is_arm ? write_epoll_of_arm : write_epoll_of_x86,
			   items);
		return true;
	case CALL_IOVECS:
		write_list(out, &item, IOVEC_BYTES, write_iovec, items);
		return true;
	case CALL_SIGSET:
		write_signals(out, byte_reader_u64(&reader));
		return true;
	case CALL_SIGACTION:
		write_sigaction(out, &reader);
		return true;
	case CALL_STATUS:
		write_status(out, (int)byte_reader_u32(&reader));
		return true;
	case CALL_RLIMIT:
		write_limits(out, &reader);
		return true;
	case CALL_UTSNAME:
		write_utsname(out, &reader);
		return true;
	case CALL_MESSAGE:
		write_message(out, &reader);
		return true;
	case CALL_OPTION:
		if (item.info != 4)
			return write_memory(out, &item);
		fprintf(out, "[%" PRId32 "]",
			(int32_t)byte_reader_u32(&reader));
		return true;
	case CALL_DESCRIPTORS:
		write_descriptors(out, &reader, items, number);
		return true;
	case CALL_CLONE_ARGS:
		write_clone_args(out, &reader);
		return true;
	case CALL_OPEN_HOW:
		write_open_how(out, &reader, is_arm);
		return true;
	default:
		return false;
	}
}

void call_descriptor_write(FILE *out, const struct call_items *items,
			   uint8_t number)
{
	struct call_item item;

	if (call_items_file(items, number, &item))
		write_file(out, &item);
}
