/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_SOCKET_ITERATOR_H
#define KT_COLLECTOR_SOCKET_ITERATOR_H

#include "common/connection.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The kernel's own walk over its TCP sockets, by a BPF program that says of each
 * where it is in memory, which no other interface does, and what its first bytes
 * are (Linux 5.9 with its types in /sys/kernel/btf).
 */
struct socket_iterator {
	int link;
	/* Where struct sock_common has its members, in bytes. */
	int state;
	int family;
	int local_port;
	int remote_port;
	int local_ipv4;
	int remote_ipv4;
	int local_ipv6;
	int remote_ipv6;
};

/* How many of its first bytes are read. */
enum { SOCKET_BYTES_READ = 128 };

/* What the program writes. */
struct iterated_socket {
	uint64_t address;
	uint8_t bytes[SOCKET_BYTES_READ];
};

/* One socket. */
struct socket_state {
	uint64_t address;
	uint8_t state; /* TCP_ESTABLISHED, ... of netinet/tcp.h */
	struct connection connection; /* but for is_server */
};

/* Returns whether the kernel has it and lets us. */
bool socket_iterator_open(struct socket_iterator *iterator);
void socket_iterator_close(struct socket_iterator *iterator);

/* Reads what the program wrote.  Returns whether it is a socket of IPv4 or
 * IPv6.
 */
bool socket_iterator_read(const struct socket_iterator *iterator,
			  const struct iterated_socket *iterated,
			  struct socket_state *state);

#endif
