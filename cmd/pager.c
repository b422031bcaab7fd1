/* SPDX-License-Identifier: MIT */
#include "cmd/pager.h"

#include "cmd/command.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct pager {
	const char *command;
	FILE *out;	/* the user of pager_output() writes here */
	FILE *process;	/* NULL: not begun */
};

static const char *command_of_user(void)
{
	const char *command = getenv("KTRACE_PAGER");

	if (!command)
		command = getenv("PAGER");
	return command ? command : "less";
}

static ssize_t write_on(void *cookie, const char *text, size_t size)
{
	struct pager *pager = cookie;

	if (!pager->process) {
		/* An interrupt is for the pager, which stays. */
		signal(SIGINT, SIG_IGN);
		signal(SIGPIPE, SIG_IGN);
		setenv("LESS", "FRX", 0);
		pager->process = popen(pager->command, "we");
	}
	if (!pager->process)
		return -1;
	if (fwrite(text, 1, size, pager->process) < size ||
	    fflush(pager->process)) {
		/* The user has seen enough. */
		pclose(pager->process);
		_exit(EXIT_OK);
	}
	return (ssize_t)size;
}

struct pager *pager_new(void)
{
	const cookie_io_functions_t functions = { .write = write_on };
	const char *command = command_of_user();
	struct pager *pager;

	if (!isatty(STDOUT_FILENO) || !*command || !strcmp(command, "cat"))
		return NULL;
	pager = calloc(1, sizeof(*pager));
	if (!pager)
		return NULL;
	pager->command = command;
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

void pager_close(struct pager *pager)
{
	if (!pager)
		return;
	fclose(pager->out);
	if (pager->process)
		pclose(pager->process);
	free(pager);
}
