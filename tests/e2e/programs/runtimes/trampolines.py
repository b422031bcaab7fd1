# SPDX-License-Identifier: MIT
"""Counts its functions' calls, for an interpreter with perf trampolines."""

calls = {"cost_of": 0, "order": 0, "refuse": 0}


def cost_of(item):
    calls["cost_of"] += 1
    cost = 0
    for i in range(30):
        cost = (cost * 31 + item + i) % 10007
    return cost


def refuse(number):
    calls["refuse"] += 1
    raise ValueError(number)


def order(number):
    calls["order"] += 1
    total = sum(cost_of(item) for item in range(number % 4))
    try:
        if number % 7 == 0:
            refuse(number)
    except ValueError:
        total -= 1
    return total


for count in range(100):
    order(count)
for name, value in calls.items():
    print(f"py::{name}", value)
