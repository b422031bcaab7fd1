/* SPDX-License-Identifier: MIT */
#include "cmd/machine/machine.h"

#include "cmd/command.h"
#include "cmd/console/console.h"
#include "cmd/record/record_options.h"
#include "cmd/top/top_options.h"
#include "cmd/top/top_show.h"
#include "common/array.h"
#include "common/files/output_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* Builds the command line of machine/host/machine, a bash script that runs a
 * command in a virtual machine, for record, top and `ktrace-hw machine`, and
 * executes it.
 */

/* Exit code if the machine cannot be started. */
enum { EXIT_MACHINE = 125 };

/* The virtual machine's program, relative to this program: in the source tree
 * and when installed.
 */
static const char *const places[] = {
	"../machine/host/machine",
	"../libexec/ktrace-hw/host/machine",
};

/* Sets @path to this program's own file.  Returns 0 or -1. */
static int machine_find_self(char path[PATH_MAX])
{
	ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);

	if (length < 0)
		return -1;
	path[length] = '\0';
	return 0;
}

/* Sets @path to the first of the @count executables @names; these are relative
 * to this program's folder. Returns 0 or -1.
 */
static int machine_find_beside(const char *const *names, size_t count,
			       char path[PATH_MAX])
{
	char self[PATH_MAX];
	char beside[PATH_MAX + 64];

	if (machine_find_self(self))
		return -1;
	*strrchr(self, '/') = '\0';
	for (size_t i = 0; i < count; i++) {
		snprintf(beside, sizeof(beside), "%s/%s", self, names[i]);
		if (!access(beside, X_OK) && realpath(beside, path))
			return 0;
	}
	return -1;
}

static int find_script(char script[PATH_MAX])
{
	return machine_find_beside(places, sizeof(places) / sizeof(*places),
				   script);
}

bool machine_is_installed(void)
{
	char script[PATH_MAX];

	return !find_script(script);
}

/* Appends @text; a NULL ends the list. Running out of memory ends the program.
 */
static void machine_add(struct array *arguments, const char *text)
{
	const char **item = array_add(arguments);

	if (!item) {
		say("out of memory");
		exit(EXIT_MACHINE);
	}
	*item = text;
}

/* Replaces this process with the script. @argv ends with NULL; its first
 * element is not used.
 *
 * Returns only if that fails: an exit code, after a message on standard error.
 */
static int machine_script_run(char **argv)
{
	struct array arguments = ARRAY_OF(char *);
	char script[PATH_MAX];

	if (find_script(script)) {
		say("the virtual machine is not installed: "
		    "machine/host/machine is missing beside the program");
		return EXIT_MACHINE;
	}
	machine_add(&arguments, "bash");
	machine_add(&arguments, script);
	do
		machine_add(&arguments, *++argv);
	while (*argv);
	execvp("bash", arguments.items);
	say("the virtual machine needs bash, which PATH does not lead to: %s",
	    strerror(errno));
	array_free(&arguments);
	return EXIT_MACHINE;
}

/* Paths of the recorder for a machine of another architecture: cross-built in
 * the source tree, or installed.
 */
static const char *const arm64_places[] = {
	"../build-arm64/ktrace-hw",
	"../libexec/ktrace-hw/arm64/ktrace-hw",
};

/* Splits @text into words in place and appends them. */
static void machine_add_words(struct array *arguments, char *text)
{
	char *rest = text;
	const char *word;

	while ((word = strsep(&rest, " ")))
		if (*word)
			machine_add(arguments, word);
}

/* Sets @path to the path at which the virtual machine of architecture @arch
 * (NULL: this machine's) finds this program. A machine of another architecture
 * has its own root file system, with the host's files in /host.
 *
 * Returns 0, or -1 after a message on standard error.
 */
static int machine_find_recorder(const char *arch, char path[PATH_MAX])
{
	const size_t count = sizeof(arm64_places) / sizeof(*arm64_places);
	char found[PATH_MAX];
	int length;

	if (!arch || strcmp(arch, "arm64")) {
		if (!machine_find_self(path))
			return 0;
		say("/proc/self/exe: %s", strerror(errno));
		return -1;
	}
	if (machine_find_beside(arm64_places, count, found)) {
		say("--arch arm64: the program for arm64 is not built: "
		    "scripts/arm64_sysroot.sh, then make ARCH=arm64");
		return -1;
	}
	length = snprintf(path, PATH_MAX, "/host%s", found);
	if (length < PATH_MAX)
		return 0;
	say("%s: %s", found, strerror(ENAMETOOLONG));
	return -1;
}

static sigset_t waited_signals(void)
{
	static const int numbers[] = { SIGCHLD, SIGINT, SIGQUIT, SIGTERM,
				       SIGHUP };
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		sigaddset(&set, numbers[i]);
	return set;
}

static _Noreturn void become(char **argv, pid_t parent, const sigset_t *mask)
{
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(EXIT_MACHINE);
	sigprocmask(SIG_SETMASK, mask, NULL);
	_exit(machine_script_run(argv));
}

/* Waits for the child and forwards signals to it, except those from the kernel:
 * the child receives a terminal's signals itself.
 */
static int wait_for(pid_t pid, const sigset_t *signals)
{
	siginfo_t info;
	int status;

	while (waitpid(pid, &status, WNOHANG) != pid) {
		int number = sigwaitinfo(signals, &info);

		if (number > 0 && number != SIGCHLD &&
		    info.si_code != SI_KERNEL)
			kill(pid, number);
	}
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) :
				     WEXITSTATUS(status);
}

