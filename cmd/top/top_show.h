/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_TOP_TOP_SHOW_H
#define KT_CMD_TOP_TOP_SHOW_H

/* The display of `ktrace-hw top`: rounds on a terminal, or as text or JSON.
 *
 *	struct top_result ─► top_show_round() ─► a frame of one table, or all tables
 *	keys ─► top_view_keys() ─► top_show_again(): the round once more
 *
 * States: begun, by top_show_begin(), which switches the terminal to the
 * alternate screen; stopped meanwhile (top_show_stop()); ended, by
 * top_show_end().
 *
 * 1. The terminal is restored in top_show_end(), and while the process is
 *    stopped.
 * 2. Nothing is decoded here, so that keys have an effect at once.
 * 3. No name can be a terminal's command: control characters are shown as '?'.
 */

#include "cmd/top/top_round_internal.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <termios.h>

struct termios;
struct top_options;

/* The visible part of a round. A zeroed one is the start of the first table. */
struct top_view {
	enum top_table table;
	size_t first_line; /* of the table's text */
	size_t page_lines; /* lines of the table's text that are visible */
	bool is_paused;
	bool has_quit;
};

/* Applies the @count bytes of key input that a terminal sent; they must be
 * whole escape sequences.
 */
void top_view_keys(struct top_view *view, const char *bytes, size_t count);

/* A terminal's size in characters. */
struct top_size {
	int rows;
	int columns;
};

/* Draws one frame: the lines of @head, then those of @text from
 * @view->first_line on, which is reduced if @text is shorter. Lines are cut at
 * the edge, lines are not cleared before they are drawn (to avoid flicker), and
 * control characters are shown as '?'.
 */
void top_frame_draw(struct top_view *view, const char *head, const char *text,
		    struct top_size size, FILE *out);

/* The terminal while top uses it: alternate screen, no cursor, no echo, keys
 * read byte by byte. A zeroed one is not in use.
 */
struct top_screen {
	struct termios before;
	bool is_on;
};

/* Returns whether standard input and output are a terminal with cursor
 * addressing.
 */
bool top_screen_is_there(void);

/* Writes two lines: the number of the round, and how much was traced, how much
 * was lost and the cost of top itself.
 */
void top_text_head(const struct top_options *options,
		   const struct top_result *result, FILE *out);

/* Writes a round as one line, a JSON object. Its tables are as in report
 * --format=json; each is null if the round failed.
 */
void top_text_json(const struct top_result *result, FILE *out);

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

/* Switches the terminal to top's mode, if rounds are shown there. Returns 0, or
 * -1 after a message on standard error.
 */
int top_show_begin(struct top_show *show);

/* Restores the terminal. Returns 0, or -1 after a message on standard error if
 * output could not be written.
 */
int top_show_end(struct top_show *show);

/* Returns how many columns wide the text of a round may be. */
int top_show_columns(const struct top_show *show);

void top_show_round(struct top_show *show, const struct top_result *result);

/* Prints a round's messages so that they stay visible after top has ended. */
void top_show_said(struct top_show *show, const struct top_result *result);

/* Like top_show_said(), but prints that no round can start. @cause is the
 * reason, an errno value; @where is the folder that it concerns, or NULL.
 */
void top_show_failure(struct top_show *show, const char *where, int cause);

/* Shows the same round again after the view or the window size has changed. */
void top_show_again(struct top_show *show, const struct top_result *result);

/* Stops this process (SIGSTOP); restores the terminal until it is continued. */
void top_show_stop(struct top_show *show, const struct top_result *result);

#endif
