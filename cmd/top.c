/* SPDX-License-Identifier: MIT */
#include "cmd/command.h"
#include "cmd/console/console.h"
#include "cmd/machine/machine.h"
#include "cmd/top/top_loop.h"
#include "cmd/top/top_options.h"
#include "collector/collector.h"
#include "serve/serve_message.h"
#include "serve/service_socket.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int check_unit(void)
{
	const char *fix;
	const char *refusal = collector_refusal(SOURCE_TRACE_UNIT, &fix);

	if (refusal)
		say_of("top",
		       "%s (%s); to use a virtual machine that has one: "
		       "ktrace-hw top --machine -- COMMAND",
		       refusal, fix);
	return refusal ? -1 : 0;
}

static int fail(const char *socket, const char *reason)
{
	say_of("top", "%s: %s", socket, reason);
	return EXIT_FAILED;
}

/* Copies the file @fd to standard output. Returns the exit code. */
static int copy_out(const char *socket, int fd)
{
	char bytes[1 << 16];
	ssize_t size;

	while ((size = read(fd, bytes, sizeof(bytes))) > 0)
		if (fwrite(bytes, 1, (size_t)size, stdout) != (size_t)size)
			return fail("standard output", strerror(errno));
	return size < 0 ? fail(socket, strerror(errno)) : EXIT_OK;
}

/* Requests the sums on the connection @fd. Returns the exit code. */
static int request_sums(const char *socket, int fd)
{
	const struct serve_head head = serve_head_of(SERVE_SUMS);
	int fds[MESSAGE_DESCRIPTORS];
	union serve_reply reply;
	size_t count = 0;
	int size = -1;
	int code;

	if (!message_send(fd, &head, sizeof(head), NULL, 0))
		size = message_receive(fd, &reply, sizeof(reply), fds, &count);
	if (size < 0)
		return fail(socket, strerror(errno));
	if (!size || serve_reply_check(&reply, (size_t)size, count))
		code = fail(socket, "the service is of another version");
	else if (reply.head.kind == SERVE_REFUSED)
		code = fail(socket, reply.refused.text);
	else if (reply.head.kind == SERVE_SUMS)
		code = copy_out(socket, fds[0]);
	else
		code = fail(socket, "the service's answer is unknown");
	while (count)
		close(fds[--count]);
	return code;
}

/* Writes the sums of the service at @socket. Returns the exit code. */
static int write_service_sums(const char *path)
{
	struct sockaddr_un address;
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	int code;

	if (!service_address(path, &address))
		code = fail(path, "is too long a path for a socket");
	else if (fd < 0 || connect(fd, (const void *)&address, sizeof(address)))
		code = fail(path, strerror(errno));
	else
		code = request_sums(path, fd);
	if (fd >= 0)
		close(fd);
	return code;
}

static int run_top(int argc, char **argv)
{
	struct top_options options;
	int code = top_options_parse(&options, argc, argv);

	if (!code && options.help)
		top_options_help();
	else if (!code && options.service)
		code = write_service_sums(options.service);
	else if (!code && options.machine)
		code = machine_top(&options);
	else if (!code && check_unit())
		code = EXIT_FAILED;
	else if (!code)
		code = top_loop(&options);
	top_options_free(&options);
	return code;
}

const struct command top_command = {
	.name = "top",
	.summary = "show live where processes sleep, their system calls",
	.run = run_top,
};
