/* SPDX-License-Identifier: MIT */
/* System calls whose arguments refer to texts, structures and files, below the
 * folder that is given: attribution_syscalls.sh compares what strace -yy and
 * timeline --syscalls write about them. They are between two marks, calls of
 * access(2) with paths that do not exist.
 *
 *	call_data FOLDER
 */
#include <arpa/inet.h>
#include <err.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

static void check(long result, const char *what)
{
	if (result < 0)
		err(1, "%s", what);
}

#define CHECK(call) check((long)(call), #call)

static void use_file(void)
{
	static const char text[] =
		"one line\n\ttwo \"quoted\" \\ \1\0012\377 and the rest";
	char bytes[64];
	struct stat stat;
	int fd = open("a file", O_RDWR | O_CREAT | O_TRUNC, 0640);
	int copy;

	CHECK(fd);
	CHECK(write(fd, text, sizeof(text) - 1));
	CHECK(write(fd, "short", 5));
	CHECK(lseek(fd, 2, SEEK_SET));
	CHECK(read(fd, bytes, 6));
	CHECK(pread(fd, bytes, sizeof(bytes), 0));
	CHECK(fstat(fd, &stat));
	copy = dup(fd);
	CHECK(dup2(copy, 60));
	CHECK(fcntl(fd, F_SETFD, FD_CLOEXEC));
	CHECK(fcntl(fd, F_GETFD));
	CHECK(close(fcntl(fd, F_DUPFD_CLOEXEC, 61)));
	CHECK(flock(fd, LOCK_EX | LOCK_NB));
	CHECK(fsync(fd));
	CHECK(ftruncate(fd, 100));
	CHECK(munmap(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0), 4096));
	ioctl(fd, TCGETS, bytes);
	CHECK(unlink("a file"));
	CHECK(read(fd, bytes, 1));
	CHECK(close(copy));
	CHECK(close(60));
	CHECK(close(fd));
	read(99, bytes, 1);
}

/* Returns a path of @length letters. */
static const char *long_path(char *path, size_t length)
{
	memset(path, 'x', length);
	path[length] = '\0';
	return path;
}

static void use_paths(void)
{
	char path[300];
	char cwd[256];
	struct stat stat;
	int folder;

	CHECK(syscall(SYS_mkdir, "folder", 0700));
	folder = open("folder", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	CHECK(folder);
	CHECK(close(openat(folder, "in it", O_CREAT | O_WRONLY, 0600)));
	CHECK(syscall(SYS_rename, "folder/in it", "folder/renamed"));
	CHECK(renameat(folder, "renamed", AT_FDCWD, "moved"));
	CHECK(syscall(SYS_renameat2, AT_FDCWD, "moved", folder, "back",
		      1 /* RENAME_NOREPLACE */));
	CHECK(symlink("folder", "link"));
	CHECK(readlink("link", path, sizeof(path)));
	CHECK(linkat(folder, "back", folder, "second", 0));
	CHECK(syscall(SYS_access, "link/back", R_OK | W_OK));
	CHECK(fstatat(folder, "second", &stat, AT_SYMLINK_NOFOLLOW));
	CHECK(syscall(SYS_stat, "/dev/null", &stat));
	CHECK(syscall(SYS_lstat, "link", &stat));
	CHECK(unlinkat(folder, "second", 0));
	CHECK(unlinkat(folder, "back", 0));
	CHECK(close(folder));
	CHECK(unlink("link"));
	CHECK(syscall(SYS_rmdir, "folder"));
	CHECK(getcwd(cwd, sizeof(cwd)));
	/* Roots of file systems. */
	CHECK(close(open("/", O_RDONLY | O_PATH)));
	CHECK(close(open("/proc", O_RDONLY | O_DIRECTORY)));
	open(long_path(path, 255), O_RDONLY);
	open("byte \303\244 \n\33\0015", O_RDONLY);
	open("", O_RDONLY);
	open((const char *)16, O_RDONLY);
	syscall(SYS_rename, NULL, "x");
}

static void use_pipes(void)
{
	int ends[2];
	struct pollfd polled = { .events = POLLIN | POLLPRI };

	CHECK(pipe2(ends, O_CLOEXEC | O_NONBLOCK));
	polled.fd = ends[0];
	CHECK(poll(&polled, 1, 0));
	CHECK(write(ends[1], "x", 1));
	CHECK(poll(&polled, 1, 100));
	CHECK(close(ends[0]));
	CHECK(close(ends[1]));
	CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends));
	CHECK(send(ends[0], "hello", 5, MSG_NOSIGNAL));
	CHECK(shutdown(ends[0], SHUT_WR));
	CHECK(close(ends[0]));
	CHECK(close(ends[1]));
}

