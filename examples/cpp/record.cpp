#include "record.hpp"

#include <algorithm>

namespace {

const std::string& text_of(const Value& encoding, const std::string& name) {
  std::string where = "encoding." + name;
  return encoding.need(name, where).need_text(where);
}

// "{name}" -> value, once: what a value holds is left alone.
std::string fill(const std::string& form, const std::vector<std::pair<std::string, std::string>>& values) {
  std::string out;
  for (size_t at = 0; at < form.size();) {
    auto hit = std::find_if(values.begin(), values.end(), [&](const auto& value) {
      return form.compare(at, value.first.size() + 2, "{" + value.first + "}") == 0;
    });
    if (hit == values.end()) {
      out += form[at++];
    } else {
      out += hit->second;
      at += hit->first.size() + 2;
    }
  }
  return out;
}

struct Described {
  std::string id;
  Value description;
};

std::vector<Described> noul_options(const Value* criteria, const Value& defaults, const std::string& where) {
  if (criteria && !criteria->null() && !criteria->object()) throw Refused(where + ": must be null or an object.");
  std::vector<Described> options;
  for (const std::string id : {"true", "false"}) {
    const Value* given = criteria ? criteria->find(id) : nullptr;
    options.push_back({id, given ? *given : defaults.need(id, "noul_descriptions")});
  }
  if (criteria && criteria->object())
    for (const Member& member : *criteria->object())
      if (member.first != "true" && member.first != "false")
        throw Refused(where + ": keys must be \"true\" or \"false\", got " + in_quotes(member.first) + ".");
  return options;
}

std::vector<Described> choice_options(const Value* criteria, const std::string& where) {
  if (!criteria || !criteria->object() || criteria->object()->empty() || criteria->object()->size() > 255)
    throw Refused(where + ": must be an object of 1 to 255 options.");
  std::vector<Described> options;
  for (const Member& member : *criteria->object()) options.push_back({member.first, member.second});
  return options;
}

std::vector<Described> score_options(const Value* criteria, const std::string& where) {
  if (!criteria || !criteria->array() || criteria->array()->empty() || criteria->array()->size() > 10)
    throw Refused(where + ": must be an array of 1 to 10 levels.");
  std::vector<Described> options;
  for (const Value& level : *criteria->array()) options.push_back({std::to_string(options.size()), level});
  return options;
}

std::vector<Described> options_of(
    const Value& question, const std::string& type, const Value& encoding, const std::string& where) {
  const Value* criteria = question.find("criteria");
  if (type == "noul") return noul_options(criteria, encoding.need("noul_descriptions", "noul_descriptions"), where);
  if (type == "choice") return choice_options(criteria, where);
  return score_options(criteria, where);
}

class Writer {
 public:
  Writer(const Value& encoding, const Tokenizer& tokenizer) : encoding_(encoding), tokenizer_(tokenizer) {}

  Record record;

  void ready_made(const std::string& name) {
    for (const Value& id : encoding_.need(name, name).need_array(name))
      record.ids.push_back(id.need_number(name));
  }
  Span piece(const std::string& text) {
    int start = static_cast<int>(record.ids.size());
    auto ids = tokenizer_.encode(text);
    record.ids.insert(record.ids.end(), ids.begin(), ids.end());
    return {start, static_cast<int>(record.ids.size())};
  }
  void frame(const std::string& name) { piece(text_of(encoding_, name)); }

  void field(const std::string& id, const Value& asked) {
    std::string where = "questions." + id;
    if (!asked.object()) throw Refused(where + ": must be an object.");
    const Value* given = asked.find("type");
    const Value& types = encoding_.need("question_types", "question_types");
    const Value* number = given && given->text() ? types.find(*given->text()) : nullptr;
    if (!number) throw Refused(where + ".type: must be noul, choice or score.");
    const std::string& type = *given->text();
    auto described = options_of(asked, type, encoding_, where + ".criteria");

    Question question{id, number->need_number("question_types"), {}, {}, {}};
    for (const Described& option : described) question.request_order.push_back(option.id);
    if (type == "choice")
      std::sort(described.begin(), described.end(), [](auto& a, auto& b) { return a.id < b.id; });
    std::string place = std::to_string(record.questions.size() + 1);
    piece(fill(text_of(encoding_, "field_header"), {{"number", place}, {"id", id}, {"type", type}}));
    const Value* instructions = asked.find("instructions");
    bool unnamed = !instructions || instructions->null() || (instructions->text() && instructions->text()->empty());
    question.span = piece(unnamed ? id : render(*instructions));
    frame("options_header");
    for (const Described& option : described) {
      piece(fill(text_of(encoding_, "option_header"), {{"number", std::to_string(question.options.size() + 1)}}));
      Object meaning{{"option_id", {option.id}}};
      if (!option.description.null()) meaning.emplace_back("description", option.description);
      question.options.push_back({option.id, piece(render({meaning}))});
      frame("option_end");
    }
    frame("field_end");
    record.questions.push_back(std::move(question));
  }

 private:
  const Value& encoding_;
  const Tokenizer& tokenizer_;
};

}  // namespace

Record encode_request(const Value& request, const Value& encoding, const Tokenizer& tokenizer) {
  if (!request.object()) throw Refused("request: must be an object. Write {\"state\": …, \"questions\": {…}}.");
  for (const char* name : {"images", "videos"}) {
    const Value* media = request.find(name);
    bool none = !media || media->null() || (media->array() && media->array()->empty());
    if (!none)
      throw Refused(std::string(name) + ": an export takes text alone. Leave them out.");
  }
  const Object& questions = request.need("questions", "questions").need_object("questions");
  if (questions.empty()) throw Refused("questions: must hold at least one question.");

  Writer write(encoding, tokenizer);
  write.ready_made("opening");
  write.piece(render(request.need("state", "state")));
  write.frame("schema_header");
  for (const Member& member : questions) {
    if (member.first.empty()) throw Refused("questions: ids must be non-empty.");
    write.field(member.first, member.second);
  }
  write.ready_made("closing");
  return std::move(write.record);
}
