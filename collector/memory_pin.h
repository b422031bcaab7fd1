/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_MEMORY_PIN_H
#define KT_COLLECTOR_MEMORY_PIN_H

#include <stdint.h>

/* Keeps the memory of processes readable through /proc/PID/mem after they ended
 * or called exec, which no descriptor does: the kernel frees the memory when its
 * last user leaves (exit_mm() in kernel/exit.c).
 *
 * A read from /proc/PID/mem is such a user as long as it lasts (mem_rw() in
 * fs/proc/base.c). So a thread reads into a page of the recorder that a
 * userfaultfd leaves unresolved, and waits there until the pin is released. The
 * process does not notice, except that its memory is freed by the recorder.
 *
 * Needs userfaultfd for faults in the kernel: root, CAP_SYS_PTRACE, or the
 * sysctl vm.unprivileged_userfaultfd.
 */
struct memory_pins;

enum { MEMORY_PIN_COUNT = 64 };

/* Returns NULL if the kernel does not permit it, or when out of memory. */
struct memory_pins *memory_pins_new(void);

/* Releases all pins. NULL is allowed. */
void memory_pins_free(struct memory_pins *pins);

/* Pins the memory of @memory, a descriptor of /proc/PID/mem, in which @address
 * is mapped. Returns the number of the pin; -1 if there is none: @pins is NULL,
 * or all are in use.
 */
int memory_pin(struct memory_pins *pins, int memory, uint64_t address);

/* Releases pin @number; -1 is allowed. */
void memory_unpin(struct memory_pins *pins, int number);

#endif
