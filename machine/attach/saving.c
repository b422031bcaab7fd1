/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/attach/saving.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PROMPT "(qemu) "

static int ask(struct saving *saving, const char *command)
{
	size_t length = strlen(command);

	saving->length = 0;
	saving->answer[0] = '\0';
	return write(saving->monitor, command, length) == (ssize_t)length ?
		       0 :
		       -EIO;
}

static int ask_status(struct saving *saving)
{
	return ask(saving, "info status\n");
}

int saving_resume(struct saving *saving, int monitor)
{
	saving->monitor = monitor;
	saving->step = SAVING_LOADING;
	return ask_status(saving);
}

int saving_start(struct saving *saving, int monitor, const char *path)
{
	/* Skip the monitor's greeting and first prompt. */
	while (read(monitor, saving->answer, sizeof(saving->answer)) > 0)
		;
	saving->monitor = monitor;
	saving->step = SAVING_STOPPING;
	saving->path = path;
	snprintf(saving->draft, sizeof(saving->draft), "%s.%d", path,
		 (int)getpid());
	return ask(saving, "stop\n");
}

bool saving_is_busy(const struct saving *saving)
{
	return saving->step != SAVING_IDLE;
}

static void let_go(struct saving *saving)
{
	saving->step = SAVING_IDLE;
	ask(saving, "cont\n");
}

static void drop(const struct saving *saving, const char *why)
{
	fprintf(stderr, "machine: the state is not saved: %.*s\n",
		(int)strcspn(why, "\r\n"), why);
	unlink(saving->draft);
}

static bool has_status(const struct saving *saving, const char *status)
{
	return strstr(saving->answer, status);
}

/* The functions that follow consume the answer to a step's command. They return
 * as saving_go_on() does.
 */
static bool stopped(struct saving *saving)
{
	char command[sizeof(saving->draft) + 32];

	saving->step = SAVING_WRITING;
	snprintf(command, sizeof(command), "migrate file:%s\n", saving->draft);
	ask(saving, command);
	return false;
}

/* The prompt returns when QEMU no longer reports the migration as active, which
 * is before its end. Until the end QEMU refuses "cont".
 */
static bool written(struct saving *saving)
{
	const char *error = strstr(saving->answer, "Error");

	if (error) {
		drop(saving, error);
		let_go(saving);
		return true;
	}
	saving->step = SAVING_ENDING;
	ask_status(saving);
	return false;
}

/* If several processes save at the same time, the first state stays, because
 * later runs may already depend on it.
 */
static void keep(const struct saving *saving)
{
	if (link(saving->draft, saving->path) && errno != EEXIST)
		drop(saving, strerror(errno));
	else
		unlink(saving->draft);
}

static bool ended(struct saving *saving)
{
	if (has_status(saving, "paused (finish-migrate)")) {
		ask_status(saving);
		return false;
	}
	if (!has_status(saving, "paused (postmigrate)"))
		drop(saving, "QEMU could not write it; is the disk full?");
	else
		keep(saving);
	let_go(saving);
	return true;
}

/* A loaded guest receives its settings before it continues. */
static bool loaded(struct saving *saving)
{
	if (has_status(saving, "VM status: paused\r"))
		let_go(saving);
	else
		ask_status(saving);
	return false;
}

static bool (*const take_answer[])(struct saving *) = {
	[SAVING_STOPPING] = stopped,
	[SAVING_WRITING] = written,
	[SAVING_ENDING] = ended,
	[SAVING_LOADING] = loaded,
};

static bool has_prompt(const struct saving *saving)
{
	size_t prompt = strlen(PROMPT);

	return saving->length >= prompt &&
	       !strcmp(saving->answer + saving->length - prompt, PROMPT);
}

/* The monitor redraws its line for each character, so only the end matters. */
static void read_answer(struct saving *saving)
{
	size_t half = sizeof(saving->answer) / 2;
	ssize_t got;

	if (saving->length > half) {
		memmove(saving->answer, saving->answer + saving->length - half,
			half);
		saving->length = half;
	}
	got = read(saving->monitor, saving->answer + saving->length, half - 1);
	if (got > 0)
		saving->length += (size_t)got;
	saving->answer[saving->length] = '\0';
}

bool saving_go_on(struct saving *saving)
{
	read_answer(saving);
	if (!has_prompt(saving))
		return false;
	return take_answer[saving->step](saving);
}
