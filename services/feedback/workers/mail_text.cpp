#include "workers/mail_text.hpp"

#include "core/text.hpp"
#include "hosted_pages/template.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace feedback {

// The files of mails/.
extern std::string_view const thread_mail_txt, thread_mail_html;

namespace {

using hosted_pages::Data, hosted_pages::set, hosted_pages::Template;

std::string_view shown_status(std::string_view status)
{
    if (status == "in-progress") return "in progress";
    return status;
}

/// Says whether the address was verified, because users without a verified address can give any.
std::string author_of(ThreadMail const& mail)
{
    if (!mail.user_email) return {};
    return ". From: " + core::one_line(*mail.user_email) +
           (mail.is_user_email_verified ? "" : " (not verified)");
}

std::string label_of(ThreadMail const& mail, MailChange const& change)
{
    switch (change.kind) {
    case MailChangeKind::created:
        return "Category: " + mail.category + author_of(mail);
    case MailChangeKind::reply:
        return mail.is_for_staff() ? "A user replied:" : "The team replied:";
    case MailChangeKind::status:
        return "The status is now: " + std::string(shown_status(change.text));
    case MailChangeKind::merged:
        break;
    }
    return "The team merged this thread into another one. You will get emails about that thread.";
}

Data lines_of(std::string_view text)
{
    Data lines(Data::type::list);
    while (true) {
        auto const end = text.find('\n');
        auto line = text.substr(0, end);
        if (line.ends_with('\r')) line.remove_suffix(1);
        lines << Data("line", std::string(line));
        if (end == std::string_view::npos) return lines;
        text.remove_prefix(end + 1);
    }
}

/// The text that a change quotes; empty if it quotes none.
std::string_view quote_of(ThreadMail const& mail, MailChange const& change)
{
    if (change.kind == MailChangeKind::created) return mail.body;
    return change.kind == MailChangeKind::reply ? change.text : std::string_view();
}

/// For the HTML part, `label` and the lines of `quote`; for the text part, `paragraph`.
Data item_of(ThreadMail const& mail, MailChange const& change)
{
    auto const label = label_of(mail, change);
    auto const quote = quote_of(mail, change);
    Data item;
    item.set("label", label);
    if (!quote.empty()) {
        Data lines;
        lines.set("lines", lines_of(quote));
        item.set("quote", lines);
    }
    item.set("paragraph", quote.empty() ? label : label + "\n\n" + std::string(quote));
    return item;
}

std::string heading_of(ThreadMail const& mail, MailChanges const& changes)
{
    if (mail.is_reporter) return "There is news about your feedback";
    if (!mail.is_for_staff()) return "There is news about feedback that you follow";
    bool const is_new = std::ranges::any_of(
        changes.items, [](MailChange const& change) { return change.kind == MailChangeKind::created; });
    return is_new ? "New feedback" : "New replies to feedback";
}

std::string footer_of(ThreadMail const& mail)
{
    if (mail.is_for_staff())
        return "You get this email because your address is the setting notifyEmail of this service.";
    return mail.is_reporter ? "You get this email because you wrote this feedback."
                            : "You get this email because you follow this feedback.";
}

} // namespace

MailText render_mail(ThreadMail const& mail, MailChanges const& changes, MailValues const& values)
{
    static Template const text(std::string(thread_mail_txt), hosted_pages::Format::text);
    static Template const html{std::string(thread_mail_html)};
    auto const title = core::one_line(mail.title), brand = core::one_line(values.brand);
    std::string subject = '[' + brand + "] " + title;
    Data items(Data::type::list);
    for (auto const& change : changes.items)
        items << item_of(mail, change);
    Data data;
    data.set("subject", subject);
    data.set("brand", brand);
    data.set("heading", heading_of(mail, changes));
    data.set("title", title);
    data.set("items", items);
    data.set("footer", footer_of(mail));
    set(data, "more", changes.more ? "There are more changes. They follow in the next email." : "");
    set(data, "link", values.link);
    set(data, "unsubscribe", values.unsubscribe);
    return {std::move(subject), text.render(data), html.render(data)};
}

} // namespace feedback
