/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/attach/saving.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PROMPT "(qemu) "

/* It takes a second or two, on a busy host with a slow disk some more. */
enum { LIMIT_S = 120 };

static void begin(struct saving *saving, enum saving_step step, int monitor,
		  int64_t now_ns)
{
	saving->monitor = monitor;
	saving->step = step;
	saving->until_ns = now_ns + LIMIT_S * INT64_C(1000000000);
}

static int ask(struct saving *saving, const char *command)
{
	size_t length = strlen(command);

	saving->length = 0;
	saving->answer[0] = '\0';
	return write(saving->monitor, command, length) == (ssize_t)length
		       ? 0
		       : -EIO;
}

int saving_resume(struct saving *saving, int monitor, int64_t now_ns)
{
	begin(saving, SAVING_LOADING, monitor, now_ns);
	return ask(saving, "info status\n");
}

int saving_start(struct saving *saving, int monitor, const char *path,
		 int64_t now_ns)
{
	/* The monitor's greeting and first prompt. */
	while (read(monitor, saving->answer, sizeof(saving->answer)) > 0)
		;
	begin(saving, SAVING_STOPPING, monitor, now_ns);
	saving->path = path;
	snprintf(saving->draft, sizeof(saving->draft), "%s.%d", path,
		 (int)getpid());
	return ask(saving, "stop\n");
}

bool saving_is_busy(const struct saving *saving)
{
	return saving->step != SAVING_IDLE;
}

static void write_state(struct saving *saving)
{
	char command[sizeof(saving->draft) + 32];

	saving->step = SAVING_WRITING;
	snprintf(command, sizeof(command), "migrate file:%s\n", saving->draft);
	ask(saving, command);
}

static void let_go(struct saving *saving)
{
	saving->step = SAVING_IDLE;
	ask(saving, "cont\n");
}

static void finish(struct saving *saving)
{
	const char *error = strstr(saving->answer, "Error");

	if (error || rename(saving->draft, saving->path)) {
		if (!error)
			error = strerror(errno);
		fprintf(stderr, "machine: the state is not saved: %.*s\n",
			(int)strcspn(error, "\r\n"), error);
		unlink(saving->draft);
	}
	let_go(saving);
}

static bool has_prompt(const struct saving *saving)
{
	size_t prompt = strlen(PROMPT);

	return saving->length >= prompt &&
	       !strcmp(saving->answer + saving->length - prompt, PROMPT);
}

/* The monitor draws its line anew for each character: only the end matters. */
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
	if (saving->step == SAVING_WRITING) {
		finish(saving);
		return true;
	}
	if (saving->step == SAVING_STOPPING)
		write_state(saving);
	else if (strstr(saving->answer, "VM status: paused\r"))
		let_go(saving);
	else
		ask(saving, "info status\n");
	return false;
}

bool saving_give_up(struct saving *saving)
{
	bool was_saving = saving->step != SAVING_LOADING;

	fprintf(stderr, "machine: QEMU has not %s the guest's state in %d s\n",
		was_saving ? "saved" : "loaded", LIMIT_S);
	if (was_saving)
		unlink(saving->draft);
	let_go(saving);
	return was_saving;
}
