import { ApiError, type AuthComponents } from "@tetrad/client";
import { useEffect, useState, type FormEvent, type ReactNode } from "react";
import { useT } from "../i18n/index.ts";
import { Button, Dialog, ErrorNotice, TextField } from "../ui/index.ts";
import { useClients, useConsoleSession } from "./context.tsx";

export type StepUpMethod = "password" | "sms" | "totp" | "passkey" | "recovery_code" | "external";
type Assertion = AuthComponents["schemas"]["PasskeyAssertion"];

interface Props {
  methods: StepUpMethod[];
  onConfirmed: (accessToken: string) => void;
  onCancel: () => void;
}

/** Asks the user for a credential, and gets a new access token for it. */
export function StepUpDialog({ methods, onConfirmed, onCancel }: Props): ReactNode {
  const t = useT("common");
  const { auth } = useClients();
  const session = useConsoleSession();
  const [method, setMethod] = useState<StepUpMethod>(methods[0] ?? "password");
  const [text, setText] = useState("");
  const [error, setError] = useState<unknown>(null);
  const [pending, setPending] = useState(false);
  const [sentSms, setSentSms] = useState(false);

  const attempt = async (action: () => Promise<void>): Promise<void> => {
    setPending(true);
    setError(null);
    await action().catch(setError);
    setPending(false);
  };

  const confirm = (): Promise<void> =>
    attempt(async () => {
      const body = method === "passkey" ? { credential: await getPasskey(auth) } : method === "password" ? { password: text } : { method: method as "sms" | "totp" | "recovery_code", code: text.trim() };
      onConfirmed((await auth.reauthenticate(body)).accessToken);
    });

  useEffect(() => {
    setText("");
    setError(null);
    if (method === "sms" && !sentSms) {
      setSentSms(true);
      void attempt(async () => void (await auth.sendReauthenticationCode({})));
    }
    // Only the choice of the method starts this.
  }, [method]);

  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void confirm();
  };
  const others = methods.filter((one): one is Exclude<StepUpMethod, "external"> => one !== method && one !== "external");
  const needsText = method !== "passkey" && method !== "external";
  return (
    <Dialog isOpen onClose={onCancel} title={t("stepUp.title")} size="s">
      <form onSubmit={submit} className="stack">
        <p className="muted">{t("stepUp.text")}</p>
        {needsText && (
          <TextField
            key={method}
            autoFocus
            label={t(`stepUp.field.${method}`)}
            type={method === "password" ? "password" : "text"}
            inputMode={method === "sms" || method === "totp" ? "numeric" : undefined}
            autoComplete={method === "password" ? "current-password" : "one-time-code"}
            value={text}
            onChange={setText}
            isRequired
          />
        )}
        {error !== null && (isWrong(error) ? <ErrorNotice error={error} title={t("stepUp.wrong")} /> : <ErrorNotice error={error} />)}
        {method === "external" ? (
          <Button variant="primary" onPress={() => void session.signIn({ max_age: "0" })}>
            {t("stepUp.signInAgain")}
          </Button>
        ) : (
          <Button variant="primary" type="submit" isPending={pending}>
            {method === "passkey" ? t("stepUp.usePasskey") : t("action.confirm")}
          </Button>
        )}
        {others.length > 0 && (
          <div className="row wrap">
            {others.map((one) => (
              <Button key={one} variant="ghost" size="s" onPress={() => setMethod(one)}>
                {t(`stepUp.method.${one}`)}
              </Button>
            ))}
          </div>
        )}
      </form>
    </Dialog>
  );
}

const isWrong = (error: unknown): boolean => error instanceof ApiError && (error.is("INVALID_CREDENTIALS") || error.is("MFA_INVALID_CODE"));

async function getPasskey(auth: ReturnType<typeof useClients>["auth"]): Promise<Assertion> {
  const options = await auth.createPasskeyChallenge({});
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options as unknown as PublicKeyCredentialRequestOptionsJSON);
  const credential = (await navigator.credentials.get({ publicKey })) as PublicKeyCredential | null;
  if (!credential) throw new Error("The browser returned no passkey.");
  return credential.toJSON() as unknown as Assertion;
}
