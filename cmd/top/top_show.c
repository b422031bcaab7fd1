/* SPDX-License-Identifier: MIT */
#include "cmd/top/top_show.h"

#include "cmd/command.h"
#include "cmd/console/console.h"
#include "cmd/top/top_options.h"
#include "cmd/top/top_round_internal.h"
#include "report/text/duration_text.h"
#include "report/text/name_text.h"
#include "report/text/record_writer.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

static void move_up(struct top_view *view, size_t lines)
{
	view->first_line -= lines < view->first_line ? lines : view->first_line;
}

static void move_down(struct top_view *view, size_t lines)
{
	if (view->first_line < SIZE_MAX - lines)
		view->first_line += lines;
}

static void consume_letter(struct top_view *view, char letter)
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
static void consume_sequence(struct top_view *view, char first)
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
			consume_sequence(view, bytes[i + 2]);
		else if (bytes[i] != '\033')
			consume_letter(view, bytes[i]);
	}
}

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

/* Returns whether a character is a control character. Those of Unicode beyond
 * ASCII start with C2 in UTF-8.
 */
static bool is_control(const unsigned char *byte)
{
	return *byte < ' ' || *byte == 0x7f ||
	       (*byte == 0xc2 && byte[1] >= 0x80 && byte[1] < 0xa0);
}

static bool is_continued(unsigned char byte)
{
	return (byte & 0xc0) == 0x80;
}

/* Writes the line at @line, cut at @columns. Returns the start of the next
 * line.
 */
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

/* xterm sequences: the alternate screen, the cursor, wrapping at the edge. */
#define ENTER "\033[?1049h\033[?25l\033[?7l"
#define LEAVE "\033[?7h\033[?25h\033[?1049l"

bool top_screen_is_there(void)
{
	const char *terminal = getenv("TERM");

	return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && terminal &&
	       *terminal && strcmp(terminal, "dumb") != 0;
}

/* Writes all of @text at once. */
static void top_screen_write(const char *text, size_t size)
{
	ssize_t count;

	while (size && ((count = write(STDOUT_FILENO, text, size)) > 0 ||
			(count < 0 && errno == EINTR))) {
		if (count < 0)
			continue;
		text += count;
		size -= (size_t)count;
	}
}

/* Switches the terminal to top's mode. Returns 0, or -1 after a message on
 * standard error.
 *
 * Signal keys stay enabled: Ctrl-C ends top, Ctrl-Z stops it.
 */
static int top_screen_enter(struct top_screen *screen)
{
	struct termios raw;

	if (tcgetattr(STDIN_FILENO, &screen->before) < 0) {
		say_of("top", "the terminal: %s", strerror(errno));
		return -1;
	}
	raw = screen->before;
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	raw.c_cc[VMIN] = 0;
	raw.c_cc[VTIME] = 0;
	tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw);
	top_screen_write(ENTER, strlen(ENTER));
	screen->is_on = true;
	return 0;
}

/* Restores the terminal, if top_screen_enter() changed it. */
static void top_screen_leave(struct top_screen *screen)
{
	if (!screen->is_on)
		return;
	top_screen_write(LEAVE, strlen(LEAVE));
	tcsetattr(STDIN_FILENO, TCSAFLUSH, &screen->before);
	screen->is_on = false;
}

static struct top_size top_screen_size(void)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 || !size.ws_row ||
	    !size.ws_col)
		return (struct top_size){ 24, 80 };
	return (struct top_size){ size.ws_row, size.ws_col };
}

