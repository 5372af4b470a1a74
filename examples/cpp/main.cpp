// Decides a request with an export of `clef-mlx export`: clef_decide EXPORT REQUEST.json  (- reads stdin)
//
// Prints {"input_tokens": n, "length": L, "probabilities": {question: {option: p}}}. What cannot be decided is one line
// on stderr and exit code 1. `clef_decide EXPORT --ids` instead reads a JSON array of strings and prints their ids.
#include <algorithm>
#include <iostream>

#include <mlx/backend/metal/metal.h>
#include <mlx/device.h>
#include <mlx/export.h>
#include <mlx/io.h>
#include <mlx/ops.h>
#include <mlx/stream.h>

#include "json.hpp"
#include "record.hpp"
#include "tokenizer.hpp"

namespace mx = mlx::core;

namespace {

struct Export {
  Value manifest;
  std::string folder;

  explicit Export(const std::string& path) : folder(path) {
    manifest = parse_json(read_file(path + "/manifest.json"), path + "/manifest.json");
    if (member("format").need_text("format") != "clef-mlx-export" || number("format_version") != 1)
      throw Refused(path + ": is no export of version 1. Export the model again.");
    const std::string& device = member("device").need_text("device");
    std::string here = device == "cpu" || !mx::is_available(mx::Device::gpu) ? "cpu"
        : mx::metal::is_available()                                            ? "metal"
                                                                               : "cuda";
    if (device != here)
      throw Refused(path + ": was traced for " + device + ", but this machine decides on " + here +
                    ". Export it again here.");
    mx::set_default_device(device == "cpu" ? mx::Device::cpu : mx::Device::gpu);
    // A loaded function runs on the first stream, in the thread that made it: this one.
    mx::default_stream(mx::default_device());
  }

  const Value& member(const std::string& name) const { return manifest.need(name, folder + "/manifest.json: " + name); }
  int number(const std::string& name) const { return member(name).need_number(name); }
  std::string file(const std::string& kind) const {
    return folder + "/" + member("files").need(kind, kind).need_text(kind);
  }
  Tokenizer tokenizer() const {
    return {file("tokenizer"), member("encoding").need("pattern", "pattern").need_text("pattern")};
  }

  // The weights as the trace takes them, read when they are first needed.
  std::vector<mx::array> weights() const {
    auto stored = mx::load_safetensors(file("weights")).first;
    std::vector<mx::array> ordered;
    for (const Value& weight : member("weights").need_array("weights")) {
      auto found = stored.find(weight.need("name", "weights").need_text("weights"));
      if (found == stored.end()) throw Refused(folder + ": lacks a weight that its manifest names. Export it again.");
      ordered.push_back(found->second);
    }
    return ordered;
  }

  int length_for(const Record& record) const {
    int questions = static_cast<int>(record.questions.size()), tokens = static_cast<int>(record.ids.size());
    int options = 0;
    for (const Question& question : record.questions) options += static_cast<int>(question.options.size());
    refuse_more("questions", questions, number("questions"), "questions", "Ask fewer at once");
    refuse_more("questions", options, number("options"), "options in all", "Ask fewer questions at once");
    const Array& lengths = member("lengths").need_array("lengths");
    if (lengths.empty()) throw Refused(folder + "/manifest.json: lengths: must name one, got none. Export it again.");
    refuse_more("request", tokens, lengths.back().need_number("lengths"), "tokens", "Shorten the state");
    auto holds = [&](const Value& length) { return tokens <= length.need_number("lengths"); };
    return std::find_if(lengths.begin(), lengths.end(), holds)->need_number("lengths");
  }

 private:
  static void refuse_more(const char* where, int value, int most, const char* what, const char* remedy) {
    if (value > most)
      throw Refused(std::string(where) + ": must be at most " + std::to_string(most) + " " + what +
                    " in this export, got " + std::to_string(value) + ". " + remedy + ".");
  }
};

// The arguments before the weights, in the manifest's order.
std::vector<mx::array> arguments(const Record& record, int length, int questions, int options, int pad) {
  std::vector<int32_t> ids(length, pad), question_spans(2 * questions), types(questions), option_spans(2 * options),
      owners(options);
  std::copy(record.ids.begin(), record.ids.end(), ids.begin());
  size_t option = 0;
  for (size_t q = 0; q < record.questions.size(); q++) {
    const Question& question = record.questions[q];
    question_spans[2 * q] = question.span.start;
    question_spans[2 * q + 1] = question.span.end;
    types[q] = question.type;
    for (const Option& each : question.options) {
      option_spans[2 * option] = each.span.start;
      option_spans[2 * option + 1] = each.span.end;
      owners[option++] = static_cast<int32_t>(q);
    }
  }
  auto made = [](const std::vector<int32_t>& values, mx::Shape shape) {
    return mx::array(values.data(), std::move(shape), mx::int32);
  };
  return {made(ids, {length}), mx::array(static_cast<int32_t>(record.ids.size()), mx::int32),
          made(question_spans, {questions, 2}), made(types, {questions}), made(option_spans, {options, 2}),
          made(owners, {options})};
}

std::string answer(const Record& record, int length, const float* probabilities) {
  std::string out = "{\"input_tokens\": " + std::to_string(record.ids.size());
  out += ", \"length\": " + std::to_string(length) + ", \"probabilities\": {";
  for (const Question& question : record.questions) {
    out += (&question == &record.questions.front() ? "" : ", ") + in_quotes(question.id) + ": {";
    for (const std::string& id : question.request_order) {
      auto option = std::find_if(question.options.begin(), question.options.end(), [&](auto& o) { return o.id == id; });
      float p = probabilities[option - question.options.begin()];
      out += (id == question.request_order.front() ? "" : ", ") + in_quotes(id) + ": " + python_repr(p);
    }
    probabilities += question.options.size();
    out += "}";
  }
  return out + "}}";
}

std::string decide(const Export& model, const std::string& path) {
  const Value& encoding = model.member("encoding");
  Record record = encode_request(parse_json(read_file(path), "request"), encoding, model.tokenizer());
  int length = model.length_for(record);
  auto inputs = arguments(record, length, model.number("questions"), model.number("options"),
                          encoding.need("pad_token_id", "pad_token_id").need_number("pad_token_id"));
  for (mx::array& weight : model.weights()) inputs.push_back(std::move(weight));
  auto outputs = mx::import_function(model.file("trace"))(inputs);
  mx::array probabilities = mx::contiguous(outputs[1]);
  probabilities.eval();
  return answer(record, length, probabilities.data<float>());
}

std::string token_ids(const Export& model) {
  Tokenizer tokenizer = model.tokenizer();
  std::string out = "[";
  Value texts = parse_json(read_file("-"), "strings");
  for (const Value& text : texts.need_array("strings")) {
    out += out.size() > 1 ? ",[" : "[";
    auto ids = tokenizer.encode(text.need_text("strings"));
    for (size_t i = 0; i < ids.size(); i++) out += (i ? "," : "") + std::to_string(ids[i]);
    out += "]";
  }
  return out + "]";
}

}  // namespace

int main(int count, char** words) {
  if (count != 3) {
    std::cerr << "usage: clef_decide EXPORT REQUEST.json\n";
    return 2;
  }
  try {
    Export model(words[1]);
    std::string option = words[2];
    std::cout << (option == "--ids" ? token_ids(model) : decide(model, option)) << std::endl;
    return 0;
  } catch (const std::exception& error) {
    std::string line = error.what();
    std::replace(line.begin(), line.end(), '\n', ' ');
    std::cerr << "clef_decide: " << line << "\n";
    return 1;
  }
}
