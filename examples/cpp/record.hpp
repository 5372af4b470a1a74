// A request -> token ids and spans, by the encoding rules of the manifest.
#pragma once

#include <string>
#include <vector>

#include "json.hpp"
#include "tokenizer.hpp"

struct Span {
  int start, end;  // end-exclusive
};

struct Option {
  std::string id;
  Span span;
};

struct Question {
  std::string id;
  int type;
  Span span;
  std::vector<Option> options;             // in the order the model reads them
  std::vector<std::string> request_order;  // in the order they were asked
};

struct Record {
  std::vector<int32_t> ids;
  std::vector<Question> questions;
};

// `encoding` is the manifest's object of that name. Throws Refused.
Record encode_request(const Value& request, const Value& encoding, const Tokenizer& tokenizer);
