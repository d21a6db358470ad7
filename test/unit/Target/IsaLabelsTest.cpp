//===- IsaLabelsTest.cpp - Clauses of docs/ISA.md and who cites them ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The specification labels its clauses: `mm_c1` is a constraint, `mm_f1` a
// fault, `sync_o1` a rule of order, `cost_mm` a formula, `num_mm` a rule of
// arithmetic. Each must be cited by a test, and a constraint or fault also by
// the code that checks it; what tests and code cite must be on the page. A
// citation is the label as a word, in a comment next to the case that shows
// the clause.
//
//===----------------------------------------------------------------------===//

#include "lpu/Target/Encoding.h"
#include "lpu/Target/Names.h"

#include <gtest/gtest.h>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

using namespace lpu;
namespace fs = std::filesystem;

namespace {

const fs::path root = fs::path(LPU_DOCS_DIRECTORY).parent_path();

std::string contentsOf(const fs::path &path) {
  std::ifstream file(path);
  std::stringstream contents;
  contents << file.rdbuf();
  return contents.str();
}

bool isWordCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

/// Calls function(word) for every maximal run of letters, digits and '_'.
template <typename Function>
void forEachWord(const std::string &text, Function function) {
  for (size_t i = 0; i < text.size();) {
    size_t end = i;
    while (end < text.size() && isWordCharacter(text[end])) {
      ++end;
    }
    if (end > i) {
      function(text.substr(i, end - i));
    }
    i = end + 1;
  }
}

/// The letter of a label like mm_c1: a name, '_', a letter and a number. 0 for
/// any other word.
char kindOf(const std::string &word) {
  size_t letter = word.find_last_not_of("0123456789");
  bool hasForm = letter != std::string::npos && letter + 1 < word.size() &&
                 letter >= 2 && word.find('_') == letter - 1;
  return hasForm ? word[letter] : '\0';
}

/// Whether a word has the form of a constraint, a fault or a rule of order.
bool isNumbered(const std::string &word) {
  char kind = kindOf(word);
  return kind == 'c' || kind == 'f' || kind == 'o';
}

bool isConstraintOrFault(const std::string &word) {
  char kind = kindOf(word);
  return kind == 'c' || kind == 'f';
}

/// What stands before the first '_'.
std::string subjectOf(const std::string &label) {
  return label.substr(0, label.find('_'));
}

/// All labels of the page: words in backticks of one of the forms.
std::set<std::string> labels() {
  std::string text = contentsOf(root / "docs" / "ISA.md");
  std::set<std::string> result;
  for (size_t i = 0; (i = text.find('`', i)) != std::string::npos; ++i) {
    size_t end = i + 1;
    while (end < text.size() && isWordCharacter(text[end])) {
      ++end;
    }
    std::string word = text.substr(i + 1, end - i - 1);
    if (end == text.size() || text[end] != '`') {
      continue;
    }
    bool isRule = word.rfind("cost_", 0) == 0 || word.rfind("num_", 0) == 0 ||
                  word.rfind("sync_o", 0) == 0 || word == "micro_order" ||
                  word == "fault_where";
    bool isMicroOp = bool(parseName<MicroOpcode>(word));
    if ((isRule || isNumbered(word)) && !isMicroOp) {
      result.insert(word);
    }
  }
  return result;
}

/// Words of all sources below some folders.
std::set<std::string> wordsBelow(const std::vector<const char *> &folders) {
  static const std::set<std::string> extensions = {
      ".cpp", ".h", ".inc", ".td", ".py", ".mlir", ".test", ".toml"};
  std::set<std::string> words;
  for (const char *folder : folders) {
    for (auto entry = fs::recursive_directory_iterator(root / folder);
         entry != fs::recursive_directory_iterator(); ++entry) {
      // The link to the build tree's Python packages is not a source.
      if (entry->is_symlink()) {
        entry.disable_recursion_pending();
        continue;
      }
      if (extensions.count(entry->path().extension().string()) &&
          entry->path().filename() != "IsaLabelsTest.cpp") {
        forEachWord(contentsOf(entry->path()),
                    [&](const std::string &word) { words.insert(word); });
      }
    }
  }
  return words;
}

const std::set<std::string> &testWords() {
  static const std::set<std::string> words = wordsBelow({"test"});
  return words;
}
const std::set<std::string> &codeWords() {
  static const std::set<std::string> words =
      wordsBelow({"lib", "include", "python", "tools"});
  return words;
}

TEST(IsaLabels, EachIsCitedByATest) {
  for (const std::string &label : labels()) {
    EXPECT_TRUE(testWords().count(label)) << label << " is tested nowhere";
  }
}

TEST(IsaLabels, ConstraintsAndFaultsAreCitedByCode) {
  for (const std::string &label : labels()) {
    if (isConstraintOrFault(label)) {
      EXPECT_TRUE(codeWords().count(label)) << label << " is checked nowhere";
    }
  }
}

TEST(IsaLabels, CitationsAreOnThePage) {
  std::set<std::string> onPage = labels(), subjects;
  for (const std::string &label : onPage) {
    if (isNumbered(label)) {
      subjects.insert(subjectOf(label));
    }
  }
  EXPECT_GT(onPage.size(), 100u);
  for (const auto *words : {&testWords(), &codeWords()}) {
    for (const std::string &word : *words) {
      if (isNumbered(word) && subjects.count(subjectOf(word))) {
        EXPECT_TRUE(onPage.count(word)) << word << " is not on the page";
      }
    }
  }
}

} // namespace
