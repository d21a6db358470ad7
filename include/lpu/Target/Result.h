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
#include <optional>
#include <string>
#include <utility>

namespace lpu {

/// A failure: one sentence that says what was found, where, and what was expected.
struct Error {
  std::string message;
};

/// Either a T or an Error.
template <typename T>
class [[nodiscard]] Result {
public:
  Result(T value) : value(std::move(value)) {}
  Result(Error error) : error(std::move(error.message)) {}

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

private:
  std::optional<T> value;
  std::string error;
};

} // namespace lpu

#endif // LPU_TARGET_RESULT_H
