/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_TOP_SHOW_H
#define KT_CMD_TOP_SHOW_H

#include "cmd/top/top_screen.h"
#include "cmd/top/top_view.h"

#include <stdbool.h>
#include <stdint.h>

struct top_options;
struct top_result;

/* How rounds are shown: on a terminal one table at a time, else all as text or
 * JSON on standard output and messages on standard error.
 */
struct top_show {
	const struct top_options *options; /* borrowed */
	struct top_screen screen;
	struct top_view view;
	bool is_screen;
	bool has_failed; /* standard output was not written */
	uint64_t said;	 /* which messages were said last: a hash */
};

struct top_show top_show_of(const struct top_options *options);

/* Returns 0, or -1 with the reason on standard error. */
int top_show_begin(struct top_show *show);

/* Gives the terminal back.  Returns 0, or -1 with the reason on standard error:
 * not all output was written.
 */
int top_show_end(struct top_show *show);

/* Returns how wide a round's text should be. */
int top_show_columns(const struct top_show *show);

void top_show_round(struct top_show *show, const struct top_result *result);

/* Prints a round's messages where they can be read when top has ended. */
void top_show_said(struct top_show *show, const struct top_result *result);

/* Prints likewise that no round can begin for @cause, of errno. */
void top_show_failure(struct top_show *show, int cause);

/* The same round once more: the view or the window has changed. */
void top_show_again(struct top_show *show, const struct top_result *result);

/* Stops this process, the terminal being given back until it is continued. */
void top_show_stop(struct top_show *show, const struct top_result *result);

#endif
