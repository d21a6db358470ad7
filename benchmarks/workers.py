# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs tasks that may die or never end, in processes of their own.

A task is a name and a range of steps. A worker sends the outcome of each step as
soon as it has it, so when one dies or takes too long for a step, only that step
is lost: the worker is replaced and the task goes on behind it.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from typing import Any

# Runs steps start..stop of a task and yields the outcome of each.
Run = Callable[..., Iterator[Any]]

# How long a process may take to import what it needs.
START_SECONDS = 300.0

# A process that compiled many graphs holds their memory: after so many tasks there is a new one.
TASKS_PER_PROCESS = 150


@dataclass
class Task:
    """Steps 0..count-1 of `arguments`; a task may have fewer of them than that."""

    arguments: tuple[Any, ...]
    count: int
    outcomes: list[Any] = field(default_factory=list)


@dataclass
class _Worker:
    process: Any
    connection: Connection
    deadline: float
    task: Task
    tasks_done: int = 0


def run_tasks(
    run: Run, tasks: Iterable[Task], jobs: int, seconds: float, lost: Callable[[str], Any]
) -> Iterator[Task]:
    """Yields the tasks as they end. `lost` makes the outcome of a step that hung or crashed."""
    waiting = deque(tasks)
    workers: list[_Worker] = []
    try:
        while waiting or workers:
            while waiting and len(workers) < jobs:
                workers.append(_start(run, waiting.popleft()))
            timeout = max(min(worker.deadline for worker in workers) - time.monotonic(), 0)
            ready = wait([worker.connection for worker in workers], timeout)
            for worker in list(workers):
                if worker.connection in ready:
                    event = _receive(worker, seconds, lost)
                elif time.monotonic() >= worker.deadline:
                    event = _lose(worker, lost("hung"))
                else:
                    continue
                if event == "goes on":
                    continue
                if event == "lost" and len(worker.task.outcomes) < worker.task.count:
                    waiting.appendleft(worker.task)
                else:
                    yield worker.task
                if event == "done" and waiting and worker.tasks_done < TASKS_PER_PROCESS:
                    _give(worker, waiting.popleft(), seconds)
                else:
                    _stop(worker)
                    workers.remove(worker)
    finally:
        for worker in workers:
            _stop(worker)


def _start(run: Run, task: Task) -> _Worker:
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=_serve, args=(run, there), daemon=True)
    process.start()
    there.close()
    return _Worker(process, here, time.monotonic() + START_SECONDS, task)


def _give(worker: _Worker, task: Task, seconds: float) -> None:
    worker.task = task
    worker.deadline = time.monotonic() + seconds
    worker.connection.send((*task.arguments, len(task.outcomes), task.count))


def _receive(worker: _Worker, seconds: float, lost: Callable[[str], Any]) -> str:
    """Takes one message; says whether the task goes on, is done, or has lost its process."""
    try:
        kind, outcome = worker.connection.recv()
    except (EOFError, ConnectionResetError):
        worker.process.join()
        return _lose(worker, lost(f"crashed: {_death(worker.process.exitcode)}"))
    if kind == "ready":
        _give(worker, worker.task, seconds)
        return "goes on"
    worker.deadline = time.monotonic() + seconds
    if kind == "outcome":
        worker.task.outcomes.append(outcome)
        return "goes on"
    worker.tasks_done += 1
    return "done"


def _death(code: int) -> str:
    return f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"


def _lose(worker: _Worker, outcome: Any) -> str:
    worker.task.outcomes.append(outcome)
    _stop(worker)
    return "lost"


def _stop(worker: _Worker) -> None:
    """Ends the process and its children."""
    worker.connection.close()
    if worker.process.is_alive():
        try:
            os.killpg(worker.process.pid, signal.SIGKILL)
        except ProcessLookupError:  # It has not made its group yet.
            worker.process.kill()
    worker.process.join()


def _serve(run: Run, connection: Connection) -> None:
    """The worker: in a process group of its own, so that its children end with it."""
    os.setpgid(0, 0)
    connection.send(("ready", None))
    while True:
        try:
            task = connection.recv()
        except EOFError:
            return
        for outcome in run(*task):
            connection.send(("outcome", outcome))
        connection.send(("done", None))
