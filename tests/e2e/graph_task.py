# SPDX-License-Identifier: MIT
"""Classifies the functions that a task enters, in timelines of the trace
unit or of function_graph: the task's own, an interrupt's, the scheduler's
or the tracer's."""
import re

# The tracer does not trace itself in these and their callees.
HANDLERS = {"ftrace_trampoline", "ftrace_caller", "ftrace_graph_caller",
            "ftrace_graph_func", "return_to_handler",
            "ftrace_return_to_handler"}
# If the tracer refuses an entry, because it must not interrupt itself again,
# this function calls nothing, and the traced function is only in the unit's
# trace.
TAKES_ENTRY = "function_graph_enter_regs"
# The trace unit stops itself in the interrupt of its full buffer.
OWN_INTERRUPT = {"asm_exc_nmi", "exc_nmi", "default_do_nmi", "nmi_handle",
                 "arm_trbe_irq_handler"}
# The kernel's entries for interrupts, which ftrace cannot see: they are
# inferred.
INTERRUPTS = {"asm_sysvec_apic_timer_interrupt", "asm_common_interrupt",
              "asm_sysvec_irq_work", "el1_interrupt", "el0_interrupt"}
# With the host's clock interrupts also arrive during the exit from the kernel,
# where ftrace cannot determine whose exit continues. These are the other
# functions that interrupts consist of.
INTERRUPT_PARTS = {"irq_enter_rcu", "irq_exit_rcu", "__irq_exit_rcu",
                   "do_interrupt_handler", "raw_irqentry_exit_cond_resched",
                   "__hrtimer_rearm_deferred"}
# In these the task leaves its CPU. The trace unit, which is switched with the
# task, and ftrace see different functions here: ftrace assigns functions to
# the next task once the switch is announced.
SCHEDULERS = {"schedule", "__cond_resched", "preempt_schedule_irq", "__schedule",
              "preempt_schedule", "preempt_schedule_common", "preempt_schedule_notrace"}
# From Linux 7.x on preempt_schedule() and __schedule() are hidden from ftrace:
# their callees appear as their caller's, from the first of these functions to
# one of the last.
HIDDEN_SCHEDULE = "rcu_note_context_switch"
HIDDEN_SCHEDULE_ENDS = {"__schedule", "finish_task_switch", "_raw_spin_unlock"}


def base(name):
    """Returns foo for foo.isra.0 and for foo@0x1230, one of several of that
    name."""
    return re.sub(r"(\.(isra|part|constprop)\b|@0x).*", "", name)


def is_interrupt(function):
    return function in INTERRUPTS or function.startswith("asm_sysvec_")


def is_interrupt_part(function):
    return function in INTERRUPT_PARTS or function.startswith("__sysvec_")


class Task:
    """Determines whether a function that a task enters is the tracer's own
    work, and the number of interrupts around it. An interrupt may arrive
    while the tracer is about to write the previous entry."""

    def __init__(self, cpus):
        self.frames = []
        self.by_parts = cpus > 1
        self.schedule_depth = None
        self.steps = {}
        self.last = None

    def begins_interrupt(self, function):
        if not self.by_parts:
            return is_interrupt(function)
        return is_interrupt_part(function) and not (
            self.frames and is_interrupt_part(self.frames[-1][3]))

    def goes_on_in_interrupt(self, function):
        """Also if the tracer refused the interrupt's first part, which then
        shows no entry; the scheduler itself calls one of the parts."""
        return self.by_parts and is_interrupt_part(function) and \
            function != "__hrtimer_rearm_deferred"

    def is_in_hidden_schedule(self, function, depth):
        """Returns whether __schedule() itself calls this while ftrace does
        not see it."""
        if self.schedule_depth is None and function == HIDDEN_SCHEDULE:
            self.schedule_depth = depth
        if self.schedule_depth is None or depth > self.schedule_depth:
            return False
        is_inside = depth == self.schedule_depth
        if not is_inside or base(function) in HIDDEN_SCHEDULE_ENDS:
            self.schedule_depth = None
        return is_inside

    def leave(self, depth):
        """Returns the outermost of the functions that have ended when one
        is entered at @depth. A tail callee is beside its caller in the
        unit's timeline, and below it in ftrace's."""
        frame = None
        while self.frames and self.frames[-1][0] >= depth:
            frame = self.frames.pop()
        return frame

    def refused(self, row):
        """Returns the step, if any, that the tracer started to write and
        then did not."""
        last, self.last = self.last, row
        if row["event"] != "exit" or row["function"] != TAKES_ENTRY or \
                not last or last["event"] != "enter" or last["function"] != TAKES_ENTRY:
            return None
        traced = next((frame for frame in reversed(self.frames) if
                       frame[3] not in HANDLERS | {TAKES_ENTRY}), None)
        return self.steps.pop(traced[0], None) if traced else None

    def enter(self, row):
        replaced = self.leave(row["depth"])
        _, is_own, interrupts, _ = \
            self.frames[-1] if self.frames else (0, False, 0, None)
        if base(row["function"]) in HANDLERS | OWN_INTERRUPT:
            is_own = True
        elif is_interrupt(row["function"]) or self.goes_on_in_interrupt(row["function"]):
            is_own = False
        elif not is_own:
            is_own = self.is_in_hidden_schedule(row["function"], row["depth"])
        interrupts += self.begins_interrupt(row["function"])
        if row["detail"] == "tail" and replaced:
            interrupts = max(interrupts, replaced[2])
        self.frames.append((row["depth"], is_own or row["function"] in SCHEDULERS,
                            interrupts, row["function"]))
        return is_own, interrupts
