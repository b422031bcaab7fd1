/* SPDX-License-Identifier: MIT */
#include "cmd/command.h"
#include "cmd/console/console.h"
#include "cmd/options/option_lists.h"
#include "cmd/options/report_options.h"
#include "cmd/view/view_session.h"
#include "view/http/server.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct choice {
	uint64_t port;
	bool no_browser;
};

static const char *read_port(void *port, char *argument)
{
	return option_number(argument, UINT16_MAX, port) ? NULL : "a number";
}

static const struct own_option own_options[] = {
	{ "port", "N", "listen on port N (a free port)", 0,
	  READS(struct choice, port, read_port) },
	{ "no-browser", NULL, "only print the page's address", 0,
	  FLAG(struct choice, no_browser) },
};

static bool has_desktop(void)
{
	const char *x = getenv("DISPLAY");
	const char *wayland = getenv("WAYLAND_DISPLAY");

	return (x && *x) || (wayland && *wayland);
}

/* Opens the desktop's browser by xdg-open; a missing browser is not an error.
 */
static void open_browser(const char *address)
{
	char command[] = "xdg-open";
	char *url = strdup(address);
	char *arguments[] = { command, url, NULL };
	pid_t pid;

	if (url)
		posix_spawnp(&pid, command, NULL, NULL, arguments, environ);
	free(url);
}

/* Blocks SIGINT, SIGTERM and SIGHUP in the calling thread. The server's threads
 * do not block them, but Linux delivers a signal of the process to a thread in
 * sigwait(2) first (wants_signal() of kernel/signal.c). Until the page's data
 * is complete these signals end the program as usual.
 */
static sigset_t block_signals(void)
{
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGHUP);
	pthread_sigmask(SIG_BLOCK, &signals, NULL);
	return signals;
}

static void await_signal(void)
{
	sigset_t signals = block_signals();
	int number;

	sigwait(&signals, &number);
}

static int serve(struct view_session *view, const struct choice *choice)
{
	struct view_server *server =
		view_server_start(&view->sources, (uint16_t)choice->port);
	int status;

	if (!server && errno == ENOSYS) {
		say("this build cannot serve the page: run "
		    "scripts/dependencies.sh build and make, or write the page "
		    "to a file: ktrace-hw report --html=FILE");
		return EXIT_FAILED;
	}
	if (!server) {
		say("--port: cannot listen on 127.0.0.1: %s", strerror(errno));
		return EXIT_FAILED;
	}
	printf("%s\n", view_server_address(server));
	fflush(stdout);
	say("open this address in a browser; Ctrl-C ends the server");
	if (!choice->no_browser && has_desktop())
		open_browser(view_server_address(server));
	status = view_session_fill(view);
	if (!status)
		await_signal();
	view_server_stop(server);
	return status;
}

static int run_chosen(const struct report_options *options,
		      const struct choice *choice)
{
	struct view_session view;
	int status = view_session_open(&view, options);
	int close_status;

	if (!status)
		status = serve(&view, choice);
	close_status = view_session_close(&view);
	return status ? status : close_status;
}

static int run_view(int argc, char **argv)
{
	struct choice choice = { 0 };
	const struct option_set set = {
		.command = "view",
		.purpose = "Shows a recording as a page in a browser: "
			   "timeline, profiles, sleeps.",
		.has_no_tasks = true,
		.has_no_rows = true,
		.is_page = true,
		.takes_input = true,
		OWN_OPTIONS(own_options),
		.ctx = &choice,
	};
	struct report_options options;
	int status = report_options_read(&options, &set, argc, argv) - 1;

	if (status < 0)
		status = run_chosen(&options, &choice);
	report_options_free(&options);
	return status;
}

const struct command view_command = {
	.name = "view",
	.summary = "look at a recording in a browser",
	.run = run_view,
};