static void use_network(void)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_port = htons(4711),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	struct sockaddr_in peer;
	socklen_t size = sizeof(peer);
	struct sockaddr_un nowhere = { .sun_family = AF_UNIX,
				       .sun_path = "/no/such socket" };
	char bytes[16];
	int one = 1;
	int server = socket(AF_INET, SOCK_STREAM, IPPROTO_TCP);
	int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int local = socket(AF_UNIX, SOCK_DGRAM, 0);
	int accepted;

	CHECK(setsockopt(server, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)));
	CHECK(bind(server, (struct sockaddr *)&address, sizeof(address)));
	CHECK(listen(server, 5));
	CHECK(connect(client, (struct sockaddr *)&address, sizeof(address)));
	accepted =
		accept4(server, (struct sockaddr *)&peer, &size, SOCK_CLOEXEC);
	CHECK(accepted);
	CHECK(write(client, "request", 7));
	CHECK(recv(accepted, bytes, sizeof(bytes), 0));
	CHECK(getsockname(server, (struct sockaddr *)&peer, &size));
	CHECK(close(accepted));
	CHECK(close(client));
	CHECK(close(server));
	connect(local, (struct sockaddr *)&nowhere, sizeof(nowhere));
	CHECK(close(local));
}

static void use_times(void)
{
	const struct timespec soon = { .tv_nsec = 1000 };
	const struct itimerspec timer = { .it_value = { 100, 5 } };
	uint32_t word = 7;
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);

	CHECK(syscall(SYS_nanosleep, &soon, NULL));
	CHECK(clock_nanosleep(CLOCK_MONOTONIC, 0, &soon, NULL));
	CHECK(timerfd_settime(fd, 0, &timer, NULL));
	CHECK(close(fd));
	syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 7, &soon, NULL, 0);
	syscall(SYS_futex, &word, FUTEX_WAIT, 8, NULL, NULL, 0);
	CHECK(syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1));
}

static void use_events(void)
{
	struct epoll_event event = { .events = EPOLLIN, .data.u32 = 5 };
	struct epoll_event found[4];
	int epoll = epoll_create1(EPOLL_CLOEXEC);
	int counter = eventfd(1, EFD_NONBLOCK);

	CHECK(epoll_ctl(epoll, EPOLL_CTL_ADD, counter, &event));
	CHECK(epoll_wait(epoll, found, 4, 100));
	CHECK(close(counter));
	CHECK(epoll_wait(epoll, found, 4, 0));
	CHECK(close(epoll));
}

static void on_signal(int number)
{
	(void)number;
}

static void use_signals(void)
{
	struct sigaction action = { .sa_handler = on_signal };
	struct utsname names;
	struct rlimit limit;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGCHLD);
	CHECK(sigprocmask(SIG_BLOCK, &set, NULL));
	CHECK(sigprocmask(SIG_UNBLOCK, &set, NULL));
	action.sa_mask = set;
	action.sa_flags = SA_RESTART;
	CHECK(sigaction(SIGUSR2, &action, NULL));
	CHECK(kill(getpid(), 0));
	CHECK(uname(&names));
	CHECK(getrlimit(RLIMIT_CORE, &limit));
	CHECK(close(memfd_create("memory", MFD_CLOEXEC)));
	CHECK(madvise(mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
		      4096, MADV_DONTNEED));
}

/* The child runs another program, which fails. */
static void use_children(void)
{
	static char shell[] = "/bin/sh", option[] = "-c",
		    script[] = "exit \"$1\"", empty[] = "", code[] = "3";
	char *const arguments[] = { shell, option, script, empty, code, NULL };
	static char *const environment[] = { NULL };
	int status;
	pid_t child = fork();

	CHECK(child);
	if (!child) {
		execve("/no/such/program", arguments, environment);
		execve("/bin/sh", arguments, environment);
		_exit(1);
	}
	CHECK(wait4(child, &status, 0, NULL));
	wait4(-1, &status, WNOHANG, NULL);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		errx(2, "usage: call_data FOLDER");
	syscall(SYS_access, "/the/test/begins", F_OK);
	CHECK(chdir(argv[1]));
	use_file();
	use_paths();
	use_pipes();
	use_network();
	use_times();
	use_events();
	use_signals();
	use_children();
	syscall(SYS_access, "/the/test/ends", F_OK);
	return 0;
}
