#include "tokenizer.hpp"

#include <queue>

#include <unicode/normalizer2.h>

#include "json.hpp"

namespace {

uint64_t pair_of(int32_t left, int32_t right) {
  return static_cast<uint64_t>(left) << 32 | static_cast<uint32_t>(right);
}

// The letter that byte-level BPE writes a byte with: printable Latin-1 as itself, the others from U+0100 on in order.
std::string letter_of(int byte) {
  auto printable = [](int b) { return (b >= 0x21 && b <= 0x7e) || (b >= 0xa1 && b != 0xad); };
  int code = byte;
  if (!printable(byte)) {
    code = 0x100;
    for (int b = 0; b < byte; b++) code += !printable(b);
  }
  if (code < 0x80) return std::string(1, static_cast<char>(code));
  return {static_cast<char>(0xc0 | code >> 6), static_cast<char>(0x80 | (code & 0x3f))};
}

// ICU's \s is narrower than that of the pattern's own engine, which means all white space.
std::string with_wide_spaces(std::string pattern) {
  for (auto [from, to] : {std::pair{"\\s", "\\p{White_Space}"}, std::pair{"\\S", "\\P{White_Space}"}})
    for (size_t at = 0; (at = pattern.find(from, at)) != std::string::npos; at += std::string(to).size())
      pattern.replace(at, 2, to);
  return pattern;
}

void check(UErrorCode status, const char* what) {
  if (U_FAILURE(status)) throw Refused(std::string(what) + ": ICU says " + u_errorName(status) + ".");
}

}  // namespace

Tokenizer::Tokenizer(const std::string& path, const std::string& pattern) {
  Value file = parse_json(read_file(path), path);
  const Value& model = file.need("model", path);
  std::unordered_map<std::string, int32_t> vocabulary;
  for (const auto& [word, id] : model.need("vocab", path).need_object(path)) vocabulary[word] = id.need_number(path);
  auto id_of = [&](const std::string& word) {
    if (auto found = vocabulary.find(word); found != vocabulary.end()) return found->second;
    throw Refused(path + ": must hold the token " + in_quotes(word) + ". Export the model again.");
  };
  for (int byte = 0; byte < 256; byte++) bytes_.push_back(id_of(letter_of(byte)));
  int32_t rank = 0;
  for (const Value& merge : model.need("merges", path).need_array(path)) {
    // Written as ["a", "b"], in older files as "a b".
    std::string left, right;
    if (const std::string* both = merge.text()) {
      left = both->substr(0, both->find(' '));
      right = both->substr(both->find(' ') + 1);
    } else {
      left = merge.need_array(path).at(0).need_text(path);
      right = merge.need_array(path).at(1).need_text(path);
    }
    merges_[pair_of(id_of(left), id_of(right))] = {rank++, id_of(left + right)};
  }
  UErrorCode status = U_ZERO_ERROR;
  UParseError where;
  auto source = icu::UnicodeString::fromUTF8(with_wide_spaces(pattern));
  pattern_.reset(icu::RegexPattern::compile(source, 0, where, status));
  check(status, "pattern");
}

std::vector<int32_t> Tokenizer::encode(const std::string& text) const {
  UErrorCode status = U_ZERO_ERROR;
  auto normal = icu::Normalizer2::getNFCInstance(status)->normalize(icu::UnicodeString::fromUTF8(text), status);
  std::unique_ptr<icu::RegexMatcher> words(pattern_->matcher(normal, status));
  words->setStackLimit(0, status);  // a long run of spaces needs room to step back in
  std::vector<int32_t> ids;
  while (words->find(status)) {
    std::string word;
    words->group(status).toUTF8String(word);
    encode_word(word, ids);
  }
  check(status, "text");
  return ids;
}

// Joins the neighbours of the lowest rank, the leftmost first, until no two of them have one.
void Tokenizer::encode_word(std::string_view word, std::vector<int32_t>& ids) const {
  struct Part {
    int32_t id;
    int before, after;
  };
  struct Join {
    int32_t rank;
    int at;
    int32_t left, right, id;
    bool operator<(const Join& other) const { return rank != other.rank ? rank > other.rank : at > other.at; }
  };
  std::vector<Part> parts;
  int count = static_cast<int>(word.size());
  for (int i = 0; i < count; i++) parts.push_back({bytes_[static_cast<unsigned char>(word[i])], i - 1, i + 1});

  std::priority_queue<Join> joins;
  auto consider = [&](int at) {
    if (at < 0 || parts[at].after >= count) return;
    int32_t left = parts[at].id, right = parts[parts[at].after].id;
    if (auto found = merges_.find(pair_of(left, right)); found != merges_.end())
      joins.push({found->second.rank, at, left, right, found->second.id});
  };
  for (int i = 0; i < count; i++) consider(i);
  while (!joins.empty()) {
    Join join = joins.top();
    joins.pop();
    Part& left = parts[join.at];
    // Either part may have been joined to another meanwhile; a part that is gone has id -1.
    if (left.id != join.left || left.after >= count || parts[left.after].id != join.right) continue;
    Part& right = parts[left.after];
    left.id = join.id;
    right.id = -1;
    left.after = right.after;
    if (left.after < count) parts[left.after].before = join.at;
    consider(left.before);
    consider(join.at);
  }
  for (int i = 0; i < count; i = parts[i].after) ids.push_back(parts[i].id);
}
