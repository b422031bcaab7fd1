/* SPDX-License-Identifier: MIT */
#include "collector/sockets/socket_list.h"

#include "collector/records/start_records.h"
#include "collector/trigger/bpf_program.h"
#include "common/error.h"
#include "common/files/connection.h"
#include "common/files/output_folder.h"
#include "common/formats/kernel_types.h"
#include "common/log.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* The number of bytes that are read from the start of a socket. */
enum { SOCKET_BYTES_READ = 128 };

/* The output of the program. */
struct iterated_socket {
	uint64_t address;
	uint8_t bytes[SOCKET_BYTES_READ];
};

/* One socket. */
struct socket_state {
	uint64_t address;
	uint8_t state; /* TCP_ESTABLISHED, ... of netinet/tcp.h */
	struct connection connection; /* without is_server */
};

/* The program's registers. r1 is its argument, r10 its stack. */
enum { SOCKET = BPF_REG_7, SEQ_FILE = BPF_REG_8 };

/* Offsets in struct bpf_iter__tcp of the kernel. */
enum { CONTEXT_META = 0, CONTEXT_SOCKET = 8, META_SEQ_FILE = 0 };

static void make_program(struct bpf_code *code)
{
	const int size = sizeof(struct iterated_socket);

	bpf_load(code, BPF_DW, SOCKET, BPF_REG_1, CONTEXT_SOCKET);
	bpf_load(code, BPF_DW, SEQ_FILE, BPF_REG_1, CONTEXT_META);
	/* The kernel calls the program once more after the last socket. */
	bpf_leave_if(code, BPF_JEQ, SOCKET, 0);
	bpf_load(code, BPF_DW, SEQ_FILE, SEQ_FILE, META_SEQ_FILE);
	bpf_store(code, BPF_DW, BPF_REG_10, -size, SOCKET);
	bpf_move(code, BPF_REG_1, BPF_REG_10);
	bpf_compute_number(code, BPF_ADD, BPF_REG_1, -SOCKET_BYTES_READ);
	bpf_move_number(code, BPF_REG_2, SOCKET_BYTES_READ);
	bpf_move(code, BPF_REG_3, SOCKET);
	bpf_call(code, BPF_FUNC_probe_read_kernel);
	bpf_move(code, BPF_REG_1, SEQ_FILE);
	bpf_move(code, BPF_REG_2, BPF_REG_10);
	bpf_compute_number(code, BPF_ADD, BPF_REG_2, -size);
	bpf_move_number(code, BPF_REG_3, size);
	bpf_call(code, BPF_FUNC_seq_write);
	bpf_finish(code, 0);
}

static int offset_of(const struct kernel_types *types, const char *member,
		     int size)
{
	int offset = kernel_types_offset(types, "sock_common", member);

	return offset >= 0 && offset + size <= SOCKET_BYTES_READ ? offset : -1;
}

/* Sets the offsets of the members that are read. Kernels without IPv6 lack its
 * addresses. Returns whether the required ones exist.
 */
static bool find_members(struct socket_iterator *iterator,
			 const struct kernel_types *types)
{
	iterator->state = offset_of(types, "skc_state", 1);
	iterator->family = offset_of(types, "skc_family", 2);
	iterator->local_port = offset_of(types, "skc_num", 2);
	iterator->remote_port = offset_of(types, "skc_dport", 2);
	iterator->local_ipv4 = offset_of(types, "skc_rcv_saddr", 4);
	iterator->remote_ipv4 = offset_of(types, "skc_daddr", 4);
	iterator->local_ipv6 = offset_of(types, "skc_v6_rcv_saddr", 16);
	iterator->remote_ipv6 = offset_of(types, "skc_v6_daddr", 16);
	return iterator->state >= 0 && iterator->family >= 0 &&
	       iterator->local_port >= 0 && iterator->remote_port >= 0 &&
	       iterator->local_ipv4 >= 0 && iterator->remote_ipv4 >= 0;
}

