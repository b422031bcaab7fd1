/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_TOP_SHOW_H
#define KT_CMD_TOP_SHOW_H

#include "cmd/top/top_screen.h"
#include "cmd/top/top_view.h"

#include <stdbool.h>
#include <stdint.h>

struct top_options;
struct top_result;

/* Shows rounds: on a terminal one table at a time, else all tables as text or
 * JSON on standard output and messages on standard error.
 */
struct top_show {
	const struct top_options *options; /* borrowed */
	struct top_screen screen;
	struct top_view view;
	bool is_screen;
	bool has_failed; /* writing standard output failed */
	uint64_t said;	 /* hash of the last messages shown */
};

struct top_show top_show_of(const struct top_options *options);

/* Returns 0, or -1 after a message on standard error. */
int top_show_begin(struct top_show *show);

/* Restores the terminal. Returns 0, or -1 after a message on standard error if
 * output could not be written.
 */
int top_show_end(struct top_show *show);

/* Returns the width of a round's text in columns. */
int top_show_columns(const struct top_show *show);

void top_show_round(struct top_show *show, const struct top_result *result);

/* Prints a round's messages so that they stay visible after top has ended. */
void top_show_said(struct top_show *show, const struct top_result *result);

/* Like top_show_said(), but prints that no round can start because of @cause,
 * an errno value, of the folder @where unless that is NULL.
 */
void top_show_failure(struct top_show *show, const char *where, int cause);

/* Shows the same round again after the view or the window size has changed. */
void top_show_again(struct top_show *show, const struct top_result *result);

/* Stops this process (SIGSTOP); restores the terminal until it is continued. */
void top_show_stop(struct top_show *show, const struct top_result *result);

#endif
