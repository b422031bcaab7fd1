/* SPDX-License-Identifier: MIT */
/* Runs a virtual machine whose only CPU executes a known number of instructions:
 *
 *	vcpu COUNT
 *
 * It loops, so that interrupts arrive, writes COUNT times to a port and then
 * halts. Prints the time for that; how long the thread had waited for a CPU before
 * and after, how often the machine exited, and how often for interrupts of the
 * host, as the kernel counted; and how many instructions the machine executed.
 */
#include "tests/e2e/programs/program.h"

#include <fcntl.h>
#include <linux/kvm.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>

enum { MEMORY = 0x10000, CODE = 0x1000, ROUNDS = 200, LOOPS = 65536 };

/* Makes the CPU start at CODE, in real mode. */
static void start(int cpu)
{
	struct kvm_regs registers = { .rip = CODE, .rflags = 2 };
	struct kvm_sregs segments;

	check(ioctl(cpu, KVM_GET_SREGS, &segments), "KVM_GET_SREGS");
	segments.cs.base = 0;
	segments.cs.selector = 0;
	check(ioctl(cpu, KVM_SET_SREGS, &segments), "KVM_SET_SREGS");
	check(ioctl(cpu, KVM_SET_REGS, &registers), "KVM_SET_REGS");
}

/* Runs the machine until it halts; returns the number of writes. */
static int run(int cpu, const volatile struct kvm_run *state)
{
	int writes = 0;
	const unsigned long start_ns = now_ns();

	for (;; writes++) {
		check(ioctl(cpu, KVM_RUN, 0), "KVM_RUN");
		if (state->exit_reason != KVM_EXIT_IO)
			break;
	}
	printf("run_ns %lu\n", now_ns() - start_ns);
	if (state->exit_reason == KVM_EXIT_HLT)
		return writes;
	fprintf(stderr, "exit for reason %u\n", state->exit_reason);
	exit(1);
}

/* Prints @name and the kernel's count of that name, of all machines. */
static void print_count(const char *name)
{
	char path[64];
	char count[32];
	FILE *counter;

	snprintf(path, sizeof(path), "/sys/kernel/debug/kvm/%s", name);
	counter = fopen(path, "re");
	check(counter && fgets(count, sizeof(count), counter) ? 0 : -1, path);
	fclose(counter);
	printf("%s %s", name, count);
}

int main(int argc, char **argv)
{
	const int count = argc > 1 ? atoi(argv[1]) : 1;
	const uint8_t code[] = {
		0xba,
		ROUNDS,
		0, /* mov $ROUNDS, %dx */
		0x31,
		0xc9, /* xor %cx, %cx */
		0xe2,
		0xfe, /* loop to itself */
		0x4a, /* dec %dx */
		0x75,
		0xf9, /* jnz to xor */
		0xb9,
		(uint8_t)count,
		(uint8_t)(count >> 8), /* mov $count, %cx
							      */
		0xe6,
		0x10, /* out %al, $0x10 */
		0xe2,
		0xfc, /* loop to out */
		0xf4, /* hlt */
	};
	const int kvm =
		(int)check(open("/dev/kvm", O_RDWR | O_CLOEXEC), "/dev/kvm");
	const int vm =
		(int)check(ioctl(kvm, KVM_CREATE_VM, 0), "KVM_CREATE_VM");
	char *memory = mmap(NULL, MEMORY, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const struct kvm_userspace_memory_region region = {
		.memory_size = MEMORY,
		.userspace_addr = (uintptr_t)memory,
	};
	const long size = check(ioctl(kvm, KVM_GET_VCPU_MMAP_SIZE, 0),
				"KVM_GET_VCPU_MMAP_SIZE");
	struct kvm_run *state;
	int cpu;

	memcpy(memory + CODE, code, sizeof(code));
	check(ioctl(vm, KVM_SET_USER_MEMORY_REGION, &region),
	      "KVM_SET_USER_MEMORY_REGION");
	cpu = (int)check(ioctl(vm, KVM_CREATE_VCPU, 0), "KVM_CREATE_VCPU");
	state = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED,
		     cpu, 0);
	start(cpu);
	printf("delay_at_start %lu\n", cpu_delay_ns());
	printf("writes %d\n", run(cpu, state));
	printf("delay_at_end %lu\n", cpu_delay_ns());
	printf("instructions %d\n",
	       1 + ROUNDS * (LOOPS + 3) + 1 + 2 * count + 1);
	print_count("exits");
	print_count("irq_exits");
	return 0;
}