/* Like machine_script_run(), but in a child process; returns when the machine
 * has ended. Terminating signals are forwarded to the child, and the child ends
 * with this process.
 *
 * Returns its exit code, 128 + N if signal N ended it.
 */
static int machine_child_run(char **argv)
{
	const sigset_t signals = waited_signals();
	const pid_t parent = getpid();
	sigset_t mask;
	pid_t pid;
	int code;

	fflush(NULL);
	sigprocmask(SIG_BLOCK, &signals, &mask);
	pid = fork();
	if (pid == 0)
		become(argv, parent, &mask);
	if (pid < 0) {
		say("the virtual machine: %s", strerror(errno));
		code = EXIT_MACHINE;
	} else {
		code = wait_for(pid, &signals);
	}
	sigprocmask(SIG_SETMASK, &mask, NULL);
	return code;
}

enum { FIRST_FD = 200 };

/* Adds this command's -q or -v: the machine does not inherit KTRACE_LOG. */
static void add_verbosity(struct array *arguments)
{
	if (is_verbose())
		machine_add(arguments, "--verbose");
	else if (!notes_are_shown())
		machine_add(arguments, "--quiet");
}

/* Adds the command that the machine runs: the recorder with its options, and
 * with the output folder on the host, independent of the guest's working
 * directory.
 */
static void add_recorder(struct array *arguments,
			 const struct record_options *options,
			 const char *recorder, const char *folder)
{
	const char *const *words = options->words.items;
	char *const *command = options->collector.command;

	machine_add(arguments, recorder);
	machine_add(arguments, "record");
	for (size_t i = 0; i < options->words.count; i++)
		machine_add(arguments, words[i]);
	add_verbosity(arguments);
	machine_add(arguments, "--output");
	machine_add(arguments, folder);
	machine_add(arguments, "--");
	while (*command)
		machine_add(arguments, *command++);
	machine_add(arguments, NULL);
}

/* Adds the folder that the guest may write to. @path is its name in the guest;
 * QEMU opens the descriptor with @number, even if another folder has that name
 * by then. Borrows both texts.
 */
static void add_results(struct array *arguments, const char *path,
			const char *number)
{
	/* Writing to the host during the recording would be traced, too. */
	machine_add(arguments, "--late-results");
	machine_add(arguments, "--results");
	machine_add(arguments, path);
	machine_add(arguments, "--results-fd");
	machine_add(arguments, number);
}

static int run(const struct record_options *options, const char *recorder,
	       const char *folder, int fd)
{
	struct array arguments = ARRAY_OF(char *);
	char *words = options->machine_options ?
			      strdup(options->machine_options) :
			      NULL;
	char number[16];
	int code;

	machine_add(&arguments, "machine");
	machine_add(&arguments, "run");
	if (options->arch) {
		machine_add(&arguments, "--arch");
		machine_add(&arguments, options->arch);
	}
	if (words)
		machine_add_words(&arguments, words);
	if (options->discard)
		machine_add(&arguments, "--discard");
	snprintf(number, sizeof(number), "%d", fd);
	add_results(&arguments, folder, number);
	machine_add(&arguments, "--");
	add_recorder(&arguments, options, recorder, folder);
	code = machine_child_run(arguments.items);
	free(words);
	array_free(&arguments);
	return code;
}

int machine_record(const struct record_options *options,
		   const struct output_folder *folder)
{
	char recorder[PATH_MAX];
	char path[PATH_MAX];
	int code;
	int fd;

	if (!realpath(options->folder, path)) {
		say("%s: %s", options->folder, strerror(errno));
		return EXIT_MACHINE;
	}
	if (machine_find_recorder(options->arch, recorder))
		return EXIT_MACHINE;
	/* QEMU inherits the descriptor. The lowest numbers are used for other
	 * files there.
	 */
	fd = fcntl(folder->fd, F_DUPFD, FIRST_FD);
	if (fd < 0) {
		say("%s: %s", options->folder, strerror(errno));
		return EXIT_MACHINE;
	}
	code = run(options, recorder, path, fd);
	close(fd);
	return code;
}

static void add_top(struct array *arguments, const struct top_options *options,
		    const char *program)
{
	const char *const *words = options->words.items;
	char *const *command = options->command;

	machine_add(arguments, program);
	machine_add(arguments, "top");
	for (size_t i = 0; i < options->words.count; i++)
		machine_add(arguments, words[i]);
	add_verbosity(arguments);
	machine_add(arguments, "--");
	while (*command)
		machine_add(arguments, *command++);
	machine_add(arguments, NULL);
}

int machine_top(const struct top_options *options)
{
	struct array arguments = ARRAY_OF(char *);
	bool has_terminal = !options->is_once && !options->is_json &&
			    top_screen_is_there();
	char program[PATH_MAX];
	char *words = options->machine_options ?
			      strdup(options->machine_options) :
			      NULL;
	int code = EXIT_MACHINE;

	machine_add(&arguments, "machine");
	machine_add(&arguments, has_terminal ? "shell" : "run");
	if (options->arch) {
		machine_add(&arguments, "--arch");
		machine_add(&arguments, options->arch);
	}
	if (words)
		machine_add_words(&arguments, words);
	machine_add(&arguments, "--discard");
	if (!machine_find_recorder(options->arch, program)) {
		add_top(&arguments, options, program);
		code = machine_script_run(arguments.items);
	}
	free(words);
	array_free(&arguments);
	return code;
}

static int run_machine(int argc, char **argv)
{
	(void)argc;
	return machine_script_run(argv);
}

const struct command machine_command = {
	.name = "machine",
	.summary = "run a command in a virtual machine with a trace unit",
	.run = run_machine,
};
