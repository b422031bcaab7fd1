/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_SOCKET_LIST_H
#define KT_COLLECTOR_SOCKET_LIST_H

#include "collector/sockets/socket_iterator.h"
#include "common/array.h"

#include <stdbool.h>

struct log;
struct output_folder;

/* The TCP connections that there are when a recording begins.  All that takes
 * long is done before: reading it is then one walk over the kernel's sockets.
 */
struct socket_list {
	struct socket_iterator iterator;
	struct array files; /* int: one for each network namespace */
};

#define SOCKET_LIST_NONE ((struct socket_list){ .iterator = { .link = -1 } })

/* Prepares @list, which is none so far, to list the connections of the network
 * namespaces that processes are in.  A kernel that does not tell makes an empty list.
 *
 * Returns 0 or -ERROR_MEMORY.  Close it either way.
 */
int socket_list_open(struct socket_list *list);
void socket_list_close(struct socket_list *list);

/* Returns whether the kernel tells. */
bool socket_list_is_known(const struct socket_list *list);

/* Writes the file sockets of @folder, once: a line for each
 * connection (connection_write()).
 * Its local end accepted it if somebody listens at its port.
 *
 * Returns 0, or a negative enum error with the reason in @log.
 */
int socket_list_write(const struct socket_list *list,
		      const struct output_folder *folder,
		      const struct log *log);

#endif
