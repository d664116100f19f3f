#pragma once

#include "domain/template_html.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace notify {

/// Finds the end of an HTML comment, character by character (WHATWG, "comment start state" to "comment end
/// bang state").
class CommentEnd {
public:
    /// `ambiguous`: the comment ends here only if the values of the placeholders directly before are empty.
    enum class Result : std::uint8_t { inside, ended, ambiguous };

    Result read(char c) noexcept;

    /// To be called for each placeholder in the comment.
    void placeholder_seen() noexcept { doubtful_ = dashes_ > 0 || bang_; }

private:
    int dashes_ = 0;        ///< 0 to 2
    bool bang_ = false;     ///< after `--!`
    bool opening_ = true;   ///< only dashes so far, so `<!-->` and `<!--->` end the comment
    bool doubtful_ = false; ///< a placeholder separates the dashes from the next character
};

/// The states of the WHATWG tokenizer that matter for placeholders. The text is read literal by literal.
/// Names refer to the sections of https://html.spec.whatwg.org/multipage/parsing.html#tokenization.
class HtmlTokenizer {
public:
    /// A conditional comment is a comment for a browser. Outlook reads the HTML in it.
    enum class View : std::uint8_t { browser, outlook };

    explicit HtmlTokenizer(View view) noexcept : view_(view) {}

    /// Reads a literal: the text from `from` to the end of `text`. `text` begins where the template begins,
    /// and contains the placeholders before the literal, which are not read.
    void read(std::string_view text, std::size_t from);

    /// The position of the placeholder at the end of `text`, as for `read`; nullopt if `fault` is set.
    std::optional<HtmlSlot> place(std::string_view text);

    std::optional<HtmlFault> const& fault() const noexcept { return fault_; }

private:
    enum class State : std::uint8_t {
        data,
        markup, ///< the literal ends after `<`, `</` or `<!`
        tag_name,
        before_name, ///< also after a quoted value, and after `/` in a tag
        name,
        after_name,
        before_value,
        quoted,
        unquoted,
        declaration, ///< DOCTYPE and bogus comment; both end at `>`
        comment,
        raw,      ///< RCDATA, RAWTEXT and script data
        plaintext ///< to the end of the text
    };

    std::size_t step(std::string_view text, std::size_t at);
    std::size_t read_data(std::string_view text, std::size_t at);
    std::size_t open_markup(std::string_view text, std::size_t at);
    std::size_t open_tag(bool end_tag, std::size_t name);
    std::size_t open_declaration(std::string_view text, std::size_t at);
    std::size_t open_comment(std::string_view text, std::size_t at);
    std::size_t read_tag_name(std::string_view text, std::size_t at);
    std::size_t before_name(std::string_view text, std::size_t at);
    std::size_t read_name(std::string_view text, std::size_t at);
    std::size_t after_name(std::string_view text, std::size_t at);
    std::size_t before_value(std::string_view text, std::size_t at);
    std::size_t read_comment(std::string_view text, std::size_t at);
    std::size_t read_raw(std::string_view text, std::size_t at);
    std::size_t until(std::string_view text, std::size_t at, std::string_view marks, State after);

    void finish_name(std::string_view name);
    void finish_tag();
    void finish_comment();
    /// From here on, parsers disagree about the text.
    void give_up(std::string reason);

    std::optional<HtmlSlot> refuse(std::size_t at, std::string what);
    std::optional<HtmlSlot> place_in_comment(std::string_view text);
    std::optional<HtmlSlot> place_in_attribute(std::string_view text);
    std::optional<HtmlSlot> place_in_url(std::string_view text);
    bool refuse_spoiled(std::size_t at);

    View view_;
    State state_ = State::data;
    std::size_t literal_ = 0; ///< offset of the current literal
    std::size_t token_ = 0;   ///< offset of the current name or value
    std::string element_;     ///< name of the current tag or of the raw element, in lower case
    std::string attribute_;   ///< in lower case
    bool end_tag_ = false;
    char quote_ = '\0';
    bool value_has_placeholder_ = false;
    bool spoiler_seen_ = false;            ///< see `html_names::is_spoiler`
    std::optional<std::size_t> spoilable_; ///< offset of a placeholder that a spoiler in the tag would spoil
    bool unsure_of_raw_ = false;           ///< see `html_names::changes_raw`
    std::string ambiguity_;                ///< why parsers disagree from here on; empty if they do not
    CommentEnd comment_end_;
    std::size_t last_in_comment_ = 0;        ///< offset of the last placeholder in the comment
    std::unique_ptr<HtmlTokenizer> outlook_; ///< reads the conditional comment
    std::optional<HtmlFault> fault_;
};

} // namespace notify
