import { Component, type ReactNode } from "react";
import { translate } from "../i18n/index.ts";
import { Button } from "./button.tsx";
import { ErrorNotice } from "./states.tsx";

interface Props {
  /** A change clears the error, for example the path. */
  resetKey: string;
  children: ReactNode;
}

/** Shows an error of a component instead of an empty page. */
export class ErrorBoundary extends Component<Props, { error: unknown; failed: boolean }> {
  override state = { error: null as unknown, failed: false };

  static getDerivedStateFromError(error: unknown): { error: unknown; failed: boolean } {
    return { error, failed: true };
  }

  override componentDidUpdate(before: Props): void {
    if (this.state.failed && before.resetKey !== this.props.resetKey) this.setState({ error: null, failed: false });
  }

  override render(): ReactNode {
    if (!this.state.failed) return this.props.children;
    return (
      <div className="stack">
        <ErrorNotice error={this.state.error} />
        <div>
          <Button onPress={() => location.reload()}>{translate("common", "action.reload")}</Button>
        </div>
      </div>
    );
  }
}
