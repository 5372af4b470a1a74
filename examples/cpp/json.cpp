#include "json.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string_view>

#include <nlohmann/json.hpp>

namespace {

constexpr size_t kMostLevels = 128;

// Receives the parser's events and builds a Value; nlohmann's own tree would turn long integers into doubles.
class Builder : public nlohmann::json::json_sax_t {
 public:
  Value root;

  explicit Builder(const std::string& where) : where_(where) {}

  bool null() override { return put({nullptr}); }
  bool boolean(bool value) override { return put({value}); }
  bool number_integer(number_integer_t value) override { return put({Integer{std::to_string(value)}}); }
  bool number_unsigned(number_unsigned_t value) override { return put({Integer{std::to_string(value)}}); }
  bool number_float(number_float_t value, const string_t& digits) override {
    // An integer too long for 64 bits comes here too.
    if (digits.find_first_of(".eE") == std::string::npos) return put({Integer{digits}});
    return put({value});
  }
  bool string(string_t& value) override { return put({value}); }
  bool binary(binary_t&) override { return false; }
  bool start_object(size_t) override { return open({Object{}}); }
  bool start_array(size_t) override { return open({Array{}}); }
  bool end_object() override {
    std::vector<std::string_view> names;
    for (const Member& member : *open_.back()->object()) names.push_back(member.first);
    std::sort(names.begin(), names.end());
    if (auto twice = std::adjacent_find(names.begin(), names.end()); twice != names.end())
      throw Refused(where_ + ": names must be unique, got " + in_quotes(std::string(*twice)) + " twice.");
    return close();
  }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    names_.back() = name;
    return true;
  }
  bool parse_error(size_t at, const std::string&, const nlohmann::detail::exception&) override {
    throw Refused(where_ + ": must be JSON, but is not from byte " + std::to_string(at) + " on.");
  }

 private:
  const std::string& where_;
  // Where the values being filled lie: a container does not grow while something inside it is open.
  std::vector<Value*> open_;
  std::vector<std::string> names_;

  Value* place(Value value) {
    if (open_.empty()) {
      root = std::move(value);
      return &root;
    }
    if (auto* array = std::get_if<Array>(&open_.back()->is)) return &array->emplace_back(std::move(value));
    return &std::get<Object>(open_.back()->is).emplace_back(names_.back(), std::move(value)).second;
  }
  bool put(Value value) {
    place(std::move(value));
    return true;
  }
  bool open(Value value) {
    if (open_.size() == kMostLevels) throw Refused(where_ + ": must nest at most 128 levels deep.");
    open_.push_back(place(std::move(value)));
    names_.emplace_back();
    return true;
  }
  bool close() {
    open_.pop_back();
    names_.pop_back();
    return true;
  }
};

void write(const Value& value, std::string& out);

struct Writer {
  std::string& out;

  void operator()(std::nullptr_t) { out += "null"; }
  void operator()(bool value) { out += value ? "true" : "false"; }
  void operator()(const Integer& value) { out += value.digits; }
  void operator()(double value) { out += python_repr(value); }
  void operator()(const std::string& value) { out += in_quotes(value); }
  void operator()(const Array& values) {
    out += '[';
    for (size_t i = 0; i < values.size(); i++) {
      if (i) out += ',';
      write(values[i], out);
    }
    out += ']';
  }
  void operator()(const Object& members) {
    std::vector<const Member*> sorted;
    for (const Member& member : members) sorted.push_back(&member);
    // The order of UTF-8 bytes is that of code points, which Python sorts by.
    std::sort(sorted.begin(), sorted.end(), [](auto* a, auto* b) { return a->first < b->first; });
    out += '{';
    for (size_t i = 0; i < sorted.size(); i++) {
      if (i) out += ',';
      out += in_quotes(sorted[i]->first) + ':';
      write(sorted[i]->second, out);
    }
    out += '}';
  }
};

void write(const Value& value, std::string& out) { std::visit(Writer{out}, value.is); }

}  // namespace

const Value* Value::find(const std::string& name) const {
  if (const Object* members = object())
    for (const Member& member : *members)
      if (member.first == name) return &member.second;
  return nullptr;
}

const Value& Value::need(const std::string& name, const std::string& where) const {
  if (const Value* found = find(name)) return *found;
  throw Refused(where + ": must be given, got nothing.");
}

const std::string& Value::need_text(const std::string& where) const {
  if (text()) return *text();
  throw Refused(where + ": must be text, got " + render(*this) + ".");
}

const Array& Value::need_array(const std::string& where) const {
  if (array()) return *array();
  throw Refused(where + ": must be an array, got " + render(*this) + ".");
}

const Object& Value::need_object(const std::string& where) const {
  if (object()) return *object();
  throw Refused(where + ": must be an object, got " + render(*this) + ".");
}

int Value::need_number(const std::string& where) const {
  const Integer* integer = std::get_if<Integer>(&is);
  if (integer && integer->digits.size() < 10) return std::stoi(integer->digits);
  throw Refused(where + ": must be a whole number, got " + render(*this) + ".");
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::istream& in = path == "-" ? std::cin : file;
  if (!in) throw Refused(path + ": cannot be read.");
  return {std::istreambuf_iterator<char>(in), {}};
}

Value parse_json(const std::string& text, const std::string& where) {
  Builder builder(where);
  nlohmann::json::sax_parse(text, &builder);
  return std::move(builder.root);
}

std::string render(const Value& value) {
  if (const std::string* text = value.text()) return *text;
  std::string out;
  write(value, out);
  return out;
}

std::string in_quotes(const std::string& text) {
  std::string out = "\"";
  for (char letter : text) {
    switch (letter) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\b': out += "\\b"; break;
      case '\f': out += "\\f"; break;
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      default:
        if (static_cast<unsigned char>(letter) < 0x20) {
          char escape[7];
          std::snprintf(escape, sizeof escape, "\\u%04x", letter);
          out += escape;
        } else {
          out += letter;
        }
    }
  }
  return out + '"';
}

// The shortest digits that read back the same, without an exponent from 1e-4 up to 1e16.
std::string python_repr(double number) {
  char text[32];
  auto end = std::to_chars(text, text + sizeof text, number, std::chars_format::scientific).ptr;
  std::string scientific(text, end);
  size_t mark = scientific.find('e');
  int exponent = std::stoi(scientific.substr(mark + 1));
  if (exponent < -4 || exponent >= 16) return scientific;
  end = std::to_chars(text, text + sizeof text, number, std::chars_format::fixed).ptr;
  std::string fixed(text, end);
  return fixed.find('.') == std::string::npos ? fixed + ".0" : fixed;
}
