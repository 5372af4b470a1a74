// Text -> token ids: byte-level BPE over the vocabulary and merges of tokenizer.json, words cut by the manifest's
// pattern.
//
// Added tokens are left out on purpose: what looks like a control token in someone's text is text.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <unicode/regex.h>

class Tokenizer {
 public:
  Tokenizer(const std::string& path, const std::string& pattern);

  std::vector<int32_t> encode(const std::string& text) const;

 private:
  struct Merge {
    int32_t rank, id;
  };

  std::unique_ptr<icu::RegexPattern> pattern_;
  std::vector<int32_t> bytes_;                   // id of each byte
  std::unordered_map<uint64_t, Merge> merges_;  // by the ids of both parts

  void encode_word(std::string_view word, std::vector<int32_t>& ids) const;
};
