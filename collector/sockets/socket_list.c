/* SPDX-License-Identifier: MIT */
#include "collector/sockets/socket_list.h"

#include "collector/records/task_walk.h"
#include "collector/trigger/bpf_object.h"
#include "common/error.h"
#include "common/output_folder.h"

#include <fcntl.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

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

int socket_list_open(struct socket_list *list)
{
	struct namespace_walk walk = { .list = list, .seen = ARRAY_OF(ino_t) };
	int home = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);

	list->files = ARRAY_OF(int);
	if (home >= 0 && socket_iterator_open(&list->iterator))
		task_walk(pass_thread, add_namespace, &walk);
	if (walk.seen.count && setns(home, CLONE_NEWNET))
		walk.error = -ERROR_SYSTEM;
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
	socket_iterator_close(&list->iterator);
}

bool socket_list_is_known(const struct socket_list *list)
{
	return list->files.count;
}

/* Reads the sockets of one namespace into @sockets (struct socket_state). */
static void read_sockets(const struct socket_list *list, int file,
			 struct array *sockets)
{
	struct iterated_socket iterated;
	struct socket_state state;
	FILE *in = fdopen(dup(file), "r");

	if (!in)
		return;
	while (fread(&iterated, sizeof(iterated), 1, in) == 1) {
		struct socket_state *slot;

		if (!socket_iterator_read(&list->iterator, &iterated, &state))
			continue;
		slot = array_add(sockets);
		if (slot)
			*slot = state;
	}
	fclose(in);
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

static void write_sockets(FILE *out, const struct array *sockets)
{
	bool *ports = calloc(UINT16_MAX + 1, sizeof(*ports));

	if (ports)
		find_listened(sockets, ports);
	for (size_t i = 0; ports && i < sockets->count; i++) {
		struct socket_state *state = array_at(sockets, i);

		if (!is_open(state->state))
			continue;
		state->connection.is_server =
			ports[state->connection.local.port];
		connection_write(state->address, &state->connection, out);
	}
	free(ports);
}

static void write_lines(FILE *out, const void *ctx)
{
	const struct socket_list *list = ctx;
	const int *files = list->files.items;

	for (size_t i = 0; i < list->files.count; i++) {
		struct array sockets = ARRAY_OF(struct socket_state);

		read_sockets(list, files[i], &sockets);
		write_sockets(out, &sockets);
		array_free(&sockets);
	}
}

int socket_list_write(const struct socket_list *list,
		      const struct output_folder *folder, const struct log *log)
{
	return output_folder_write(folder, "sockets", write_lines, list, log);
}
