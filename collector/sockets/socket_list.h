/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_SOCKET_LIST_H
#define KT_COLLECTOR_SOCKET_LIST_H

#include "collector/sockets/socket_iterator.h"
#include "common/array.h"

#include <stdbool.h>

struct log;
struct output_folder;

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
 * Returns 0 or -ERROR_MEMORY. The caller must close it either way.
 */
int socket_list_open(struct socket_list *list);
void socket_list_close(struct socket_list *list);

/* Returns whether the kernel supports listing sockets. */
bool socket_list_is_known(const struct socket_list *list);

/* Writes the file sockets of @folder, once: a line for each connection
 * (connection_write()). The local end is considered the server if a socket
 * listens at its port.
 *
 * Returns 0, or a negative enum error with the reason in @log.
 */
int socket_list_write(const struct socket_list *list,
		      const struct output_folder *folder,
		      const struct log *log);

#endif
