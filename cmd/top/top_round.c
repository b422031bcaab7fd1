/* SPDX-License-Identifier: MIT */
#include "cmd/top/top_round_internal.h"

#include "cmd/console/console.h"
#include "cmd/options/report_options.h"
#include "cmd/report/attribution_command.h"
#include "cmd/top/top_options.h"
#include "common/clocks.h"
#include "common/files/output_folder.h"
#include "tables/table.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

const struct top_table_info top_tables[TOP_TABLES] = {
	[TOP_SLEEPS] = { 's', "sleeps", "sleeps", "sleeps", &sleeps_table },
	[TOP_CALLS] = { 'c', "system calls", "system calls", "syscalls",
			&syscalls_table },
	[TOP_INTERRUPTS] = { 'i', "interrupts", "interrupts", "interrupts",
			     &interrupts_table },
	[TOP_PROCESSES] = { 'p', "processes", "processes", "processes",
			    &processes_table },
	[TOP_SUMS] = { 'a', "sums", "all sleeps so far", "all_sleeps", NULL },
};

enum { MOST_TEXT_BYTES = 1 << 30 };

int top_result_write(const struct top_result *result, FILE *out)
{
	fwrite(&result->facts, sizeof(result->facts), 1, out);
	if (result->facts.stage == TOP_REPORTED)
		for (int i = 0; i < TOP_TABLES; i++) {
			uint64_t size = strlen(result->tables[i]);

			fwrite(&size, sizeof(size), 1, out);
			fwrite(result->tables[i], 1, size, out);
		}
	return fflush(out) == EOF || ferror(out) ? -1 : 0;
}

static char *read_text(FILE *in)
{
	uint64_t size;
	char *text;

	if (fread(&size, sizeof(size), 1, in) != 1 || size > MOST_TEXT_BYTES)
		return NULL;
	text = malloc(size + 1);
	if (text && fread(text, 1, size, in) == size) {
		text[size] = '\0';
		return text;
	}
	free(text);
	return NULL;
}

int top_result_read(struct top_result *result, FILE *in)
{
	struct top_facts *facts = &result->facts;
	bool is_whole = fread(facts, sizeof(*facts), 1, in) == 1;

	if (is_whole && facts->stage != TOP_REPORTED)
		return 0;
	for (int i = 0; i < TOP_TABLES && is_whole; i++) {
		result->tables[i] = read_text(in);
		is_whole = result->tables[i] != NULL;
	}
	if (is_whole)
		return 0;
	top_result_clear(result);
	return -1;
}

void top_result_clear(struct top_result *result)
{
	for (int i = 0; i < TOP_TABLES; i++)
		free(result->tables[i]);
	free(result->said);
	*result = (struct top_result){ 0 };
}

/* Reports run with low priority, recorders do not. */
enum { REPORT_NICE = 10 };

static void record(const struct top_options *options,
		   const struct output_folder *folder, struct top_facts *facts)
{
	struct collector_options collector = options->collector;
	struct collector_result result;

	collector.folder = folder;
	collector_run(&collector, &console_log, &result);
	*facts = (struct top_facts){
		.stage = result.end == COLLECTOR_FAILED ? TOP_NOTHING :
							  TOP_RECORDED,
		.is_cut_short = result.end == COLLECTOR_SIZE_REACHED,
		.is_target_gone = result.end == COLLECTOR_TARGET_GONE,
		.traced_ns = result.length_ns,
		.trace_bytes = result.trace_bytes,
		.truncated = result.truncated + result.full_parts,
		.lost_code = result.lost_code + result.late_code,
		.lost_records = result.lost_records,
	};
}

static int make_tables(const struct report_options *options, char **texts)
{
	struct attribution_request requests[TOP_SUMS];
	FILE *outs[TOP_TABLES];
	size_t sizes[TOP_TABLES];
	int status = 0;

	for (int i = 0; i < TOP_TABLES; i++) {
		outs[i] = open_memstream(&texts[i], &sizes[i]);
		if (!outs[i])
			status = -1;
	}
	for (int i = 0; i < TOP_SUMS; i++)
		requests[i] = (struct attribution_request){
			.table = top_tables[i].table,
			.is_quiet = true,
			/* The command may sleep for the whole round. */
			.may_be_empty = true,
			.rows = i == TOP_SLEEPS ? outs[TOP_SUMS] : NULL,
		};
	if (!status)
		status = run_attributions(options, requests, outs, TOP_SUMS);
	for (int i = 0; i < TOP_TABLES; i++)
		if (outs[i] && fclose(outs[i]) == EOF)
			status = -1;
	return status;
}

static int report(const struct top_options *options, const char *folder,
		  pid_t tree, char **texts)
{
	struct report_options wanted = {
		.input = folder,
		.format = options->is_json ? "json" : "text",
		.top = options->top,
		.trees = ARRAY_OF(int32_t),
	};
	int32_t *pid = tree ? array_add(&wanted.trees) : NULL;
	int status;

	if (pid)
		*pid = tree;
	status = tree && !pid ? -1 : make_tables(&wanted, texts);
	array_free(&wanted.trees);
	return status;
}

