//===- MachineFile.cpp - Machines as files that explain themselves --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See MachineFile.h. The parser drops comments, so they are looked for in the
// text, which it has found to be well-formed: a key and a number leave no '#'
// that is not the comment's.
//
//===----------------------------------------------------------------------===//

#include "lpu/Target/MachineFile.h"

#include "MachinePresets.h"

#include <fstream>
#include <sstream>

using namespace lpu;

static bool endsWith(std::string_view text, std::string_view suffix) {
  return text.size() >= suffix.size() &&
         text.substr(text.size() - suffix.size()) == suffix;
}

std::string_view lpu::unitOf(const MachineParameter &parameter) {
  static constexpr std::pair<std::string_view, std::string_view> units[] = {
      {"_bytes", "bytes"}, {"_cycles", "cycles"}, {"_ghz", "GHz"},
      {"_gbps", "GB/s"},   {"_ns", "ns"},         {"_efficiency", "share"}};
  for (auto [suffix, unit] : units) {
    if (endsWith(parameter.name, suffix)) {
      return unit;
    }
  }
  return "count";
}

static std::string_view trim(std::string_view text) {
  size_t begin = text.find_first_not_of(" \t\r");
  size_t end = text.find_last_not_of(" \t\r");
  return begin == std::string_view::npos ? std::string_view()
                                         : text.substr(begin, end + 1 - begin);
}

namespace {
/// A line `key = value # comment`; a line without a key is a comment alone.
struct Line {
  std::string_view key, value, comment;
};
} // namespace

static std::vector<Line> linesOf(std::string_view text) {
  std::vector<Line> lines;
  for (size_t start = 0; start < text.size();) {
    size_t end = std::min(text.find('\n', start), text.size());
    std::string_view line = trim(text.substr(start, end - start));
    start = end + 1;
    size_t hash = line.find('#');
    std::string_view code = line.substr(0, hash);
    size_t equals = code.find('=');
    Line parts;
    if (hash != std::string_view::npos) {
      parts.comment = trim(line.substr(hash + 1));
    }
    if (equals != std::string_view::npos) {
      parts.key = trim(code.substr(0, equals));
      parts.value = trim(code.substr(equals + 1));
    }
    lines.push_back(parts);
  }
  return lines;
}

/// A key or a string without its quotes.
static std::string_view unquoted(std::string_view text) {
  bool isQuoted = text.size() >= 2 && (text[0] == '"' || text[0] == '\'') &&
                  text.back() == text[0];
  return isQuoted ? text.substr(1, text.size() - 2) : text;
}

static void readComments(std::string_view text,
                         MachineDescription &description) {
  bool isTop = true;
  for (const Line &line : linesOf(text)) {
    std::string_view key = unquoted(line.key);
    if (key.empty() && isTop) {
      description.about += line.comment;
      description.about += '\n';
    }
    isTop &= key.empty();
    for (MachineValue &value : description.values) {
      if (value.parameter->name == key) {
        value.source = line.comment;
      }
    }
  }
}

/// The preset that a file begins from.
static std::string_view baseOf(std::string_view text) {
  for (const Line &line : linesOf(text)) {
    if (unquoted(line.key) == "base") {
      return unquoted(line.value);
    }
  }
  return MachineModel::presetNames().front();
}

/// What a preset's file says, or a file's.
static std::string textOf(std::string_view nameOrPath) {
  if (std::optional<std::string_view> preset = presetText(nameOrPath)) {
    return std::string(*preset);
  }
  std::ifstream file{std::string(nameOrPath)};
  std::stringstream contents;
  contents << file.rdbuf();
  return contents.str();
}

/// The values of the canonical text, which has one a line, without comments.
static void readValues(MachineDescription &description) {
  std::string text = description.model.toText();
  for (const Line &line : linesOf(text)) {
    for (const MachineParameter &parameter : MachineModel::parameters()) {
      if (parameter.name == line.key) {
        description.values.push_back(
            {&parameter, std::string(line.value), std::string()});
      }
    }
  }
}

Result<MachineDescription> lpu::describeMachine(std::string_view nameOrPath) {
  Result<MachineModel> model = MachineModel::get(nameOrPath);
  if (!model) {
    return Error{model.message()};
  }
  MachineDescription description;
  description.model = *model;
  readValues(description);
  std::string text = textOf(nameOrPath);
  if (!presetText(nameOrPath)) {
    readComments(*presetText(baseOf(text)), description);
    description.about.clear();
  }
  readComments(text, description);
  return description;
}
