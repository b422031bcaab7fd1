/* SPDX-License-Identifier: MIT */
#ifndef KT_SERVE_MESSAGE_SOCKET_H
#define KT_SERVE_MESSAGE_SOCKET_H

#include <stddef.h>

/* Messages with descriptors, over a Unix socket of type SOCK_SEQPACKET. */

/* The maximum number of descriptors in one message. */
enum { MESSAGE_DESCRIPTORS = 64 };

/* Sends @size bytes at @bytes and the @count descriptors @fds, which the caller
 * still owns. Blocks unless the socket is non-blocking.
 *
 * Returns 0, or -ERROR_SYSTEM with errno set: EPIPE if the other end has
 * closed.
 */
int message_send(int socket, const void *bytes, size_t size, const int *fds,
		 size_t count);

/* Receives a message of at most @room bytes and its *@count descriptors @fds,
 * which the caller closes.
 *
 * Returns its size, 0 if the other end has closed; -ERROR_SYSTEM with errno
 * set; -ERROR_FORMAT if it was longer, or had more descriptors.
 */
int message_receive(int socket, void *bytes, size_t room,
		    int fds[MESSAGE_DESCRIPTORS], size_t *count);

#endif
