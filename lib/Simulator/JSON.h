//===- JSON.h - Writing JSON ----------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Just enough to write reports and traces: objects and arrays whose commas and
// escapes are right.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_LIB_SIMULATOR_JSON_H
#define LPU_LIB_SIMULATOR_JSON_H

#include <cstdint>
#include <string>
#include <string_view>

namespace lpu {

class JSONWriter {
public:
  void beginObject() { open('{'); }
  void endObject() { close('}'); }
  void beginArray() { open('['); }
  void endArray() { close(']'); }
  /// Starts a member of an object; its value follows.
  JSONWriter &key(std::string_view name);
  void value(std::string_view text);
  void value(const char *text) { value(std::string_view(text)); }
  void value(int64_t number);
  void value(uint32_t number) { value(static_cast<int64_t>(number)); }
  void value(double number);
  void value(bool truth);

  /// key(name) and value(v) together.
  template <typename T>
  void member(std::string_view name, T v) {
    key(name);
    value(v);
  }

  std::string take() { return std::move(text); }

private:
  void open(char bracket);
  void close(char bracket);
  void separate();
  void quote(std::string_view raw);

  std::string text;
  bool needsComma = false;
};

} // namespace lpu

#endif // LPU_LIB_SIMULATOR_JSON_H
