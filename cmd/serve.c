/* SPDX-License-Identifier: MIT */
#include "cmd/command.h"
#include "cmd/console/console.h"
#include "cmd/options/option_lists.h"
#include "cmd/record/record_values.h"
#include "cmd/top/top_loop.h"
#include "cmd/top/top_options.h"
#include "common/error.h"
#include "common/files/output_folder.h"

#include "serve/serve_message.h"
#include "serve/server.h"
#include "serve/service_socket.h"

#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct serve_options {
	const char *socket;
	const char *group;
	bool has_sums;
	char *delay; /* between slices, as top's --delay; NULL: 10 */
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
	"  --group GROUP  the group whose members it serves (ktrace-hw)\n"
	"  --sums[=S]     also records all CPUs for a fifth of each S seconds (10),\n"
	"                 and adds up all sleeps: see ktrace-hw top --service\n";

static const char *read_sums(void *options_, char *value)
{
	struct serve_options *options = options_;
	uint64_t delay_ns;

	options->has_sums = true;
	options->delay = value;
	return value ? record_value_seconds(&delay_ns, value) : NULL;
}

/* Parses the command line. Returns 0, or the exit code plus 1. */
static int read_options(struct serve_options *options, int argc, char **argv)
{
	static const struct own_option own_options[] = {
		{ "socket", "PATH", NULL, 0,
		  TEXT(struct serve_options, socket) },
		{ "group", "GROUP", NULL, 0,
		  TEXT(struct serve_options, group) },
		{ "sums", "[S]", NULL, 0, .effect = OPTION_READ,
		  .read = read_sums },
	};
	int status;

	*options = (struct serve_options){
		.socket = SERVE_SOCKET,
		.group = "ktrace-hw",
	};
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

/* The sums of sleeps, made by a process of their own. */
struct sums {
	struct output_folder folder;
	char path[PATH_MAX];
	pid_t pid; /* 0: none are made */
};

static int sums_begin(struct sums *sums, const struct serve_options *options)
{
	char command[] = "top";
	char delay[] = "--delay";
	char ten[] = "10";
	char *argv[] = { command, delay, options->delay ? options->delay : ten,
			 NULL };
	int error;

	*sums = (struct sums){ .pid = 0 };
	if (!options->has_sums)
		return 0;
	error = output_folder_temporary(&sums->folder, &console_log);
	if (error)
		return error;
	snprintf(sums->path, sizeof(sums->path), "%s/%s", sums->folder.path,
		 TOP_SUMS_FILE);
	sums->pid = top_sums_start(3, argv, &sums->folder);
	if (sums->pid > 0)
		return 0;
	say_of("serve", "--sums: %s", strerror(errno));
	sums->pid = 0;
	return -ERROR_SYSTEM;
}

static void sums_end(struct sums *sums)
{
	if (sums->pid) {
		kill(sums->pid, SIGTERM);
		waitpid(sums->pid, NULL, 0);
	}
	output_folder_discard(&sums->folder);
}

static int answer(const struct serve_options *options, gid_t group,
		  const struct listening_socket *listening,
		  const struct sums *sums)
{
	struct server *server = NULL;
	int error = server_open(listening->fd, group,
				sums->pid ? sums->path : NULL, &console_log,
				&server);

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
	struct sums sums;
	int error = listening_socket_open(&listening, options->socket, group,
					  &console_log);

	if (!error) {
		error = sums_begin(&sums, options);
		if (!error)
			error = answer(options, group, &listening, &sums);
		sums_end(&sums);
	}
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
