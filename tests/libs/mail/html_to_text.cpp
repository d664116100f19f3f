// Prints the text part for an HTML file (argv[1]), for node/html_to_text.test.mjs.
#include "mail/plain_text.hpp"

#include <fstream>
#include <iostream>
#include <sstream>

int main(int count, char** arguments)
{
    if (count != 2) {
        std::cerr << "usage: mail_html_to_text FILE\n";
        return 2;
    }
    std::ostringstream html;
    html << std::ifstream(arguments[1]).rdbuf();
    std::cout << mail::plain_text(html.view());
}
