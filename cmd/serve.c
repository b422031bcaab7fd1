/* SPDX-License-Identifier: MIT */
#include "cmd/command.h"
#include "cmd/console/console.h"
#include "cmd/options/option_lists.h"

#include "serve/serve_message.h"
#include "serve/server.h"
#include "serve/service_socket.h"

#include <grp.h>
#include <stdio.h>
#include <unistd.h>

struct serve_options {
	const char *socket;
	const char *group;
};

static const char usage[] =
	"usage: ktrace-hw serve [OPTION]...\n"
	"\n"
	"Lets programs without privileges trace their own calls by "
	"libktrace-hw:\n"
	"passes them the kernel's code and names, and the trace of their own\n"
	"threads.  Runs as root until it is stopped (Ctrl-C, SIGTERM).\n"
	"\n"
	"  --socket PATH  the socket that programs connect to (" SERVE_SOCKET
	")\n"
	"  --group GROUP  the group whose members it serves (ktrace-hw)\n";

/* Parses the command line. Returns 0, or the exit code plus 1. */
static int read_options(struct serve_options *options, int argc, char **argv)
{
	static const struct own_option own_options[] = {
		{ "socket", "PATH", NULL, 0,
		  TEXT(struct serve_options, socket) },
		{ "group", "GROUP", NULL, 0,
		  TEXT(struct serve_options, group) },
	};
	int status;

	*options = (struct serve_options){ SERVE_SOCKET, "ktrace-hw" };
	status = plain_options_read(OWN_LIST(own_options), usage, options, argc,
				    argv);
	if (status)
		return status;
	if (optind == argc)
		return 0;
	say_of("serve", "'%s': it takes only options", argv[optind]);
	return EXIT_USAGE + 1;
}

static int fail(const char *what, const char *reason)
{
	say_of("serve", "%s%s", what, reason);
	return EXIT_FAILED;
}

static int answer(const struct serve_options *options, gid_t group,
		  const struct listening_socket *listening)
{
	struct server *server = NULL;
	int error = server_open(listening->fd, group, &console_log, &server);

	if (!error) {
		note_of("serve", "members of %s are served at %s",
			options->group,
			listening->path ? listening->path : "systemd's socket");
		error = server_run(server);
	}
	server_close(server);
	return error;
}

static int serve(const struct serve_options *options, gid_t group)
{
	struct listening_socket listening;
	int error = listening_socket_open(&listening, options->socket, group,
					  &console_log);

	if (!error)
		error = answer(options, group, &listening);
	listening_socket_close(&listening);
	return error ? EXIT_FAILED : EXIT_OK;
}

static int run_serve(int argc, char **argv)
{
	struct serve_options options;
	int status = read_options(&options, argc, argv);
	const struct group *group;

	if (status)
		return status - 1;
	if (geteuid())
		return fail("", "must run as root: it passes on data that "
				"only root can read");
	group = getgrnam(options.group);
	if (!group)
		return fail(options.group,
			    ": no such group: create it (groupadd "
			    "--system), or name another with --group");
	return serve(&options, group->gr_gid);
}

const struct command serve_command = {
	.name = "serve",
	.summary = "let programs without privileges trace their own calls",
	.run = run_serve,
};
