import type { Session } from "@tetrad/client";
import "@tetrad/client/widget";
import { config } from "./config";
import { Dialog } from "./Dialog";
import { session, signIn } from "./sign-in";

declare module "react" {
  namespace JSX {
    interface IntrinsicElements {
      "tetrad-feedback": HTMLAttributes<HTMLElement> & { "base-url": string; heading?: string; session: Session; "ontetrad-sign-in"?: () => void };
    }
  }
}

/** The widget of the SDK. React sets `session` as a property, and style.css its colours. */
export function FeedbackPanel({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Feedback" drawer onClose={onClose}>
      <tetrad-feedback base-url={config.feedbackUrl} heading="What should we build next?" session={session} ontetrad-sign-in={() => void signIn()} />
      <p className="small">
        <a href={`${config.feedbackUrl}/board`} target="_blank" rel="noopener">
          Open the public board<span className="sr"> in a new tab</span>
        </a>
      </p>
    </Dialog>
  );
}
