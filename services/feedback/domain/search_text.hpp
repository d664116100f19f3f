#pragma once

#include "core/scope.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The words of texts and of search queries, for PostgreSQL's types tsvector and tsquery.
///
/// A word is a run of letters, digits and combining marks. It is stored in Unicode's compatibility form
/// (NFKC), casefolded, and without the accents U+0300 to U+036F. Characters of scripts without spaces
/// (Chinese, Japanese, Thai, Lao, Khmer, Burmese) are words of their own. At the position of such a
/// character, a document also contains the pair of this character and the next one, so that a query for
/// several characters is a phrase of pairs.
///
/// Each lexeme begins with the scope (`1k.`): so the entries of an index over lexemes are those of one scope,
/// and a query cannot match documents of another scope. Words have at most 255 bytes; longer ones are cut.
namespace feedback::search_text {

/// The weights of a tsvector.
inline constexpr char title_weight = 'A', body_weight = 'B', reply_weight = 'C';

struct Part {
    std::string_view text; ///< UTF-8
    char weight = body_weight;
};

/// The lexemes of the texts, in the input syntax of tsvector. Positions go on from part to part, with a gap,
/// so that no phrase matches across parts. A tsvector has positions up to 16383: in longer texts they begin
/// again at 1, so a phrase is not found at this place. PostgreSQL keeps the first 255 positions of a lexeme,
/// so later occurrences are not found as a part of a phrase. The result has less than 1 MB for texts of up to
/// 20,200 characters; the words of longer texts may be cut off.
std::string document(core::ScopeId scope, std::span<Part const> parts);

/// A word, or a character of a script without spaces, in a text.
struct Token {
    std::string text;
    std::size_t start = 0;  ///< in code points of the text
    std::size_t length = 0; ///< in code points of the text
    bool is_character = false;
    bool continues = false; ///< a character that follows the previous token without a break
};

std::vector<Token> tokens_of(std::string_view utf8);

/// Consecutive tokens.
struct Phrase {
    std::vector<Token> tokens;
    bool prefix = false; ///< the last token is the beginning of a word
};

/// A condition of a query: one of the phrases must be found.
using Term = std::vector<Phrase>;

/// A parsed search query: all of `required` must be found in a thread, and none of `excluded`.
struct Query {
    std::vector<Term> required;
    std::vector<Term> excluded;

    /// Queries without any word find nothing.
    bool empty() const noexcept { return required.empty() && excluded.empty(); }
};

/// At most this number of terms and of tokens of a query are used. The rest is ignored.
inline constexpr std::size_t max_terms = 32, max_tokens = 128;

/// Parses what a user has typed. Every word is found as the beginning of a word, `"two words"` as a phrase of
/// whole words, `a or b` if either is found, `-word` excludes. Words that are joined by punctuation
/// (`e-mail`) are a phrase. Never fails: other characters separate words.
Query parse_query(std::string_view utf8);

/// All words of the text, each as a term of one whole word, without repetition; at most `max_words`. A run of
/// characters of a script without spaces gives its pairs.
std::vector<Term> words_of(std::string_view utf8, std::size_t max_words);

/// The term in the input syntax of tsquery.
std::string tsquery(core::ScopeId scope, Term const& term);

/// All or one of the terms in the input syntax of tsquery. `terms` must not be empty.
std::string tsquery_of_all(core::ScopeId scope, std::span<Term const> terms);
std::string tsquery_of_any(core::ScopeId scope, std::span<Term const> terms);

/// A match in a text.
struct Highlight {
    std::size_t start = 0;  ///< in code points
    std::size_t length = 0; ///< in code points

    friend bool operator==(Highlight const&, Highlight const&) = default;
};

/// The first matches of the required terms, at most `limit`, in the order of the text. They do not overlap. A
/// word that begins with a searched word is a match as a whole. The work is limited (see max_comparisons).
std::vector<Highlight> highlights(Query const& query, std::string_view utf8, std::size_t limit);

/// The similarity of two texts by their words, 0 to 1. 1: both have the same words.
double similarity(std::string_view a, std::string_view b);

} // namespace feedback::search_text
