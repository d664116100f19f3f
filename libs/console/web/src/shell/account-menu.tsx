import { ChevronsUpDown, Languages, LogOut, Moon, Settings2, Sun, SunMoon } from "lucide-react";
import type { ReactNode } from "react";
import { languageNames, languages, setLanguage, useLanguage, useT } from "../i18n/index.ts";
import { useConsoleSession, useMe } from "../session/index.ts";
import { Avatar, Button, Menu, toast } from "../ui/index.ts";
import { setTheme, themes, useTheme } from "./theme.ts";

const themeIcons = { system: <SunMoon aria-hidden />, light: <Sun aria-hidden />, dark: <Moon aria-hidden /> };

/** Account, theme, language, sign-out. */
export function AccountMenu({ compact = false }: { compact?: boolean }): ReactNode {
  const t = useT("common");
  const me = useMe();
  const session = useConsoleSession();
  const { theme } = useTheme();
  const language = useLanguage();
  return (
    <Menu
      label={t("account.menu")}
      placement={compact ? "bottom end" : "top start"}
      trigger={
        <Button variant="ghost" className={`account${compact ? " account-compact" : ""}`} {...(compact && { "aria-label": `${t("account.menu")}: ${me.email}` })}>
          <Avatar name={me.email} />
          {!compact && (
            <>
              <span className="account-text">
                <span className="visually-hidden">{t("account.menu")}: </span>
                <span className="account-email">{me.email}</span>
                <span className="faint">{t(`role.${me.role}`)}</span>
              </span>
              <ChevronsUpDown aria-hidden className="account-arrow" />
            </>
          )}
        </Button>
      }
      parts={[
        { id: "account", label: t("account.open"), icon: <Settings2 aria-hidden />, onAction: () => location.assign("/account") },
        {
          id: "themes",
          title: t("theme.title"),
          entries: themes.map((one) => ({ id: `theme-${one}`, label: t(`theme.${one}`), icon: themeIcons[one], isSelected: theme === one, onAction: () => setTheme(one) })),
        },
        {
          id: "languages",
          title: t("language.title"),
          entries: languages.map((one) => ({
            id: `language-${one}`,
            label: languageNames[one],
            icon: <Languages aria-hidden />,
            isSelected: language === one,
            onAction: () => void setLanguage(one).catch((error: unknown) => toast.error(error)),
          })),
        },
        { id: "line", separator: true },
        { id: "sign-out", label: t("session.signOut"), icon: <LogOut aria-hidden />, onAction: () => void session.signOut().catch((error: unknown) => toast.error(error)) },
      ]}
    />
  );
}
