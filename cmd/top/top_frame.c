/* SPDX-License-Identifier: MIT */
#include "cmd/top/top_frame.h"

#include "cmd/top/top_view.h"

#include <stdbool.h>
#include <string.h>

/* xterm sequences: begin and end of an update that terminals may show at once;
 * cursor to the top left; clear to the end of the line, and everything below.
 */
#define UPDATE_BEGIN "\033[?2026h"
#define UPDATE_END "\033[?2026l"
#define TOP_LEFT "\033[H"
#define CLEAR_RIGHT "\033[K"
#define CLEAR_BELOW "\033[J"

static size_t count_lines(const char *text)
{
	size_t count = 0;

	for (; *text; count++) {
		text += strcspn(text, "\n");
		text += *text == '\n';
	}
	return count;
}

static const char *line_at(const char *text, size_t index)
{
	while (index-- && *text) {
		text += strcspn(text, "\n");
		text += *text == '\n';
	}
	return text;
}

/* Control characters of Unicode beyond ASCII start with C2 in UTF-8. */
static bool is_control(const unsigned char *byte)
{
	return *byte < ' ' || *byte == 0x7f ||
	       (*byte == 0xc2 && byte[1] >= 0x80 && byte[1] < 0xa0);
}

static bool is_continued(unsigned char byte)
{
	return (byte & 0xc0) == 0x80;
}

/* Returns the start of the next line. */
static const char *write_line(const char *line, int columns, FILE *out)
{
	const unsigned char *byte = (const unsigned char *)line;
	int column = 0;

	for (; *byte && *byte != '\n'; byte++) {
		bool begins = !is_continued(*byte);

		column += begins;
		if (column > columns)
			continue;
		if (is_control(byte)) {
			fputc('?', out);
			byte += *byte == 0xc2;
		} else {
			fputc(*byte, out);
		}
	}
	fputs(column < columns ? CLEAR_RIGHT : "", out);
	return (const char *)byte + (*byte == '\n');
}

static int write_lines(const char *text, int rows, int columns, FILE *out)
{
	int row = 0;

	for (; row < rows && *text; row++) {
		fputs(row ? "\r\n" : "", out);
		text = write_line(text, columns, out);
	}
	return row;
}

void top_frame_draw(struct top_view *view, const char *head, const char *text,
		    struct top_size size, FILE *out)
{
	size_t lines = count_lines(text);
	int row;

	fputs(UPDATE_BEGIN TOP_LEFT, out);
	row = write_lines(head, size.rows, size.columns, out);
	view->page_lines = (size_t)(size.rows - row);
	if (lines < view->page_lines)
		view->first_line = 0;
	else if (view->first_line > lines - view->page_lines)
		view->first_line = lines - view->page_lines;
	if (view->page_lines && lines && row)
		fputs("\r\n", out);
	row += write_lines(line_at(text, view->first_line), size.rows - row,
			   size.columns, out);
	fputs(row < size.rows ? "\r\n" CLEAR_BELOW : "", out);
	fputs(UPDATE_END, out);
}
