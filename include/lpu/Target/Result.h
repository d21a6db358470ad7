//===- Result.h - A value or a message ------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The error handling of the libraries without LLVM, which build without
// exceptions: a function that can fail on its input returns a Result.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_TARGET_RESULT_H
#define LPU_TARGET_RESULT_H

#include <cassert>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace lpu {

/// What went wrong. All but `Invalid` happen while a program runs.
enum class ErrorKind : uint8_t {
  Invalid,  ///< A malformed input: file, option, argument.
  Index,    ///< A computed index out of range.
  Runtime,  ///< A fault that the program itself raised.
  Deadlock, ///< A wait that no post can satisfy, or semaphores not drained.
  Bounds,   ///< An access outside the memory that it names.
  Limit,    ///< More work or memory than the run was allowed.
  Check,    ///< A mistake that only RunOptions::checks finds, such as a race.
  Stopped,  ///< The listener ended the run.
};

/// A failure: one sentence that says what was found, where, and what was
/// expected.
struct Error {
  std::string message;
  ErrorKind kind = ErrorKind::Invalid;
};

/// Either a T or an Error.
template <typename T>
class [[nodiscard]] Result {
public:
  Result(T value) : value(std::move(value)) {}
  Result(Error error)
      : error(std::move(error.message)), errorKind(error.kind) {}

  explicit operator bool() const { return value.has_value(); }
  T &operator*() {
    assert(value && "a failed result has no value");
    return *value;
  }
  const T &operator*() const {
    assert(value && "a failed result has no value");
    return *value;
  }
  T *operator->() { return &**this; }
  const T *operator->() const { return &**this; }
  const std::string &message() const { return error; }
  ErrorKind kind() const { return errorKind; }

private:
  std::optional<T> value;
  std::string error;
  ErrorKind errorKind = ErrorKind::Invalid;
};

} // namespace lpu

#endif // LPU_TARGET_RESULT_H
