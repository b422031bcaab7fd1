/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_SOCKET_ITERATOR_H
#define KT_COLLECTOR_SOCKET_ITERATOR_H

#include "common/connection.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The kernel's own walk over its TCP sockets, with a BPF program that writes
 * the address of each socket, which no other interface reports, and its first
 * bytes (Linux 5.9 with its types in /sys/kernel/btf).
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

/* Returns whether the kernel supports and permits it. */
bool socket_iterator_open(struct socket_iterator *iterator);
void socket_iterator_close(struct socket_iterator *iterator);

/* Parses an output of the program. Returns whether it is a socket of IPv4 or
 * IPv6.
 */
bool socket_iterator_read(const struct socket_iterator *iterator,
			  const struct iterated_socket *iterated,
			  struct socket_state *state);

#endif
