#include "domain/search_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <set>
#include <utf8proc.h>

namespace feedback::search_text {

namespace {

/// The limits of tsvector (PostgreSQL's manual, chapter 12, Limitations): positions up to 16383, and less
/// than 1 MB of lexemes and positions.
constexpr std::size_t max_position = 16383, max_bytes = 900'000;
/// Between the last position of a part and the first one of the next.
constexpr std::size_t gap = 10;
/// The space that a position needs, at most.
constexpr std::size_t position_bytes = 8;

/// Whether the token and the next one are a pair of characters of a script without spaces.
bool begins_pair(std::span<Token const> tokens, std::size_t at)
{
    return at + 1 < tokens.size() && tokens[at + 1].continues;
}

/// The beginning of every lexeme of a scope. Words contain no `.`.
std::string prefix_of(core::ScopeId scope)
{
    std::array<char, 16> digits{};
    auto const end = std::to_chars(digits.data(), digits.data() + digits.size(), core::number(scope), 36).ptr;
    std::string prefix(digits.data(), end);
    prefix += '.';
    return prefix;
}

/// The lexemes of one document.
class Writer {
public:
    explicit Writer(core::ScopeId scope) : prefix_(prefix_of(scope)) {}

    /// Returns false if there is no more room.
    bool add(Part const& part)
    {
        auto const tokens = tokens_of(part.text);
        out_.reserve(out_.size() + tokens.size() * (prefix_.size() + 16));
        for (std::size_t i = 0; i < tokens.size(); ++i, ++position_) {
            if (!add_lexeme(tokens[i].text, {}, part.weight)) return false;
            if (begins_pair(tokens, i) && !add_lexeme(tokens[i].text, tokens[i + 1].text, part.weight))
                return false;
        }
        position_ += gap;
        return true;
    }

    std::string take() && { return std::move(out_); }

private:
    bool add_lexeme(std::string_view first, std::string_view second, char weight)
    {
        bytes_ += prefix_.size() + first.size() + second.size() + position_bytes;
        if (bytes_ > max_bytes) return false;
        // Tokens contain letters, digits and marks only, so they need no escaping.
        out_ += '\'';
        out_.append(prefix_).append(first).append(second);
        out_ += "':";
        std::array<char, 8> digits{};
        auto const position = position_ % max_position + 1;
        out_.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), position).ptr);
        out_ += weight;
        out_ += ' ';
        return true;
    }

    std::string prefix_, out_;
    std::size_t position_ = 0, bytes_ = 0;
};

bool is_quote(utf8proc_int32_t point)
{
    return point == '"' || (point >= 0x201C && point <= 0x201F);
}

bool is_space(utf8proc_int32_t point)
{
    return (point >= '\t' && point <= '\r') || utf8proc_category(point) == UTF8PROC_CATEGORY_ZS;
}

/// A part of a query between spaces, or between quotes.
struct Chunk {
    std::string_view text;
    bool quoted = false;
    bool negative = false;
};

std::vector<Chunk> chunks_of(std::string_view text)
{
    std::vector<Chunk> chunks;
    Chunk current;
    std::size_t begin = 0, at = 0;
    auto const finish = [&](std::size_t next) {
        current.text = text.substr(begin, at - begin);
        if (current.quoted || !current.text.empty()) chunks.push_back(current);
        begin = next;
        current = {};
    };
    while (at < text.size()) {
        utf8proc_int32_t point = -1;
        auto const* const bytes = reinterpret_cast<utf8proc_uint8_t const*>(text.data() + at);
        auto const size = static_cast<std::size_t>(std::max<utf8proc_ssize_t>(
            utf8proc_iterate(bytes, static_cast<utf8proc_ssize_t>(text.size() - at), &point), 1));
        auto const next = at + size;
        if (is_quote(point)) {
            bool const opens = !current.quoted, negative = opens && text.substr(begin, at - begin) == "-";
            if (negative) begin = at; // only the sign precedes the quote
            finish(next);
            current.quoted = opens;
            current.negative = negative;
        } else if (point >= 0 && is_space(point) && !current.quoted) {
            finish(next);
        }
        at = next;
    }
    finish(at);
    for (auto& chunk : chunks) {
        if (!chunk.quoted && chunk.text.starts_with('-')) chunk.negative = true;
    }
    return chunks;
}

bool is_or(Chunk const& chunk)
{
    return !chunk.quoted && (chunk.text == "or" || chunk.text == "OR" || chunk.text == "Or");
}

/// Limits the number of terms and tokens of a query.
class QueryBuilder {
public:
    void add(Chunk const& chunk, bool is_alternative)
    {
        Phrase phrase{tokens_of(chunk.text)};
        phrase.tokens.resize(std::min(phrase.tokens.size(), tokens_left_));
        if (phrase.tokens.empty()) return;
        phrase.prefix = !chunk.quoted && !phrase.tokens.back().is_character;
        auto& terms = chunk.negative ? query_.excluded : query_.required;
        bool const joins = is_alternative && !chunk.negative && !terms.empty();
        if (!joins && query_.required.size() + query_.excluded.size() == max_terms) return;
        tokens_left_ -= phrase.tokens.size();
        if (joins) {
            terms.back().push_back(std::move(phrase));
        } else {
            terms.push_back({std::move(phrase)});
        }
    }

    Query take() && { return std::move(query_); }

private:
    Query query_;
    std::size_t tokens_left_ = max_tokens;
};

void append_operand(
    std::string& out, std::string const& prefix, std::string_view first, std::string_view second)
{
    out += '\'';
    out.append(prefix).append(first).append(second);
    out += '\'';
}

