/* SPDX-License-Identifier: MIT */
#include "view/http/server.h"

#include <errno.h>

/* For builds without libmicrohttpd, where report --html still works. */

struct view_server *view_server_start(const struct view_sources *sources,
				      uint16_t port)
{
	(void)sources;
	(void)port;
	errno = ENOSYS;
	return NULL;
}

void view_server_stop(struct view_server *server)
{
	(void)server;
}

const char *view_server_address(const struct view_server *server)
{
	(void)server;
	return "";
}
