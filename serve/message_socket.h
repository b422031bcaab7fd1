/* SPDX-License-Identifier: MIT */
#ifndef KT_SERVE_MESSAGE_SOCKET_H
#define KT_SERVE_MESSAGE_SOCKET_H

#include <stddef.h>

/* Messages with descriptors, over a Unix socket of type SOCK_SEQPACKET. */

/* More than these do not come with one message. */
enum { MESSAGE_DESCRIPTORS = 64 };

/* Sends @size bytes at @bytes and the @count descriptors @fds, which stay the
 * caller's.  Waits as the socket does.
 *
 * Returns 0, or -ERROR_SYSTEM with errno set: EPIPE where nobody listens.
 */
int message_send(int socket, const void *bytes, size_t size, const int *fds,
		 size_t count);

/* Receives a message of at most @room bytes, with the descriptors that came with
 * it: the caller's to close, *@count of them.
 *
 * Returns its size, 0 if the other end has closed; -ERROR_SYSTEM with errno
 * set; -ERROR_FORMAT if it was longer, or had more descriptors.
 */
int message_receive(int socket, void *bytes, size_t room,
		    int fds[MESSAGE_DESCRIPTORS], size_t *count);

#endif