/// The phrase in tsquery's syntax: lexemes joined by their distance.
void append_phrase(std::string& out, std::string const& prefix, Phrase const& phrase)
{
    auto const& tokens = phrase.tokens;
    std::optional<std::size_t> last;
    out += '(';
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        bool const is_pair = begins_pair(tokens, i);
        if (tokens[i].continues && i > 0 && !is_pair) continue; // the last pair contains this character
        if (last) out += " <" + std::to_string(i - *last) + "> ";
        append_operand(out, prefix, tokens[i].text, is_pair ? tokens[i + 1].text : std::string_view());
        if (phrase.prefix && i + 1 == tokens.size()) out += ":*";
        last = i;
    }
    out += ')';
}

std::string joined(core::ScopeId scope, std::span<Term const> terms, std::string_view between)
{
    auto const prefix = prefix_of(scope);
    std::string out;
    for (auto const& term : terms) {
        if (!out.empty()) out += between;
        out += '(';
        bool first = true;
        for (auto const& phrase : term) {
            if (!first) out += " | ";
            first = false;
            append_phrase(out, prefix, phrase);
        }
        out += ')';
    }
    return out;
}

/// The number of comparisons of tokens for the highlights of a text. A text of 10,000 words and a query of a
/// few words need fewer. Repeated words in both can need more: such a text has no highlights at its end.
constexpr std::size_t max_comparisons = 200'000;

/// Whether the phrase is at the token `at` of a text. Adds the number of compared tokens to `comparisons`.
bool is_match(Phrase const& phrase, std::span<Token const> text, std::size_t at, std::size_t& comparisons)
{
    if (phrase.tokens.size() > text.size() - at) return false;
    for (std::size_t i = 0; i < phrase.tokens.size(); ++i) {
        ++comparisons;
        auto const& wanted = phrase.tokens[i];
        auto const& found = text[at + i];
        if (i > 0 && wanted.continues && !found.continues) return false;
        bool const is_prefix = phrase.prefix && i + 1 == phrase.tokens.size();
        if (is_prefix ? !found.text.starts_with(wanted.text) : found.text != wanted.text) return false;
    }
    return true;
}

std::set<std::string> lexemes_of(std::string_view utf8)
{
    std::set<std::string> lexemes;
    auto const tokens = tokens_of(utf8);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (begins_pair(tokens, i)) {
            lexemes.insert(tokens[i].text + tokens[i + 1].text);
        } else if (!tokens[i].continues) {
            lexemes.insert(tokens[i].text);
        }
    }
    return lexemes;
}

} // namespace

std::string document(core::ScopeId scope, std::span<Part const> parts)
{
    Writer writer(scope);
    for (auto const& part : parts) {
        if (!writer.add(part)) break;
    }
    return std::move(writer).take();
}

Query parse_query(std::string_view utf8)
{
    auto const chunks = chunks_of(utf8);
    QueryBuilder builder;
    bool is_alternative = false;
    for (std::size_t i = 0; i < chunks.size(); ++i) {
        // At the beginning and at the end of a query, `or` is a word.
        if (is_or(chunks[i]) && i > 0 && i + 1 < chunks.size() && !is_alternative) {
            is_alternative = true;
            continue;
        }
        builder.add(chunks[i], is_alternative);
        is_alternative = false;
    }
    return std::move(builder).take();
}

std::vector<Term> words_of(std::string_view utf8, std::size_t max_words)
{
    std::vector<Term> words;
    std::set<std::string> known;
    auto const tokens = tokens_of(utf8);
    for (std::size_t i = 0; i < tokens.size() && words.size() < max_words; ++i) {
        Phrase phrase{{tokens[i]}};
        bool const is_pair = begins_pair(tokens, i);
        if (is_pair) {
            phrase.tokens.push_back(tokens[i + 1]);
        } else if (tokens[i].continues) {
            continue;
        }
        if (known.insert(is_pair ? tokens[i].text + tokens[i + 1].text : tokens[i].text).second)
            words.push_back({std::move(phrase)});
    }
    return words;
}

std::string tsquery(core::ScopeId scope, Term const& term)
{
    return joined(scope, {&term, 1}, "");
}

std::string tsquery_of_all(core::ScopeId scope, std::span<Term const> terms)
{
    return joined(scope, terms, " & ");
}

std::string tsquery_of_any(core::ScopeId scope, std::span<Term const> terms)
{
    return joined(scope, terms, " | ");
}

std::vector<Highlight> highlights(Query const& query, std::string_view utf8, std::size_t limit)
{
    auto const text = tokens_of(utf8);
    std::vector<Highlight> found;
    std::size_t comparisons = 0;
    for (std::size_t at = 0; at < text.size() && found.size() < limit; ++at) {
        if (comparisons > max_comparisons) break;
        std::size_t end = 0;
        for (auto const& term : query.required) {
            for (auto const& phrase : term) {
                if (!is_match(phrase, text, at, comparisons)) continue;
                auto const& last = text[at + phrase.tokens.size() - 1];
                end = std::max(end, last.start + last.length);
            }
        }
        if (end == 0) continue;
        auto const start = text[at].start;
        if (!found.empty() && start < found.back().start + found.back().length) {
            auto& last = found.back();
            last.length = std::max(last.length, end - last.start);
        } else {
            found.push_back({start, end - start});
        }
    }
    return found;
}

double similarity(std::string_view a, std::string_view b)
{
    auto const words_a = lexemes_of(a), words_b = lexemes_of(b);
    if (words_a.empty() || words_b.empty()) return 0;
    auto const common =
        std::ranges::count_if(words_a, [&](auto const& word) { return words_b.contains(word); });
    return 2.0 * static_cast<double>(common) / static_cast<double>(words_a.size() + words_b.size());
}

} // namespace feedback::search_text
