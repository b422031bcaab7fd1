/* SPDX-License-Identifier: MIT */
/* Loads a BPF program, runs it on a few packets, and prints the process id of a
 * process that keeps it loaded.
 */
#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Lets all of each packet through. */
static const struct bpf_insn program[] = {
	{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .imm = 0x7fffffff },
	{ .code = BPF_JMP | BPF_EXIT },
};

static int load(void)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_SOCKET_FILTER;
	attr.insns = (__u64)(unsigned long)program;
	attr.insn_cnt = sizeof(program) / sizeof(program[0]);
	attr.license = (__u64)(unsigned long)"MIT";
	strcpy(attr.prog_name, "let_through");
	return (int)syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));
}

/* Waits to be killed, without keeping its parent's output open. */
static int keep(void)
{
	pid_t pid = fork();

	if (pid < 0)
		return 1;
	if (pid) {
		printf("%d\n", pid);
		return 0;
	}
	fclose(stdout);
	fclose(stderr);
	pause();
	return 0;
}

int main(void)
{
	int fd = load();
	int pair[2];
	char byte = 'x';

	if (fd < 0 || socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) < 0 ||
	    setsockopt(pair[1], SOL_SOCKET, SO_ATTACH_BPF, &fd, sizeof(fd)) <
		    0) {
		perror("load_bpf");
		return 1;
	}
	for (int i = 0; i < 5; i++)
		if (write(pair[0], &byte, 1) != 1 ||
		    read(pair[1], &byte, 1) != 1)
			return 1;
	return keep();
}
