#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace mail {

/// Builds text word by word and line by line. White space, line breaks and the borders of cells are collected
/// and written before the next word. So no line ends in a space, and there is at most one empty line between
/// two others. All texts are valid UTF-8.
class TextPage {
public:
    /// Appends text. White space of any kind becomes one space, and invisible characters are left out.
    void say(std::string_view text);
    /// Appends text with its white space unchanged.
    void say_verbatim(std::string_view text);
    /// Appends text as one word, without its white space.
    void say_word(std::string_view word);
    /// Appends a space and a word (see `say_word`) directly after the last word. White space and line breaks
    /// that wait still come before the next text.
    void say_after_last(std::string_view word);

    void space();
    /// Begins the next text on a new line after `lines - 1` empty lines.
    void begin_line(unsigned lines);
    void break_line();
    /// Removes the empty line that would stand before the next text.
    void close_up() noexcept;

    /// Puts `first` before the next line and `rest` before the lines after it, until the call of `outdent`.
    /// Only the outer eight levels are shown, and a deeper level's `first`.
    void indent(std::string first, std::string rest);
    void outdent();

    void begin_row() noexcept { cells_ = borders_ = 0; }

    /// Begins a cell: writes a border between it and the cells before.
    void begin_cell();

    std::size_t size() const noexcept { return text_.size(); }

    /// Starts to record the words that are said. A later call discards the record.
    void record() { record_.clear(); }

    /// The recorded words, at most `max_record` bytes.
    std::string_view recorded() const noexcept { return record_; }

    static constexpr std::size_t max_record = 4'096;

    /// The text, with a line end after its last line.
    std::string text() &&;

private:
    struct Indent {
        std::string first, rest;
        bool begun = false;
    };

    void say_character(char32_t c, std::string_view bytes);
    void put(std::string_view character);
    bool is_in_word() const noexcept;
    void begin_text();
    void begin_written_line();
    void write_borders();

    std::string text_, record_;
    std::string blank_;  ///< waiting white space
    std::string joiner_; ///< waits for the character that it joins to the last one
    std::vector<Indent> indents_;
    std::size_t common_indents_ = 0; ///< indents of both the last line and the next
    unsigned breaks_ = 0;
    std::size_t cells_ = 0, borders_ = 0;
    bool verbatim_ = false; ///< the waiting white space also begins a line
};

} // namespace mail