static double percent_of(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void write_subject(const struct top_options *options, FILE *out)
{
	if (options->command)
		fprintf(out, "command %s", options->command[0]);
	else if (options->processes.count == 1)
		fprintf(out, "process %d", options->collector.processes[0]);
	else if (options->processes.count)
		fprintf(out, "%zu processes", options->processes.count);
	else
		fputs("all processes", out);
	if (options->collector.cpus)
		fprintf(out, ", CPUs %s", options->collector.cpus);
}

static void write_losses(const struct top_facts *facts, FILE *out)
{
	if (facts->is_cut_short)
		fputs(", ended at --max-size", out);
	if (facts->truncated)
		fprintf(out, ", trace lost %" PRIu64 " times (--buffer)",
			facts->truncated);
	if (facts->lost_records)
		fprintf(out, ", %" PRIu64 " records lost", facts->lost_records);
	if (facts->lost_code)
		fprintf(out, ", %" PRIu64 " pieces of code not copied",
			facts->lost_code);
	if (!facts->truncated && !facts->lost_records && !facts->lost_code)
		fputs(", nothing lost", out);
}

static void write_clock(uint64_t seconds, FILE *out)
{
	time_t time = (time_t)seconds;
	struct tm parts;
	char text[16];

	if (localtime_r(&time, &parts) &&
	    strftime(text, sizeof(text), "%H:%M:%S", &parts))
		fputs(text, out);
}

void top_text_head(const struct top_options *options,
		   const struct top_result *result, FILE *out)
{
	const struct top_facts *facts = &result->facts;
	char host[65] = "";

	gethostname(host, sizeof(host) - 1);
	fprintf(out, "ktrace-hw top  %s  ", host);
	write_clock(result->begin_s, out);
	fprintf(out, "  round %" PRIu64 ", %s  ", result->number,
		duration_text_of(result->round_ns).text);
	write_subject(options, out);
	if (facts->stage == TOP_NOTHING)
		fputs("\nnothing was traced", out);
	else
		fprintf(out, "\ntraced %s (%.0f %% of the time), %.1f MiB",
			duration_text_of(facts->traced_ns).text,
			percent_of(facts->traced_ns, result->round_ns),
			(double)facts->trace_bytes / (1 << 20));
	if (facts->stage != TOP_NOTHING)
		write_losses(facts, out);
	fprintf(out, "; top took %s of CPU (%.0f %%)\n",
		duration_text_of(result->cpu_ns).text,
		percent_of(result->cpu_ns, result->round_ns));
}

/* Writes a round as text: the head and all tables. */
static void top_text_round(const struct top_options *options,
			   const struct top_result *result, FILE *out)
{
	top_text_head(options, result, out);
	for (int i = 0; i < TOP_TABLES; i++)
		if (result->tables[i])
			fprintf(out, "\n== %s\n\n%s", top_tables[i].title,
				result->tables[i]);
	fputs("\n", out);
}

/* Returns the start of the last line of @said, "" if it is empty. */
static const char *top_text_last(const char *said)
{
	const char *last = said ? said : "";
	const char *end;

	while ((end = strchr(last, '\n')) && end[1])
		last = end + 1;
	return last;
}

/* Writes @json as one line: its newlines are only between tokens, never in
 * strings.
 */
static void write_in_line(const char *json, FILE *out)
{
	for (; *json; json++)
		if (*json != '\n')
			fputc(*json, out);
}

static void write_error(const struct top_result *result, FILE *out)
{
	char text[512];

	if (result->facts.stage == TOP_REPORTED) {
		fputs("null", out);
		return;
	}
	snprintf(text, sizeof(text), "%s", top_text_last(result->said));
	text[strcspn(text, "\n")] = '\0';
	json_string(out, text);
}

void top_text_json(const struct top_result *result, FILE *out)
{
	const struct top_facts *facts = &result->facts;

	fprintf(out,
		"{\"version\":1,\"round\":%" PRIu64 ",\"begin_s\":%" PRIu64
		",\"round_ns\":%" PRIu64 ",\"traced_ns\":%" PRIu64
		",\"trace\":%" PRIu64 ",\"is_cut_short\":%s"
		",\"lost_records\":%" PRIu64 ",\"truncated_trace\":%" PRIu64
		",\"cpu_ns\":%" PRIu64 ",\"error\":",
		result->number, result->begin_s, result->round_ns,
		facts->traced_ns, facts->trace_bytes,
		facts->is_cut_short ? "true" : "false", facts->lost_records,
		facts->truncated, result->cpu_ns);
	write_error(result, out);
	for (int i = 0; i < TOP_TABLES; i++) {
		fprintf(out, ",\"%s\":", top_tables[i].name);
		write_in_line(result->tables[i] ? result->tables[i] : "null",
			      out);
	}
	fputs("}\n", out);
}

struct top_show top_show_of(const struct top_options *options)
{
	return (struct top_show){
		.options = options,
		.is_screen = !options->is_once && !options->is_json &&
			     top_screen_is_there(),
	};
}

int top_show_begin(struct top_show *show)
{
	static const struct top_result nothing;

	if (!show->is_screen)
		return 0;
	if (top_screen_enter(&show->screen))
		return -1;
	top_show_again(show, &nothing);
	return 0;
}

int top_show_end(struct top_show *show)
{
	top_screen_leave(&show->screen);
	return show->has_failed ? -1 : 0;
}

int top_show_columns(const struct top_show *show)
{
	return show->is_screen ? top_screen_size().columns :
				 text_width_of(stdout);
}

static void write_keys(const struct top_view *view, FILE *out)
{
	fprintf(out, "space %s", view->is_paused ? "[paused]" : "pause");
	for (int i = 0; i < TOP_TABLES; i++)
		fprintf(out, "  %c %s%s%s", top_tables[i].key,
			i == (int)view->table ? "[" : "",
			top_tables[i].key_title,
			i == (int)view->table ? "]" : "");
	fputs("  q quit\n", out);
}

/* Prints the last line of the round's messages. */
static void write_said(const struct top_result *result, FILE *out)
{
	const char *last = top_text_last(result->said);

	if (result->number && result->facts.stage != TOP_REPORTED)
		fputs("this round failed: ", out);
	fprintf(out, "%.*s\n", (int)strcspn(last, "\n"), last);
}

static void write_head(const struct top_show *show,
		       const struct top_result *result, FILE *out)
{
	if (result->number)
		top_text_head(show->options, result, out);
	else
		fputs("ktrace-hw top\nthe first round is recorded\n", out);
	write_keys(&show->view, out);
	write_said(result, out);
}

static void draw(struct top_show *show, const struct top_result *result,
		 const char *head)
{
	const char *text = result->tables[show->view.table];
	char *frame;
	size_t size;
	FILE *out = open_memstream(&frame, &size);

	if (!out)
		return;
	top_frame_draw(&show->view, head, text ? text : "", top_screen_size(),
		       out);
	if (fclose(out) != EOF)
		top_screen_write(frame, size);
	free(frame);
}

void top_show_again(struct top_show *show, const struct top_result *result)
{
	char *head;
	size_t size;
	FILE *out = show->is_screen ? open_memstream(&head, &size) : NULL;

	if (!out)
		return;
	write_head(show, result, out);
	if (fclose(out) != EOF)
		draw(show, result, head);
	free(head);
}

static uint64_t hash_of(const char *text)
{
	uint64_t hash = 14695981039346656037u;

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 1099511628211u;
	return hash;
}

void top_show_said(struct top_show *show, const struct top_result *result)
{
	top_screen_leave(&show->screen);
	if (result->said)
		fputs(result->said, stderr);
}

void top_show_failure(struct top_show *show, const char *where, int cause)
{
	top_screen_leave(&show->screen);
	say_of("top", "no round can begin: %s%s%s", where ? where : "",
	       where ? ": " : "", strerror(cause));
}

/* Prints the round's messages, unless the last round had the same. */
static void say_news(struct top_show *show, const struct top_result *result)
{
	uint64_t hash = hash_of(result->said ? result->said : "");

	if (hash != show->said)
		top_show_said(show, result);
	show->said = hash;
}

void top_show_round(struct top_show *show, const struct top_result *result)
{
	if (show->is_screen) {
		top_show_again(show, result);
		return;
	}
	say_news(show, result);
	if (show->options->is_json)
		top_text_json(result, stdout);
	else
		top_text_round(show->options, result, stdout);
	if (!show->has_failed)
		show->has_failed = written_stdout() != EXIT_OK;
}

void top_show_stop(struct top_show *show, const struct top_result *result)
{
	top_screen_leave(&show->screen);
	raise(SIGSTOP);
	if (show->is_screen && !top_screen_enter(&show->screen))
		top_show_again(show, result);
}