/* Records and makes the tables. Records to a folder inside @folder, because
 * @folder is locked: a report would take it for an unfinished recording.
 */
static void record_and_report(const struct top_options *options,
			      const struct output_folder *folder, pid_t tree,
			      struct top_result *result)
{
	struct output_folder recording;

	if (output_folder_sub(&recording, folder, "recording", &console_log))
		return;
	record(options, &recording, &result->facts);
	/* Fails if this process already has a higher nice value. */
	setpriority(PRIO_PROCESS, 0, REPORT_NICE);
	if (result->facts.stage == TOP_RECORDED &&
	    !report(options, recording.path, tree, result->tables))
		result->facts.stage = TOP_REPORTED;
	output_folder_close(&recording);
}

/* Does the work of one round, in a single-threaded process of its own: records
 * into a folder inside @folder, makes tables from the recording and writes the
 * result to @out (struct top_result). Errors are reported on standard error.
 *
 * If @tree is not 0, only rows of the process tree below process @tree are
 * included. Returns 0, or -1 if not all was written.
 */
static int top_work(const struct top_options *options,
		    const struct output_folder *folder, pid_t tree, FILE *out)
{
	struct top_result result = { 0 };
	int status;

	record_and_report(options, folder, tree, &result);
	status = top_result_write(&result, out);
	top_result_clear(&result);
	return status;
}

enum { NS_PER_S = 1000000000, MOST_SAID_BYTES = 1 << 16 };

static FILE *memory_file(const char *name)
{
	int fd = memfd_create(name, MFD_CLOEXEC);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w+");

	if (!file && fd >= 0)
		close(fd);
	return file;
}

static void close_files(struct top_round *round)
{
	if (round->out)
		fclose(round->out);
	if (round->said)
		fclose(round->said);
	round->out = round->said = NULL;
}

static void become_worker(const struct top_round *round, int columns)
{
	int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
	char text[16];
	sigset_t none;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	dup2(nothing, STDIN_FILENO);
	dup2(nothing, STDOUT_FILENO);
	dup2(fileno(round->said), STDERR_FILENO);
	snprintf(text, sizeof(text), "%d", columns);
	setenv("COLUMNS", text, 1);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static int start_process(struct top_round *round,
			 const struct top_options *options, pid_t tree,
			 int columns)
{
	fflush(NULL);
	round->pid = fork();
	if (round->pid == 0) {
		become_worker(round, columns);
		_exit(top_work(options, &round->folder, tree, round->out) ? 1 :
									    0);
	}
	if (round->pid > 0)
		round->ended = pidfd_open(round->pid, 0);
	if (round->pid > 0 && round->ended >= 0)
		return 0;
	if (round->pid > 0) {
		/* pidfd_open() does not exist before Linux 5.3. */
		kill(round->pid, SIGKILL);
		waitpid(round->pid, NULL, 0);
	}
	return -1;
}

int top_round_start(struct top_round *round, const struct top_options *options,
		    pid_t tree, int columns)
{
	int cause;

	*round = (struct top_round){
		.out = memory_file("round"),
		.said = memory_file("said"),
		.begin_ns = monotonic_ns(),
		.begin_s = (uint64_t)time(NULL),
	};
	if (round->out && round->said &&
	    !output_folder_temporary(&round->folder, NULL)) {
		if (!start_process(round, options, tree, columns))
			return 0;
		cause = errno;
		output_folder_discard(&round->folder);
	} else {
		cause = errno;
		round->where = round->out && round->said ?
				       output_temporary_path() :
				       NULL;
	}
	close_files(round);
	round->pid = 0;
	errno = cause;
	return -1;
}

static uint64_t ns_of(struct timeval time)
{
	return (uint64_t)time.tv_sec * NS_PER_S + (uint64_t)time.tv_usec * 1000;
}

static char *read_said(FILE *said)
{
	char *text = malloc(MOST_SAID_BYTES);

	rewind(said);
	if (text)
		text[fread(text, 1, MOST_SAID_BYTES - 1, said)] = '\0';
	return text;
}

static void say_signal(FILE *said, int status)
{
	fseek(said, 0, SEEK_END);
	if (WIFSIGNALED(status))
		fprintf(said,
			"ktrace-hw top: the round's process was ended by "
			"SIG%s\n",
			sigabbrev_np(WTERMSIG(status)));
}

void top_round_finish(struct top_round *round, struct top_result *result)
{
	struct rusage usage = { 0 };
	int status = 0;

	wait4(round->pid, &status, 0, &usage);
	close(round->ended);
	rewind(round->out);
	top_result_read(result, round->out);
	say_signal(round->said, status);
	result->said = read_said(round->said);
	result->begin_s = round->begin_s;
	result->cpu_ns = ns_of(usage.ru_utime) + ns_of(usage.ru_stime);
	output_folder_discard(&round->folder);
	close_files(round);
	round->pid = 0;
}

void top_round_drop(struct top_round *round)
{
	struct top_result unwanted = { 0 };

	if (!round->pid)
		return;
	kill(round->pid, SIGKILL);
	top_round_finish(round, &unwanted);
	top_result_clear(&unwanted);
}
