// JSON text <-> values, with the order of names and the digits of integers kept, as the model's text depends on both.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

// Anything a person can mend; its text is one line.
struct Refused : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Value;
struct Integer {
  std::string digits;
};
using Array = std::vector<Value>;
using Member = std::pair<std::string, Value>;
using Object = std::vector<Member>;

struct Value {
  std::variant<std::nullptr_t, bool, Integer, double, std::string, Array, Object> is;

  const Value* find(const std::string& name) const;  // a member, or null
  // The same, refused where it is not there or of another kind; `where` opens the message.
  const Value& need(const std::string& name, const std::string& where) const;
  const std::string& need_text(const std::string& where) const;
  const Array& need_array(const std::string& where) const;
  const Object& need_object(const std::string& where) const;
  int need_number(const std::string& where) const;
  const std::string* text() const { return std::get_if<std::string>(&is); }
  const Array* array() const { return std::get_if<Array>(&is); }
  const Object* object() const { return std::get_if<Object>(&is); }
  bool null() const { return std::holds_alternative<std::nullptr_t>(is); }
};

// Refuses what is no JSON, names that come twice, and more than 128 levels; `where` opens the message.
Value parse_json(const std::string& text, const std::string& where);
std::string read_file(const std::string& path);  // "-" is stdin

// A string as it is; anything else as JSON with sorted names and no spaces, the way Python writes it.
std::string render(const Value& value);

// As `render`, but a string in quotes.
std::string in_quotes(const std::string& text);
std::string python_repr(double number);
