/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_SOCKETS_SOCKET_LIST_H
#define KT_COLLECTOR_SOCKETS_SOCKET_LIST_H

/* The TCP connections that exist when a recording starts, by the address of
 * their struct sock: events of these sockets have no other mark of their
 * connection.
 *
 *	BTF: offsets ─► BPF program ─► socket_list_open(): an iterator for each
 *	                               network namespace
 *	                                  │ at the start
 *	                               socket_list_write(): kcore_dir/sockets
 *
 * 1. socket_list_open() does all slow work, before tracing starts.
 * 2. A kernel without BPF iterators or BTF has an empty list, which is no
 *    error.
 */

#include "common/array.h"

#include <stdbool.h>

struct log;
struct output_folder;

/* Lists the TCP sockets by the kernel's own iterator, for which a BPF program
 * writes the address of each socket and its first bytes; no other interface
 * reports the address. Requires Linux 5.9 with its types in /sys/kernel/btf.
 */
struct socket_iterator {
	int link;
	/* Byte offsets of members in struct sock_common. */
	int state;
	int family;
	int local_port;
	int remote_port;
	int local_ipv4;
	int remote_ipv4;
	int local_ipv6;
	int remote_ipv6;
};

/* The TCP connections that exist when a recording starts. All slow work is done
 * in advance: reading the list is then one walk over the kernel's sockets.
 */
struct socket_list {
	struct socket_iterator iterator;
	struct array files; /* int: one for each network namespace */
};

#define SOCKET_LIST_NONE ((struct socket_list){ .iterator = { .link = -1 } })

/* Prepares the empty @list to list the connections of the network namespaces of
 * all processes. If the kernel does not support this, the list stays empty.
 *
 * Returns 0; -ERROR_MEMORY; or -ERROR_SYSTEM, logged, if this thread cannot
 * return to its own network namespace. The caller must close @list either way.
 */
int socket_list_open(struct socket_list *list, const struct log *log);

void socket_list_close(struct socket_list *list);

/* Returns whether the kernel supports listing sockets. */
bool socket_list_is_known(const struct socket_list *list);

/* Writes the file sockets of @folder, once: a line for each connection
 * (connection_write()). The local end is considered the server if a socket
 * listens at its port. A namespace whose sockets need more memory than there is
 * is left out, with a warning in @log.
 *
 * Returns 0, or a negative enum error with the reason in @log.
 */
int socket_list_write(const struct socket_list *list,
		      const struct output_folder *folder,
		      const struct log *log);

#endif
