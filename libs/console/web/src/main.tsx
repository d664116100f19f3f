import { QueryClientProvider } from "@tanstack/react-query";
import { StrictMode, useEffect, useState, type ReactNode } from "react";
import { createRoot } from "react-dom/client";
import { applyLanguage, loadMessages } from "./i18n/index.ts";
import { loadConfig, type ConsoleConfig } from "./session/config.ts";
import { ConsoleProvider } from "./session/context.tsx";
import { Gate } from "./session/gate.tsx";
import { ConsoleSession } from "./session/session.ts";
import { StepUpProvider } from "./session/step-up.tsx";
import { Shell } from "./shell/shell.tsx";
import "./shell/theme.ts";
import { newQueryClient } from "./ui/queries.ts";
import { ErrorNotice, Spinner } from "./ui/states.tsx";
import "./styles/index.css";

const session = new ConsoleSession();
const queries = newQueryClient();

function App(): ReactNode {
  const [config, setConfig] = useState<ConsoleConfig | null>(null);
  const [error, setError] = useState<unknown>(null);
  useEffect(() => {
    loadConfig().then(setConfig, setError);
  }, []);
  if (error !== null)
    return (
      <main className="gate">
        <ErrorNotice error={error} onRetry={() => location.reload()} />
      </main>
    );
  return (
    <Gate session={session}>
      {config ? (
        <ConsoleProvider session={session} config={config}>
          <StepUpProvider>
            <Shell />
          </StepUpProvider>
        </ConsoleProvider>
      ) : (
        <main className="gate">
          <Spinner />
        </main>
      )}
    </Gate>
  );
}

applyLanguage();
void loadMessages("common").then(() => {
  createRoot(document.getElementById("root")!).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <App />
      </QueryClientProvider>
    </StrictMode>,
  );
  void session.start();
});
