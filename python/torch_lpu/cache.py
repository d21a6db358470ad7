# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Binaries of graphs that were compiled before in this process, by content.

The key is everything that decides the binary: the module's text, the machine's
parameters (not its name: a file may change), what is switched off, and the
compiler: the versions of its parts, and what its libraries look like, since a
developer's change without the version.
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from functools import cache as memoize
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from .options import Options

CAPACITY_BYTES = 1 << 30


@memoize
def _versions() -> str:
    def of(package: str) -> str:
        try:
            return version(package)
        except PackageNotFoundError:
            return "unknown"

    return " ".join(f"{package}={of(package)}" for package in ("torch-lpu", "torch-mlir", "torch"))


@memoize
def _libraries() -> str:
    """Size and time of every library of the compiler."""
    from .mlir import _mlir_libs

    entries = sorted(Path(_mlir_libs.__file__).parent.glob("*.so*"))
    return " ".join(f"{e.name}={e.stat().st_size}@{e.stat().st_mtime_ns}" for e in entries)


def cache_key(text: str | bytes, options: Options) -> str:
    from .machines import machine_text

    digest = hashlib.sha256()
    for part in (text, machine_text(options.machine), " ".join(options.disable), _versions(), _libraries()):
        data = part.encode() if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.hexdigest()


class Cache:
    """Least recently used binaries, bounded by their bytes."""

    def __init__(self, capacity: int = CAPACITY_BYTES):
        self._capacity = capacity
        self._lock = threading.Lock()
        self._binaries: OrderedDict[str, bytes] = OrderedDict()
        self.hits = 0
        self.misses = 0

    def get(self, key: str) -> bytes | None:
        with self._lock:
            binary = self._binaries.get(key)
            if binary is None:
                self.misses += 1
                return None
            self.hits += 1
            self._binaries.move_to_end(key)
            return binary

    def put(self, key: str, binary: bytes) -> None:
        with self._lock:
            self._binaries[key] = binary
            while len(self._binaries) > 1 and sum(map(len, self._binaries.values())) > self._capacity:
                self._binaries.popitem(last=False)

    def clear(self) -> None:
        with self._lock:
            self._binaries.clear()
            self.hits = self.misses = 0


process_cache = Cache()