static bool attach(struct socket_iterator *iterator,
		   const struct kernel_types *types)
{
	uint32_t function = kernel_types_function(types, "bpf_iter_tcp");
	struct bpf_code code = { .count = 0 };
	int program;

	if (!function || !find_members(iterator, types))
		return false;
	make_program(&code);
	program = bpf_iterator_load(&code, function);
	if (program < 0)
		return false;
	iterator->link = bpf_iterator_attach(program);
	close(program);
	return iterator->link >= 0;
}

/* Opens the iterator. Returns whether the kernel supports and permits it. */
static bool iterator_open(struct socket_iterator *iterator)
{
	struct kernel_types *types = kernel_types_running();

	iterator->link = -1;
	if (types)
		attach(iterator, types);
	kernel_types_free(types);
	return iterator->link >= 0;
}

static void iterator_close(struct socket_iterator *iterator)
{
	if (iterator->link >= 0)
		close(iterator->link);
	iterator->link = -1;
}

static uint16_t number_at(const struct iterated_socket *iterated, int offset)
{
	uint16_t number;

	memcpy(&number, iterated->bytes + offset, sizeof(number));
	return number;
}

static bool read_addresses(const struct socket_iterator *iterator,
			   const struct iterated_socket *iterated,
			   struct connection *connection)
{
	const uint8_t *bytes = iterated->bytes;
	uint16_t family = number_at(iterated, iterator->family);

	if (family == AF_INET) {
		endpoint_set_ipv4(&connection->local,
				  bytes + iterator->local_ipv4);
		endpoint_set_ipv4(&connection->remote,
				  bytes + iterator->remote_ipv4);
		return true;
	}
	if (family != AF_INET6 || iterator->local_ipv6 < 0 ||
	    iterator->remote_ipv6 < 0)
		return false;
	memcpy(connection->local.address, bytes + iterator->local_ipv6, 16);
	memcpy(connection->remote.address, bytes + iterator->remote_ipv6, 16);
	return true;
}

/* Parses an output of the program. Returns whether it is a socket of IPv4 or
 * IPv6.
 */
static bool iterator_read(const struct socket_iterator *iterator,
			  const struct iterated_socket *iterated,
			  struct socket_state *state)
{
	*state = (struct socket_state){
		.address = iterated->address,
		.state = iterated->bytes[iterator->state],
	};
	state->connection.local.port =
		number_at(iterated, iterator->local_port);
	state->connection.remote.port =
		ntohs(number_at(iterated, iterator->remote_port));
	return read_addresses(iterator, iterated, &state->connection);
}

/* The namespaces found so far, while a list is prepared. */
struct namespace_walk {
	struct socket_list *list;
	struct array seen; /* ino_t */
	int error;
};

static bool is_new(struct namespace_walk *walk, ino_t inode)
{
	const ino_t *seen = walk->seen.items;
	ino_t *slot;

	for (size_t i = 0; i < walk->seen.count; i++)
		if (seen[i] == inode)
			return false;
	slot = array_add(&walk->seen);
	if (!slot) {
		walk->error = -ERROR_MEMORY;
		return false;
	}
	*slot = inode;
	return true;
}

/* Adds this thread's present namespace. */
static void add_file(struct namespace_walk *walk)
{
	int fd = bpf_iterator_open(walk->list->iterator.link);
	int *slot = fd >= 0 ? array_add(&walk->list->files) : NULL;

	if (slot) {
		*slot = fd;
	} else if (fd >= 0) {
		close(fd);
		walk->error = -ERROR_MEMORY;
	}
}

static void add_namespace(void *ctx, pid_t process)
{
	struct namespace_walk *walk = ctx;
	struct stat stat;
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/ns/net", (int)process);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	/* The process may have ended since it was listed. */
	if (fd < 0)
		return;
	if (!fstat(fd, &stat) && is_new(walk, stat.st_ino) &&
	    !setns(fd, CLONE_NEWNET))
		add_file(walk);
	close(fd);
}

static void pass_thread(void *ctx, pid_t process, pid_t thread)
{
	(void)ctx;
	(void)process;
	(void)thread;
}

