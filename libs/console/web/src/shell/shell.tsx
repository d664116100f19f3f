import { LogIn, Menu as MenuIcon } from "lucide-react";
import { Suspense, useEffect, useState, type ReactNode } from "react";
import { I18nProvider, RouterProvider } from "react-aria-components";
import { useLocaleTag, useT } from "../i18n/index.ts";
import { Link, matchPath, navigate, usePathname } from "../router/index.tsx";
import { useConfig, useConsoleSession, useSessionState, useTenant } from "../session/index.ts";
import { Button, Dialog, EmptyState, ErrorBoundary, IconButton, LinkButton, PageHeader, Spinner, Toasts, usePhone } from "../ui/index.ts";
import { AccountMenu } from "./account-menu.tsx";
import { useAreas, type Area } from "./areas.tsx";
import { EnvironmentBar } from "./environment-bar.tsx";

/** The area to which the address belongs. */
function useArea(): Area | undefined {
  const pathname = usePathname();
  return useAreas().find(({ href }) => matchPath(href === "/console" ? href : `${href}/*`, pathname));
}

function TenantName(): ReactNode {
  const { label, slug } = useTenant();
  const name = useConfig().displayName || slug;
  return (
    <div className="tenant">
      <span className="tenant-mark" aria-hidden>
        {[...name][0]?.toUpperCase()}
      </span>
      <span className="tenant-text">
        <span className="tenant-name" dir="auto">
          {name}
        </span>
        <span className="tenant-label">{label}</span>
      </span>
    </div>
  );
}

function Navigation({ onFollow }: { onFollow?: () => void }): ReactNode {
  const t = useT("common");
  const areas = useAreas();
  const current = useArea();
  return (
    <nav aria-label={t("nav.label")} className="nav">
      {areas.map(({ id, href, label, icon: Icon, preload }) => (
        <Link key={id} onPointerEnter={preload} href={href} className="nav-link" aria-current={current?.id === id ? "page" : undefined} onClick={onFollow}>
          <Icon aria-hidden />
          {t(label)}
        </Link>
      ))}
    </nav>
  );
}

function PhoneBar(): ReactNode {
  const t = useT("common");
  const [open, setOpen] = useState(false);
  const current = useArea();
  return (
    <header className="phone-bar">
      <IconButton label={t("nav.open")} icon={<MenuIcon aria-hidden />} onPress={() => setOpen(true)} />
      <span className="phone-area">{current ? t(current.label) : t("app.name")}</span>
      <AccountMenu compact />
      <Dialog isOpen={open} onClose={() => setOpen(false)} title={t("app.name")} size="drawer">
        <TenantName />
        <Navigation onFollow={() => setOpen(false)} />
      </Dialog>
    </header>
  );
}

function Content(): ReactNode {
  const t = useT("common");
  const pathname = usePathname();
  const area = useArea();
  return (
    <ErrorBoundary resetKey={pathname}>
      <Suspense
        fallback={
          <div className="center page-loading">
            <Spinner />
          </div>
        }
      >
        {area ? <area.component /> : <NotFound title={t("page.notFound")} />}
      </Suspense>
    </ErrorBoundary>
  );
}

/** The page of an unknown address. */
export function NotFound({ title, text, action }: { title: string; text?: string; action?: ReactNode }): ReactNode {
  const t = useT("common");
  return (
    <>
      <PageHeader title={title} />
      <EmptyState title={text ?? t("page.notFoundText")} action={action ?? <LinkButton href="/console">{t("page.toOverview")}</LinkButton>} />
    </>
  );
}

/** Covers the page when the session has ended, so that unsent texts stay until the user decides. */
function EndedDialog(): ReactNode {
  const t = useT("common");
  const session = useConsoleSession();
  const { status } = useSessionState(session);
  const [closed, setClosed] = useState(false);
  useEffect(() => setClosed(false), [status]);
  return (
    <Dialog isOpen={status === "ended" && !closed} onClose={() => setClosed(true)} title={t("session.ended")} size="s">
      <div className="stack">
        <p className="muted">{t("session.endedText")}</p>
        <Button variant="primary" icon={<LogIn aria-hidden />} onPress={() => void session.signIn()}>
          {t("session.signInAgain")}
        </Button>
      </div>
    </Dialog>
  );
}

/** Loads the areas while the browser has nothing else to do, so that they open at once. */
function usePreload(): void {
  const areas = useAreas();
  useEffect(() => {
    const timer = setTimeout(() => {
      for (const area of areas) area.preload();
    }, 3000);
    return () => clearTimeout(timer);
  }, [areas]);
}

/** The frame of all pages: environment, navigation, content. */
export function Shell(): ReactNode {
  const t = useT("common");
  usePreload();
  const locale = useLocaleTag();
  const phone = usePhone();
  return (
    <I18nProvider locale={locale}>
      <RouterProvider navigate={(href) => navigate(href)}>
        <a className="skip" href="#main" onClick={() => document.getElementById("main")?.focus()}>
          {t("nav.skip")}
        </a>
        <EnvironmentBar />
        <div className="frame">
          {phone ? (
            <PhoneBar />
          ) : (
            <aside className="sidebar">
              <TenantName />
              <Navigation />
              <AccountMenu />
            </aside>
          )}
          <main id="main" tabIndex={-1} className="main">
            <Content />
          </main>
        </div>
        <Toasts />
        <EndedDialog />
      </RouterProvider>
    </I18nProvider>
  );
}
