//===- Memory.cpp - The memories of the machine ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Allocation, poison and bounds. See Memory.h.
//
//===----------------------------------------------------------------------===//

#include "lpu/Simulator/Memory.h"

#include "lpu/Target/Names.h"

#include <algorithm>
#include <sys/mman.h>
#include <utility>

using namespace lpu;

PagedRegion::PagedRegion(uint64_t bytes) : bytes(bytes) {
  if (bytes == 0) {
    return;
  }
  void *pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  start = pages == MAP_FAILED ? nullptr : static_cast<uint8_t *>(pages);
}

PagedRegion::PagedRegion(PagedRegion &&other) noexcept
    : start(std::exchange(other.start, nullptr)),
      bytes(std::exchange(other.bytes, 0)) {}

PagedRegion &PagedRegion::operator=(PagedRegion &&other) noexcept {
  std::swap(start, other.start);
  std::swap(bytes, other.bytes);
  return *this;
}

PagedRegion::~PagedRegion() {
  if (start != nullptr) {
    munmap(start, bytes);
  }
}

Memory::Memory(const Program &program)
    : constants(&program.rodata), scratch(program.scratchBytes),
      lmu(program.lmuBytes) {
  for (size_t i = 0; i < program.numArguments(); ++i) {
    argumentSizes.push_back(byteSize(program.argument(i)));
  }
  arguments.resize(argumentSizes.size());
}

void Memory::bind(void *const *pointers) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    arguments[i] = static_cast<uint8_t *>(pointers[i]);
  }
}

void Memory::poison() {
  for (const PagedRegion *region : {&scratch, &lmu}) {
    if (region->data() == nullptr) {
      continue;
    }
    // A region is whole pages, whatever its size.
    uint16_t *words = reinterpret_cast<uint16_t *>(region->data());
    std::fill(words, words + (region->size() + 1) / 2, uint16_t(0x7fff));
  }
}

uint8_t *Memory::base(Space space, uint16_t argument) const {
  switch (space) {
  case Space::Arg:
    return arguments[argument];
  case Space::Scratch:
    return scratch.data();
  case Space::Constant:
    // Never written: the verifier refuses constants as destinations.
    return const_cast<uint8_t *>(constants->data());
  case Space::LMU:
    return lmu.data();
  }
  return nullptr;
}

int64_t Memory::size(Space space, uint16_t argument) const {
  switch (space) {
  case Space::Arg:
    return argument < argumentSizes.size() ? argumentSizes[argument] : 0;
  case Space::Scratch:
    return static_cast<int64_t>(scratch.size());
  case Space::Constant:
    return static_cast<int64_t>(constants->size());
  case Space::LMU:
    return static_cast<int64_t>(lmu.size());
  }
  return 0;
}

std::optional<Error> Memory::check(const ResolvedView &view) const {
  ByteRange range = view.bounds();
  int64_t limit = size(view.space, view.argument);
  if (range.empty() || (range.begin >= 0 && range.end <= limit)) {
    return std::nullopt;
  }
  std::string name(nameOf(view.space));
  if (view.space == Space::Arg) {
    name += " " + std::to_string(view.argument);
  }
  return Error{"a view covers bytes [" + std::to_string(range.begin) + ", " +
                   std::to_string(range.end) + ") of " + name + ", which has " +
                   std::to_string(limit) + " bytes",
               ErrorKind::Bounds};
}