int socket_list_open(struct socket_list *list, const struct log *log)
{
	struct namespace_walk walk = { .list = list, .seen = ARRAY_OF(ino_t) };
	int home = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);

	list->files = ARRAY_OF(int);
	if (home >= 0 && iterator_open(&list->iterator))
		task_walk(pass_thread, add_namespace, &walk);
	if (walk.seen.count && setns(home, CLONE_NEWNET)) {
		walk.error = -ERROR_SYSTEM;
		log_message(log, LOG_ERROR, "/proc/self/ns/net", LOG_NO_OFFSET,
			    "cannot return to this network namespace: %s",
			    strerror(errno));
	}
	if (home >= 0)
		close(home);
	array_free(&walk.seen);
	return walk.error;
}

void socket_list_close(struct socket_list *list)
{
	const int *files = list->files.items;

	for (size_t i = 0; i < list->files.count; i++)
		close(files[i]);
	array_free(&list->files);
	iterator_close(&list->iterator);
}

bool socket_list_is_known(const struct socket_list *list)
{
	return list->files.count;
}

/* Reads the sockets of one namespace into @sockets (struct socket_state).
 * Returns 0, -ERROR_MEMORY, or -ERROR_SYSTEM with errno.
 */
static int read_sockets(const struct socket_list *list, int file,
			struct array *sockets)
{
	struct iterated_socket iterated;
	struct socket_state state;
	int fd = dup(file);
	FILE *in = fd < 0 ? NULL : fdopen(fd, "r");
	int error = 0;

	if (!in) {
		if (fd >= 0)
			close(fd);
		return -ERROR_SYSTEM;
	}
	while (!error && fread(&iterated, sizeof(iterated), 1, in) == 1)
		if (iterator_read(&list->iterator, &iterated, &state))
			error = array_append(sockets, &state);
	fclose(in);
	return error;
}

/* Marks the ports with a listening socket in @ports, by number. */
static void find_listened(const struct array *sockets, bool *ports)
{
	for (size_t i = 0; i < sockets->count; i++) {
		const struct socket_state *state = array_at(sockets, i);

		if (state->state == TCP_LISTEN)
			ports[state->connection.local.port] = true;
	}
}

/* Returns whether data can still pass through the connection, in at least one
 * direction.
 */
static bool is_open(uint8_t state)
{
	return state == TCP_ESTABLISHED || state == TCP_FIN_WAIT1 ||
	       state == TCP_FIN_WAIT2 || state == TCP_CLOSE_WAIT;
}

/* Writes the lines of @sockets. Returns 0 or -ERROR_MEMORY. */
static int write_sockets(FILE *out, const struct array *sockets)
{
	bool *ports = calloc(UINT16_MAX + 1, sizeof(*ports));

	if (!ports)
		return -ERROR_MEMORY;
	find_listened(sockets, ports);
	for (size_t i = 0; i < sockets->count; i++) {
		struct socket_state *state = array_at(sockets, i);

		if (!is_open(state->state))
			continue;
		state->connection.is_server =
			ports[state->connection.local.port];
		connection_write(state->address, &state->connection, out);
	}
	free(ports);
	return 0;
}

/* The list that is written, and the log for what cannot be. */
struct writing {
	const struct socket_list *list;
	const struct log *log;
};

static void write_lines(FILE *out, const void *ctx)
{
	const struct writing *writing = ctx;
	const int *files = writing->list->files.items;

	for (size_t i = 0; i < writing->list->files.count; i++) {
		struct array sockets = ARRAY_OF(struct socket_state);
		int error = read_sockets(writing->list, files[i], &sockets);

		if (!error)
			error = write_sockets(out, &sockets);
		if (error)
			log_message(writing->log, LOG_WARNING, "sockets",
				    LOG_NO_OFFSET,
				    "the connections of a network namespace "
				    "cannot be listed: %s",
				    error == -ERROR_SYSTEM ? strerror(errno) :
							     error_text(error));
		array_free(&sockets);
	}
}

int socket_list_write(const struct socket_list *list,
		      const struct output_folder *folder, const struct log *log)
{
	const struct writing writing = { list, log };

	return output_folder_write(folder, "sockets", write_lines, &writing,
				   log);
}
