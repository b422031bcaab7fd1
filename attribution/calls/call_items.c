/* SPDX-License-Identifier: MIT */
#include "attribution/calls/call_items.h"

#include "common/error.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

void call_items_free(struct call_items *items)
{
	byte_buffer_free(&items->bytes);
	*items = (struct call_items){ .bytes = { 0 } };
}

void call_items_clear(struct call_items *items)
{
	items->bytes.size = 0;
}

bool call_data_read(const uint8_t *raw, size_t size, struct call_data *head)
{
	if (size < sizeof(*head))
		return false;
	memcpy(head, raw, sizeof(*head));
	return head->size <= size - sizeof(*head);
}

/* Returns whether the item has its whole structure and, if it ends in a text,
 * the text's NUL.
 */
static bool has_end(const struct call_item *item)
{
	size_t facts = sizeof(struct call_data_file);
	struct call_data_file file;

	switch (item->kind) {
	case CALL_DATA_STRING:
		return item->size && !item->bytes[item->size - 1];
	case CALL_DATA_STRINGS:
		return !item->size || !item->bytes[item->size - 1];
	case CALL_DATA_FILE:
	case CALL_DATA_FILE_AT:
		if (item->size < facts)
			return false;
		memcpy(&file, item->bytes, facts);
		if (file.flags & CALL_FILE_SOCKET)
			return item->size ==
			       facts + sizeof(struct call_data_socket);
		return item->size == facts || !item->bytes[item->size - 1];
	case CALL_DATA_BYTES:
	case CALL_DATA_COUNTED:
	case CALL_DATA_MEASURED:
		return true;
	case CALL_DATA_NONE:
	case CALL_DATA_KINDS:
		break;
	}
	return false;
}

/* Reads the item at *@at of @size bytes, and moves *@at after it. Returns false
 * at the end or if the item is damaged.
 */
static bool read_item(const uint8_t *bytes, size_t size, size_t *at,
		      struct call_item *item)
{
	struct call_data_item head;
	size_t left = size - *at;

	if (left < sizeof(head))
		return false;
	memcpy(&head, bytes + *at, sizeof(head));
	left -= sizeof(head);
	if (head.size > left)
		return false;
	*item = (struct call_item){
		.kind = (enum call_data_kind)head.kind,
		.argument = head.argument,
		.info = head.info,
		.bytes = bytes + *at + sizeof(head),
		.size = head.size,
	};
	*at += sizeof(head);
	*at += head.size <= left - left % 8 ? (head.size + 7u) / 8 * 8 : left;
	return head.kind < CALL_DATA_KINDS &&
	       head.argument < CALL_DATA_PLACES && has_end(item);
}

/* Adds the items in @length bytes, or none of them if one is damaged, since the
 * positions of later items are then unknown.
 */
static int add_bytes(struct call_items *items, const uint8_t *bytes,
		     size_t length)
{
	struct call_item item;
	size_t at = 0;

	while (at < length)
		if (!read_item(bytes, length, &at, &item))
			length = 0;
	byte_buffer_align(&items->bytes, 8);
	byte_buffer_add(&items->bytes, bytes, length);
	if (!items->bytes.failed)
		return 0;
	call_items_free(items);
	return -ERROR_MEMORY;
}

int call_items_add(struct call_items *items, const struct call_data *head,
		   const uint8_t *raw, size_t size)
{
	size_t length = size - sizeof(*head);

	return add_bytes(items, raw + sizeof(*head),
			 length < head->size ? length : (size_t)head->size);
}

void call_items_pack(struct pack *pack, const struct call_items **items,
		     struct call_items *storage)
{
	uint32_t size = *items ? (uint32_t)(*items)->bytes.size : 0;
	const uint8_t *bytes;

	pack_u32(pack, &size);
	if (!pack->is_reading) {
		if (size)
			byte_buffer_add(&pack->out, (*items)->bytes.bytes,
					size);
		return;
	}
	bytes = byte_reader_bytes(&pack->reader, size);
	pack_check(pack, bytes && !add_bytes(storage, bytes, size));
	*items = !pack->failed && storage->bytes.size ? storage : NULL;
}

bool call_items_next(const struct call_items *items, size_t *at,
		     struct call_item *item)
{
	return read_item(items->bytes.bytes, items->bytes.size, at, item);
}

static bool is_file(const struct call_item *item)
{
	return item->kind >= CALL_DATA_FILE;
}

/* Finds the last item for @argument: a file if @wants_file, with @place its
 * position in an array of descriptors (UINT32_MAX: no array), else data.
 */
static bool find(const struct call_items *items, uint8_t argument,
		 bool wants_file, uint32_t place, struct call_item *item)
{
	struct call_item next;
	bool is_found = false;
	size_t at = 0;

	while (items && call_items_next(items, &at, &next)) {
		if (next.argument != argument || is_file(&next) != wants_file)
			continue;
		if (wants_file &&
		    place != (next.kind == CALL_DATA_FILE ? UINT32_MAX :
							    next.info))
			continue;
		*item = next;
		is_found = true;
	}
	return is_found;
}

bool call_items_file(const struct call_items *items, uint8_t argument,
		     struct call_item *item)
{
	return find(items, argument, true, UINT32_MAX, item);
}

bool call_items_data(const struct call_items *items, uint8_t argument,
		     struct call_item *item)
{
	return find(items, argument, false, 0, item);
}

bool call_items_file_at(const struct call_items *items, uint8_t argument,
			uint32_t place, struct call_item *item)
{
	return find(items, argument, true, place, item);
}

