//===- JSON.cpp - Writing JSON --------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers are written so that they read back the same; what JSON cannot say
// (infinities, NaN) becomes null.
//
//===----------------------------------------------------------------------===//

#include "JSON.h"

#include <charconv>
#include <cmath>
#include <cstdio>

using namespace lpu;

void JSONWriter::separate() {
  if (needsComma) {
    text += ',';
  }
  needsComma = true;
}

void JSONWriter::open(char bracket) {
  separate();
  text += bracket;
  needsComma = false;
}

void JSONWriter::close(char bracket) {
  text += bracket;
  needsComma = true;
}

void JSONWriter::quote(std::string_view raw) {
  text += '"';
  for (char c : raw) {
    auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      text += '\\';
      text += c;
    } else if (byte < 0x20) {
      char buffer[8];
      std::snprintf(buffer, sizeof(buffer), "\\u%04x", byte);
      text += buffer;
    } else {
      text += c;
    }
  }
  text += '"';
}

JSONWriter &JSONWriter::key(std::string_view name) {
  separate();
  quote(name);
  text += ':';
  needsComma = false;
  return *this;
}

void JSONWriter::value(std::string_view raw) {
  separate();
  quote(raw);
}

void JSONWriter::value(int64_t number) {
  separate();
  text += std::to_string(number);
}

void JSONWriter::value(double number) {
  separate();
  if (!std::isfinite(number)) {
    text += "null";
    return;
  }
  char buffer[64];
  auto [end, status] = std::to_chars(buffer, buffer + sizeof(buffer), number);
  (void)status;
  text.append(buffer, end);
}

void JSONWriter::value(bool truth) {
  separate();
  text += truth ? "true" : "false";
}
