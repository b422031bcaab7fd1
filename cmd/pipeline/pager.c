/* SPDX-License-Identifier: MIT */
#include "cmd/pipeline/pager_internal.h"

#include "cmd/command.h"

#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct pager {
	const char *command; /* NULL: not wanted or not installed */
	FILE *out;	     /* stream that pager_output() returns */
	FILE *process;	     /* NULL: not started */
};

static bool is_in(const char *folder, size_t size, const char *program)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%.*s/%s", (int)size, folder, program);
	return !access(path, X_OK);
}

static bool is_installed(const char *program)
{
	const char *folder = getenv("PATH");

	while (folder && *folder) {
		size_t size = strcspn(folder, ":");

		if (is_in(folder, size, program))
			return true;
		folder += size + (folder[size] == ':');
	}
	return false;
}

/* Returns the command of the user's pager; NULL if the user wants none or has
 * none.
 */
static const char *command_of_user(void)
{
	const char *command = getenv("KTRACE_PAGER");

	if (!command)
		command = getenv("PAGER");
	if (!command)
		return is_installed("less") ? "less" : NULL;
	return *command && strcmp(command, "cat") ? command : NULL;
}

/* Returns whether the pager could not be run: these are the shell's exit codes
 * for that.
 */
static bool has_failed(int status)
{
	return WIFEXITED(status) && WEXITSTATUS(status) >= 126;
}

/* Ends the program when the user has left the pager before all output was
 * written.
 */
static void on_pager_end(int signal)
{
	int status = 0;

	(void)signal;
	wait(&status);
	_exit(has_failed(status) ? EXIT_FAILED : EXIT_OK);
}

/* Starts the pager. Only the pager receives Ctrl-C: it runs until the user
 * quits it.
 */
static void begin(struct pager *pager)
{
	if (!pager->command) {
		pager->process = stdout;
		return;
	}
	setenv("LESS", "FRX", 0);
	/* The pager may end before popen() returns. */
	signal(SIGCHLD, on_pager_end);
	pager->process = popen(pager->command, "we");
	if (!pager->process) {
		signal(SIGCHLD, SIG_DFL);
		return;
	}
	signal(SIGINT, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
}

static ssize_t write_on(void *cookie, const char *text, size_t size)
{
	struct pager *pager = cookie;

	if (!pager->process)
		begin(pager);
	if (!pager->process)
		return 0;
	/* A pager that closes the pipe may still show the text it has read. */
	if (fwrite(text, 1, size, pager->process) < size ||
	    fflush(pager->process)) {
		while (pager->command)
			pause();
		return 0;
	}
	return (ssize_t)size;
}

struct pager *pager_new(void)
{
	const cookie_io_functions_t functions = { .write = write_on };
	struct pager *pager;

	if (!isatty(STDOUT_FILENO))
		return NULL;
	pager = calloc(1, sizeof(*pager));
	if (!pager)
		return NULL;
	pager->command = command_of_user();
	pager->out = fopencookie(pager, "w", functions);
	if (pager->out)
		return pager;
	free(pager);
	return NULL;
}

FILE *pager_output(struct pager *pager)
{
	return pager ? pager->out : stdout;
}

bool pager_has_begun(const struct pager *pager)
{
	return pager && pager->process;
}

int pager_close(struct pager *pager)
{
	int status = 0;

	if (!pager)
		return 0;
	fclose(pager->out);
	if (pager->process && pager->command) {
		signal(SIGCHLD, SIG_DFL);
		status = pclose(pager->process);
	}
	free(pager);
	return has_failed(status) ? -1 : 0;
}
