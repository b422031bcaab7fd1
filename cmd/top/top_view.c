/* SPDX-License-Identifier: MIT */
#include "cmd/top/top_view.h"

#include <stdint.h>
#include <string.h>

static void move_up(struct top_view *view, size_t lines)
{
	view->first_line -= lines < view->first_line ? lines : view->first_line;
}

static void move_down(struct top_view *view, size_t lines)
{
	if (view->first_line < SIZE_MAX - lines)
		view->first_line += lines;
}

static void take_letter(struct top_view *view, char letter)
{
	for (int i = 0; i < TOP_TABLES; i++)
		if (top_tables[i].key == letter) {
			view->table = (enum top_table)i;
			view->first_line = 0;
		}
	if (letter == 'q' || letter == 'Q')
		view->has_quit = true;
	else if (letter == ' ')
		view->is_paused = !view->is_paused;
	else if (letter == 'k')
		move_up(view, 1);
	else if (letter == 'j')
		move_down(view, 1);
}

/* Handles a key's escape sequence, starting after ESC [ or ESC O, as xterm
 * sends it.
 */
static void take_sequence(struct top_view *view, char first)
{
	size_t page = view->page_lines > 1 ? view->page_lines - 1 : 1;

	switch (first) {
	case 'A':
		move_up(view, 1);
		break;
	case 'B':
		move_down(view, 1);
		break;
	case '5':
		move_up(view, page);
		break;
	case '6':
		move_down(view, page);
		break;
	case 'H':
	case '1':
		view->first_line = 0;
		break;
	case 'F':
	case '4':
		view->first_line = SIZE_MAX;
		break;
	default:
		break;
	}
}

/* Returns the length in bytes of the sequence at @bytes. */
static size_t sequence_length(const char *bytes, size_t count)
{
	size_t length = 2;

	if (count < 2 || (bytes[1] != '[' && bytes[1] != 'O'))
		return 1;
	while (length < count && bytes[length] >= ' ' && bytes[length] < '@')
		length++;
	return length < count ? length + 1 : count;
}

void top_view_keys(struct top_view *view, const char *bytes, size_t count)
{
	size_t length;

	for (size_t i = 0; i < count; i += length) {
		length = 1;
		if (bytes[i] == '\033')
			length = sequence_length(bytes + i, count - i);
		if (length > 2)
			take_sequence(view, bytes[i + 2]);
		else if (bytes[i] != '\033')
			take_letter(view, bytes[i]);
	}
}