const char *call_items_path(const struct call_items *items)
{
	struct call_item item;
	size_t at = 0;

	while (items && call_items_next(items, &at, &item))
		if (item.kind == CALL_DATA_STRING)
			return (const char *)item.bytes;
	return NULL;
}

static bool is_directory_of_path(const struct call_item *item)
{
	struct call_data_file file;

	memcpy(&file, item->bytes, sizeof(file));
	return (file.mode & 0170000) == 0040000;
}

/* A directory that the call's path starts from is not the file that the call is
 * about.
 */
bool call_items_first_file(const struct call_items *items,
			   struct call_item *item)
{
	struct call_item next;
	bool has_path = call_items_path(items);
	bool is_found = false;
	size_t at = 0;

	while (items && call_items_next(items, &at, &next)) {
		if (!is_file(&next) ||
		    (has_path && next.argument != CALL_DATA_RESULT &&
		     is_directory_of_path(&next)))
			continue;
		if (!is_found)
			*item = next;
		is_found = true;
	}
	return is_found;
}

/* Writes the names of a path, each after a slash, from the root downwards.
 * @names has them in the opposite order, each with its NUL.
 */
static void write_names(const char *names, size_t size, FILE *out)
{
	while (size) {
		size_t start = size - 1;

		while (start && names[start - 1])
			start--;
		fprintf(out, "/%s", names + start);
		size = start;
	}
}

static const char *protocol_of(const struct call_data_socket *socket)
{
	bool is_ipv6 = socket->family == AF_INET6;

	if (socket->protocol == IPPROTO_TCP)
		return is_ipv6 ? "TCPv6" : "TCP";
	if (socket->protocol == IPPROTO_UDP)
		return is_ipv6 ? "UDPv6" : "UDP";
	return NULL;
}

static void write_address(const struct call_data_socket *socket,
			  const uint8_t *address, uint16_t port, FILE *out)
{
	char text[INET6_ADDRSTRLEN] = "?";

	inet_ntop(socket->family, address, text, sizeof(text));
	fprintf(out, socket->family == AF_INET6 ? "[%s]:%u" : "%s:%u", text,
		port);
}

static const char *unix_kind(uint16_t type)
{
	return type == SOCK_STREAM ? "UNIX-STREAM" :
	       type == SOCK_DGRAM  ? "UNIX-DGRAM" :
				     "UNIX-SEQPACKET";
}

static void write_socket(const struct call_data_file *file,
			 const struct call_data_socket *socket, FILE *out)
{
	const char *protocol = protocol_of(socket);
	bool is_internet = socket->family == AF_INET ||
			   socket->family == AF_INET6;

	if (!is_internet || !protocol || !socket->local_port) {
		fprintf(out, "%s:[%" PRIu64 "]",
			socket->family == AF_UNIX ? unix_kind(socket->type) :
			is_internet && protocol	  ? protocol :
						    "socket",
			file->inode);
		return;
	}
	fprintf(out, "%s:[", protocol);
	write_address(socket, socket->local, socket->local_port, out);
	if (socket->remote_port) {
		fputs("->", out);
		write_address(socket, socket->remote,
			      ntohs(socket->remote_port), out);
	}
	fputc(']', out);
}

/* Writes the name of a file in no directory: a pipe, an epoll descriptor, a
 * file in memory (memfd).
 */
static void write_detached(const struct call_data_file *file, const char *name,
			   FILE *out)
{
	if ((file->mode & 0170000) == 0010000)
		fprintf(out, "pipe:[%" PRIu64 "]", file->inode);
	else if (*name == '[')
		fprintf(out, "anon_inode:%s", name);
	else if (*name)
		fprintf(out, "/%s", name);
	else
		fprintf(out, "?:[%" PRIu64 "]", file->inode);
}

void call_file_write(const struct call_item *item, FILE *out)
{
	const size_t head = sizeof(struct call_data_file);
	const char *names = (const char *)item->bytes + head;
	struct call_data_socket socket;
	struct call_data_file file;
	size_t size = item->size - head;

	memcpy(&file, item->bytes, head);
	if (file.flags & CALL_FILE_SOCKET) {
		memcpy(&socket, item->bytes + head, sizeof(socket));
		write_socket(&file, &socket, out);
	} else if (file.flags & CALL_FILE_DETACHED) {
		write_detached(&file, size ? names : "", out);
	} else {
		fputs(file.flags & CALL_FILE_ROOTED ? "" : "...", out);
		write_names(names, size, out);
		if (!size)
			fputc('/', out);
	}
}

bool call_file_is_deleted(const struct call_item *item)
{
	const char *name =
		(const char *)item->bytes + sizeof(struct call_data_file);
	struct call_data_file file;

	memcpy(&file, item->bytes, sizeof(file));
	/* A file in memory, such as a memfd, never had a name in a folder: it
	 * counts as deleted, as in /proc/PID/fd. Pipes, "[eventfd]" and the
	 * like do not.
	 */
	if (file.flags & CALL_FILE_DETACHED)
		return item->size > sizeof(file) && *name && *name != '[';
	return file.flags & CALL_FILE_DELETED;
}

const char *call_file_text(const struct call_item *item, char *text,
			   size_t size)
{
	FILE *out = fmemopen(text, size, "w");

	*text = '\0';
	if (!out)
		return text;
	call_file_write(item, out);
	fclose(out);
	text[size - 1] = '\0';
	return text;
}
